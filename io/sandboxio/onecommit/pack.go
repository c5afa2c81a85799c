package onecommit

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"sort"

	"github.com/taskmill/taskmill/model"
)

var kinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// Pack is the form that a blob has in a pack file: a size header and its deflated bytes. It is
// kept for the blobs of a base tree, so that a state's pack is put together by copying.
func Pack(blob []byte) ([]byte, error) { return pack("blob", blob) }

func pack(kind string, data []byte) ([]byte, error) {
	var b bytes.Buffer
	n := uint64(len(data))
	first := kinds[kind]<<4 | byte(n&15)
	for n >>= 4; n > 0; n >>= 7 {
		b.WriteByte(first | 0x80)
		first = byte(n & 0x7f)
	}
	b.WriteByte(first)
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("pack object: %w", err)
	}
	if _, err := z.Write(data); err != nil {
		return nil, fmt.Errorf("pack object: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack object: %w", err)
	}
	return b.Bytes(), nil
}

type placed struct {
	id     [sha1.Size]byte
	offset uint64
	crc    uint32
}

// writePack writes a version 2 pack of objects and of the blobs of entries, and its index.
func writePack(root *os.Root, objects []object, entries []Entry, packed func(Entry) ([]byte, error)) (err error) {
	unique := make(map[model.Hash]bool, len(entries)+len(objects))
	var rest []object
	for _, o := range objects {
		if !unique[o.hash] {
			unique[o.hash] = true
			rest = append(rest, o)
		}
	}
	var blobs []Entry
	for _, e := range entries {
		if e.Mode != model.ModeSubmodule && !unique[e.Hash] {
			unique[e.Hash] = true
			blobs = append(blobs, e)
		}
	}
	const unnamed = ".git/objects/pack/pack.tmp"
	f, err := root.Create(unnamed)
	if err != nil {
		return err
	}
	defer f.Close()
	w := &packWriter{w: f, sum: sha1.New()}
	w.write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(blobs)+len(rest))))
	for _, o := range rest {
		data, err := pack(o.kind, o.data)
		if err != nil {
			return err
		}
		w.add(o.hash, data)
	}
	for _, e := range blobs {
		data, err := packed(e)
		if err != nil {
			return err
		}
		w.add(e.Hash, data)
	}
	sum := w.sum.Sum(nil)
	w.write(sum)
	if err := w.flush(); err != nil {
		return err
	}
	name := ".git/objects/pack/pack-" + hex.EncodeToString(sum)
	if err := root.Rename(unnamed, name+".pack"); err != nil {
		return err
	}
	return root.WriteFile(name+".idx", w.index(sum), 0o444)
}

// A packWriter keeps the first error and gathers writes.
type packWriter struct {
	w      io.Writer
	sum    hash.Hash
	buffer []byte
	offset uint64
	placed []placed
	err    error
}

func (p *packWriter) write(b []byte) {
	p.sum.Write(b)
	p.offset += uint64(len(b))
	if p.buffer = append(p.buffer, b...); len(p.buffer) > 1<<20 {
		p.flush()
	}
}

func (p *packWriter) flush() error {
	if p.err == nil {
		_, p.err = p.w.Write(p.buffer)
	}
	p.buffer = p.buffer[:0]
	return p.err
}

func (p *packWriter) add(h model.Hash, data []byte) {
	at := placed{offset: p.offset, crc: crc32.ChecksumIEEE(data)}
	raw, err := hex.DecodeString(string(h))
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("object id %q: %w", h, err)
	}
	copy(at.id[:], raw)
	p.placed = append(p.placed, at)
	p.write(data)
}

// index is the pack's version 2 index. Offsets from 2 GiB on go to the table of long ones.
func (p *packWriter) index(sum []byte) []byte {
	sort.Slice(p.placed, func(i, j int) bool { return bytes.Compare(p.placed[i].id[:], p.placed[j].id[:]) < 0 })
	b := []byte("\xfftOc\x00\x00\x00\x02")
	n := 0
	for first := range 256 {
		for n < len(p.placed) && int(p.placed[n].id[0]) <= first {
			n++
		}
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for _, o := range p.placed {
		b = append(b, o.id[:]...)
	}
	for _, o := range p.placed {
		b = binary.BigEndian.AppendUint32(b, o.crc)
	}
	var long []byte
	for _, o := range p.placed {
		if o.offset < 1<<31 {
			b = binary.BigEndian.AppendUint32(b, uint32(o.offset))
			continue
		}
		b = binary.BigEndian.AppendUint32(b, 1<<31|uint32(len(long)/8))
		long = binary.BigEndian.AppendUint64(long, o.offset)
	}
	b = append(append(b, long...), sum...)
	own := sha1.Sum(b)
	return append(b, own[:]...)
}

// index is the version 2 index file of entries, sorted by path.
func index(entries []Entry) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		start := len(b)
		seconds, size := uint32(e.Time().Unix()), uint32(e.Size)
		if e.Mode == model.ModeSubmodule {
			seconds, size = 0, 0
		}
		for _, v := range []uint32{seconds, 0, seconds, 0, 0, 0, e.Mode, 0, 0, size} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		raw, _ := hex.DecodeString(string(e.Hash))
		b = append(b, raw...)
		b = binary.BigEndian.AppendUint16(b, uint16(min(len(e.Path), 0xfff)))
		b = append(b, e.Path...)
		b = append(b, make([]byte, 8-(len(b)-start)%8)...)
	}
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}
