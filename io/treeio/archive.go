package treeio

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/taskmill/taskmill/model"
)

// level is fixed, and one goroutine compresses: the bytes depend on nothing but the files.
var level = []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window)}

// window bounds the memory of who unpacks.
const window = 8 << 20

// Write writes the archive of files, which may come in any order, and are held in memory until
// the last has come (git's own order is not that of the paths). Equal files give equal bytes. A
// submodule's Data is its commit in hexadecimal, or empty.
func Write(w io.Writer, files iter.Seq2[model.File, error]) error {
	var all []model.File
	var total int64
	for f, err := range files {
		if err != nil {
			return fmt.Errorf("write archive: %w", err)
		}
		if total += int64(len(f.Data)); total > Default.TotalBytes {
			return fmt.Errorf("write archive: %w of %d bytes in all files", ErrLimit, Default.TotalBytes)
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b model.File) int { return strings.Compare(a.Path, b.Path) })
	z, err := zstd.NewWriter(w, level...)
	if err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	t, g := tar.NewWriter(z), newGuard(Default)
	for _, f := range all {
		if err := writeFile(t, g, f); err != nil {
			z.Close()
			return fmt.Errorf("write archive: %w", err)
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

func writeFile(t *tar.Writer, g *guard, f model.File) error {
	if f.Mode == 0 {
		f.Mode = model.ModeFile
	}
	if err := g.entry(f.Path, f.Mode, int64(len(f.Data))); err != nil {
		return err
	}
	if err := checkMode(f); err != nil {
		return err
	}
	h := &tar.Header{Name: f.Path, Mode: int64(f.Mode & 0o777)}
	switch f.Mode {
	case model.ModeSymlink:
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, string(f.Data), 0o777
	case model.ModeSubmodule:
		commit := string(f.Data)
		if commit == "" {
			commit = "-" // a PAX record without a value is none
		}
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, f.Path+"/", 0o755
		h.PAXRecords = map[string]string{submodule: commit}
	default:
		h.Typeflag, h.Size = tar.TypeReg, int64(len(f.Data))
	}
	if err := t.WriteHeader(h); err != nil {
		return fmt.Errorf("%q: %w", f.Path, err)
	}
	if h.Typeflag == tar.TypeReg {
		if _, err := t.Write(f.Data); err != nil {
			return fmt.Errorf("%q: %w", f.Path, err)
		}
	}
	return nil
}

// Read gives the files of an archive in ascending order of their path. The archive is hostile
// input: what Write would not have written (another order, a path twice or out of the root, a
// file below a file, other kinds of entries) and what is over the limits ends the sequence with
// an error. At most one file's content is held at a time.
func Read(r io.Reader, limits Limits) iter.Seq2[model.File, error] {
	return func(yield func(model.File, error) bool) {
		fail := func(err error) { yield(model.File{}, fmt.Errorf("read archive: %w", err)) }
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			fail(err)
			return
		}
		defer z.Close()
		g := newGuard(limits)
		// Headers take at most a block each, names and records as much as they say.
		unpacked := g.limits.TotalBytes + int64(g.limits.Files)*int64(4096+2*g.limits.PathBytes)
		plain := &budget{z, unpacked}
		for t := tar.NewReader(plain); ; {
			h, err := t.Next()
			if errors.Is(err, io.EOF) {
				// The checksum of the whole is at the end.
				if _, err := io.Copy(io.Discard, plain); err != nil {
					fail(err)
				}
				return
			}
			if err != nil {
				fail(err)
				return
			}
			f, err := readFile(t, g, h)
			if err != nil {
				fail(err)
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

func readFile(t *tar.Reader, g *guard, h *tar.Header) (model.File, error) {
	f := model.File{Path: h.Name, Mode: 0o100000 | uint32(h.Mode&0o777)}
	size := h.Size
	switch h.Typeflag {
	case tar.TypeReg:
		if h.Mode&^0o777 != 0 {
			return f, fmt.Errorf("%q has mode %o", h.Name, h.Mode)
		}
	case tar.TypeSymlink:
		f.Mode, f.Data, size = model.ModeSymlink, []byte(h.Linkname), int64(len(h.Linkname))
	case tar.TypeDir:
		commit, ok := h.PAXRecords[submodule]
		if !ok || len(commit) > 64 {
			return f, fmt.Errorf("directory %q has no entry of its own in an archive", h.Name)
		}
		f.Path, f.Mode = strings.TrimSuffix(h.Name, "/"), model.ModeSubmodule
		if size = 0; commit != "-" {
			f.Data = []byte(commit)
		}
	default:
		return f, fmt.Errorf("%q is an entry of type %q", h.Name, h.Typeflag)
	}
	if err := g.entry(f.Path, f.Mode, size); err != nil {
		return f, err
	}
	if err := checkMode(f); err != nil {
		return f, err
	}
	if h.Typeflag == tar.TypeReg {
		data, err := io.ReadAll(t) // grows with what comes, not with what the header says
		if err != nil {
			return f, fmt.Errorf("%q: %w", f.Path, err)
		}
		f.Data = data
	}
	return f, nil
}
