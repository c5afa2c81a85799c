package gitio

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// go-git reads packs through one seeking scanner, which keeps readers waiting for each other
// and costs several times git's own time. This reader uses ReadAt only.

// maxIndex bounds an index file, in bytes: about 35 million objects.
const maxIndex = 1 << 30

// maxChain bounds the deltas between an object and its base; git itself stops at 4095.
const maxChain = 4096

// A pack is one pack file with its index (version 2) in memory.
type pack struct {
	path string // of the pack file
	idx  []byte
	n    int // objects

	number uint64 // 1 for the first pack of the repository
	open   func() (*os.File, error)
}

const idxHeader = 8 + 256*4

func openPack(idxPath string) (*pack, error) {
	fi, err := os.Stat(idxPath)
	if err != nil {
		return nil, fmt.Errorf("open pack index: %w", err)
	}
	if fi.Size() > maxIndex {
		return nil, fmt.Errorf("open pack index: %w", ErrTooLarge)
	}
	idx, err := os.ReadFile(idxPath)
	if err != nil {
		return nil, fmt.Errorf("open pack index: %w", err)
	}
	p := &pack{path: strings.TrimSuffix(idxPath, ".idx") + ".pack", idx: idx}
	if len(idx) < idxHeader+40 || !bytes.Equal(idx[:8], []byte("\xfftOc\x00\x00\x00\x02")) {
		return nil, errors.New("open pack index: corrupt, or of an unknown version")
	}
	p.n = int(binary.BigEndian.Uint32(idx[idxHeader-4:]))
	if int64(len(idx)) < idxHeader+int64(p.n)*28+40 {
		return nil, errors.New("open pack index: truncated")
	}
	p.open = sync.OnceValues(func() (*os.File, error) { return os.Open(p.path) })
	return p, nil
}

func (p *pack) close() error {
	f, err := p.open()
	if err != nil {
		return nil // was never open
	}
	return f.Close()
}

// find is the offset of an object in the pack.
func (p *pack) find(i id) (int64, bool) {
	lo := 0
	if i[0] > 0 {
		lo = int(binary.BigEndian.Uint32(p.idx[8+4*(int(i[0])-1):]))
	}
	hi := int(binary.BigEndian.Uint32(p.idx[8+4*int(i[0]):]))
	if lo > hi || hi > p.n {
		return 0, false
	}
	// The first eight bytes decide nearly always; comparing them as a number is much faster.
	want := binary.BigEndian.Uint64(i[:])
	for lo < hi {
		mid := (lo + hi) / 2
		name := p.name(mid)
		have := binary.BigEndian.Uint64(name)
		c := cmp.Compare(have, want)
		if c == 0 {
			c = bytes.Compare(name, i[:])
		}
		switch {
		case c == 0:
			return p.offset(mid)
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false
}

// place names an offset of this pack for the cache. A pack is smaller than a terabyte.
func (p *pack) place(off int64) uint64 { return p.number<<40 | uint64(off)&(1<<40-1) }

func (p *pack) name(k int) []byte { return p.idx[idxHeader+20*k : idxHeader+20*k+20] }

func (p *pack) offset(k int) (int64, bool) {
	offsets := idxHeader + 24*p.n
	off := binary.BigEndian.Uint32(p.idx[offsets+4*k:])
	if off>>31 == 0 {
		return int64(off), true
	}
	at := offsets + 4*p.n + 8*int(off&(1<<31-1))
	if at+8+40 > len(p.idx) {
		return 0, false
	}
	long := int64(binary.BigEndian.Uint64(p.idx[at:]))
	return long, long >= 0
}

// prefixed appends the ids that begin with the hexadecimal digits of prefix, at most max.
func (p *pack) prefixed(out []id, prefix string, max int) []id {
	var low id
	for k := range len(prefix) {
		low[k/2] |= nibble(prefix[k]) << (4 * (1 - k%2))
	}
	at := sort.Search(p.n, func(k int) bool { return bytes.Compare(p.name(k), low[:]) >= 0 })
	for ; at < p.n && len(out) < max; at++ {
		i := id(p.name(at))
		if !strings.HasPrefix(string(i.hash()), prefix) {
			break
		}
		out = append(out, i)
	}
	return out
}

func nibble(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// A window reads a file from an offset in blocks that suit small objects.
type window struct {
	f    io.ReaderAt
	next int64
	r, w int
	buf  [4096]byte
	z    io.ReadCloser
}

var windows = sync.Pool{New: func() any { return new(window) }}

func (w *window) fill() error {
	n, err := w.f.ReadAt(w.buf[:], w.next)
	if n == 0 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	w.next += int64(n)
	w.r, w.w = 0, n
	return nil
}

func (w *window) Read(b []byte) (int, error) {
	if w.r == w.w {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, w.buf[w.r:w.w])
	w.r += n
	return n, nil
}

func (w *window) ReadByte() (byte, error) {
	if w.r == w.w {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	w.r++
	return w.buf[w.r-1], nil
}

// inflate is the zlib stream at the window's place, which must hold exactly size bytes.
func (w *window) inflate(size int64) ([]byte, error) {
	var err error
	if w.z == nil {
		w.z, err = zlib.NewReader(w)
	} else {
		err = w.z.(zlib.Resetter).Reset(w, nil)
	}
	if err != nil {
		return nil, err
	}
	data, err := readSized(w.z, size)
	if err != nil {
		return nil, err
	}
	var one [1]byte // reaches the checksum
	if n, err := w.z.Read(one[:]); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("stream does not end after %d bytes: %v", size, err)
	}
	return data, nil
}

// readSized reads exactly size bytes, without believing a large size before it is there.
func readSized(r io.Reader, size int64) ([]byte, error) {
	if size <= 1<<20 {
		data := make([]byte, size)
		_, err := io.ReadFull(r, data)
		return data, err
	}
	var b bytes.Buffer
	n, err := io.CopyN(&b, r, size)
	if err != nil {
		return nil, fmt.Errorf("stream ends after %d of %d bytes: %w", n, size, err)
	}
	return b.Bytes(), nil
}

// header reads an entry's type and size, for a delta also its base.
func (w *window) header(at int64) (k kind, size, baseOff int64, base id, err error) {
	c, err := w.ReadByte()
	if err != nil {
		return
	}
	k, size = kind(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = w.ReadByte(); err != nil {
			return
		}
		if shift > 55 {
			err = errors.New("size out of range")
			return
		}
		size |= int64(c&0x7f) << shift
	}
	switch k {
	case ofsDelta:
		var back int64
		for first := true; first || c&0x80 != 0; first = false {
			if c, err = w.ReadByte(); err != nil {
				return
			}
			if !first {
				back++
			}
			if back > 1<<55 {
				err = errors.New("base out of range")
				return
			}
			back = back<<7 | int64(c&0x7f)
		}
		baseOff = at - back
		if back <= 0 || baseOff <= 0 {
			err = errors.New("base out of range")
		}
	case refDelta:
		_, err = io.ReadFull(w, base[:])
	case commitKind, treeKind, blobKind, tagKind:
	default:
		err = fmt.Errorf("unknown type %d", k)
	}
	return
}

const (
	ofsDelta kind = 6
	refDelta kind = 7
)
