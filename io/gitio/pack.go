package gitio

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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

// A window reads one entry of a pack. An entry that fits into its buffer, as nearly all do, is
// inflated from memory: flate has a fast path for a bytes.Reader, and one for a bufio.Reader.
type window struct {
	buf   [4096]byte
	small bytes.Reader
	large *bufio.Reader
	z     io.ReadCloser
}

var windows = sync.Pool{New: func() any { return &window{large: bufio.NewReaderSize(nil, 1<<15)} }}

// entry is what f, a pack file, holds at an offset.
func (w *window) entry(f io.ReaderAt, off, limit int64) (entry, error) {
	n, err := f.ReadAt(w.buf[:], off)
	if n == 0 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return entry{}, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	w.small.Reset(w.buf[:n])
	e, size, err := header(&w.small, off)
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	if size > max(limit, maxObject) || size > limit && e.kind != ofsDelta && e.kind != refDelta {
		return entry{}, ErrTooLarge
	}
	var source io.Reader = &w.small
	if slack := int64(128); n == len(w.buf) && size+slack > int64(w.small.Len()) {
		at := off + int64(n-w.small.Len())
		w.large.Reset(io.NewSectionReader(f, at, math.MaxInt64-at))
		source = w.large
	}
	if e.data, err = w.inflate(source, size); err != nil {
		w.z = nil
		return entry{}, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return e, nil
}

// inflate is the zlib stream that source begins with, which must hold exactly size bytes.
func (w *window) inflate(source io.Reader, size int64) ([]byte, error) {
	var err error
	if w.z == nil {
		w.z, err = zlib.NewReader(source)
	} else {
		err = w.z.(zlib.Resetter).Reset(source, nil)
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

// header reads the type, the size and, of a delta, the base of the entry at an offset.
func header(r *bytes.Reader, at int64) (e entry, size int64, err error) {
	c, err := r.ReadByte()
	if err != nil {
		return e, 0, err
	}
	e.kind, size = kind(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil {
			return e, 0, err
		}
		if shift > 55 {
			return e, 0, errors.New("size out of range")
		}
		size |= int64(c&0x7f) << shift
	}
	switch e.kind {
	case ofsDelta:
		e.baseOffset, err = baseOffset(r, at)
	case refDelta:
		_, err = io.ReadFull(r, e.base[:])
	case commitKind, treeKind, blobKind, tagKind:
	default:
		err = fmt.Errorf("unknown type %d", e.kind)
	}
	return e, size, err
}

// baseOffset reads how far before the entry at an offset its base is.
func baseOffset(r *bytes.Reader, at int64) (int64, error) {
	back := int64(-1)
	for more := true; more; {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if back > 1<<55 {
			return 0, errDelta
		}
		back = (back+1)<<7 | int64(c&0x7f)
		more = c&0x80 != 0
	}
	if back <= 0 || at-back <= 0 {
		return 0, errDelta
	}
	return at - back, nil
}

const (
	ofsDelta kind = 6
	refDelta kind = 7
)
