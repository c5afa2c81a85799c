package leak

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"path"
	"strings"
)

// limits bound the opening of an archive. What lies beyond is not looked at.
type limits struct {
	entries      int
	entryBytes   int64
	archiveBytes int64 // unpacked
}

var generous = limits{entries: 50_000, entryBytes: 16 << 20, archiveBytes: 512 << 20}

// eachEntry calls f with each file inside data, where data is an archive by its first bytes
// (zip and its kin, tar, and either compressed; a compressed file alone has one entry). Names
// are the archive's own and only ever compared. A broken archive ends where it breaks.
func eachEntry(data []byte, f func(name string, data []byte)) { generous.each(data, f) }

func (l limits) each(data []byte, f func(name string, data []byte)) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		l.eachZip(data, f)
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			l.eachUnpacked(r, f)
		}
	case bytes.HasPrefix(data, []byte("BZh")):
		l.eachUnpacked(bzip2.NewReader(bytes.NewReader(data)), f)
	case isTar(data):
		l.eachTar(bytes.NewReader(data), f)
	}
}

func isTar(data []byte) bool { return len(data) >= 512 && bytes.HasPrefix(data[257:], []byte("ustar")) }

// isArchive reports whether the first 512 bytes are those of an archive.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.HasPrefix(head, []byte("BZh")) || isTar(head)
}

func (l limits) eachZip(data []byte, f func(string, []byte)) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	left := l.archiveBytes
	for i, e := range z.File {
		if i >= l.entries || left <= 0 {
			return
		}
		if !e.Mode().IsRegular() {
			continue
		}
		r, err := e.Open()
		if err != nil {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(r, min(l.entryBytes, left)))
		r.Close()
		left -= int64(len(content))
		if err == nil {
			f(clean(e.Name), content)
		}
	}
}

// eachUnpacked is the one stream of a compressed file: a tar, or a file alone.
func (l limits) eachUnpacked(r io.Reader, f func(string, []byte)) {
	r = io.LimitReader(r, l.archiveBytes)
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	if isTar(head[:n]) {
		l.eachTar(r, f)
		return
	}
	// A truncated stream still tells what came before the cut.
	content, _ := io.ReadAll(io.LimitReader(r, l.entryBytes))
	f("content", content)
}

func (l limits) eachTar(r io.Reader, f func(string, []byte)) {
	t := tar.NewReader(r)
	left := l.archiveBytes
	for range l.entries {
		h, err := t.Next()
		if err != nil || left <= 0 {
			return
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(t, min(l.entryBytes, left)))
		left -= int64(len(content))
		if err != nil {
			return
		}
		f(clean(h.Name), content)
	}
}

// clean makes a hostile name printable and relative.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}
