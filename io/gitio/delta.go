package gitio

import (
	"errors"
	"fmt"
)

// A link is one delta on the way from an object to its base.
type link struct {
	offset int64
	delta  []byte
}

// packed is the object at an offset of a pack. What it needed on the way is kept: the next
// version of the same tree is usually a delta of this one.
func (o *objects) packed(p *pack, off, limit int64, depth int) (kind, []byte, error) {
	var chain []link
	var k kind
	var data []byte
	for {
		if len(chain)+depth > maxChain {
			return 0, nil, fmt.Errorf("%w: delta chain without end", errCorrupt)
		}
		var ok bool
		if k, data, ok = o.cache.get(p.place(off)); ok {
			if len(chain) == 0 && int64(len(data)) > limit {
				return 0, nil, ErrTooLarge
			}
			break
		}
		e, err := p.entry(off, limit)
		if err != nil {
			return 0, nil, err
		}
		if e.kind == ofsDelta || e.kind == refDelta {
			if len(chain) == 0 {
				if _, size, _, err := deltaSizes(e.data); err != nil || size > limit {
					return 0, nil, cmpErr(err, ErrTooLarge)
				}
			}
			chain = append(chain, link{off, e.data})
			if e.kind == ofsDelta {
				off = e.baseOffset
				continue
			}
			if bp, boff, ok := o.find(e.base); ok && bp == p {
				off = boff
				continue
			}
			if k, data, err = o.read(e.base, maxObject, depth+len(chain)+1); err != nil {
				return 0, nil, err
			}
			break
		}
		k, data = e.kind, e.data
		o.cache.put(p.place(off), k, data)
		break
	}
	for n := len(chain) - 1; n >= 0; n-- {
		var err error
		if data, err = patch(data, chain[n].delta); err != nil {
			return 0, nil, fmt.Errorf("%w: %w", errCorrupt, err)
		}
		o.cache.put(p.place(chain[n].offset), k, data)
	}
	return k, data, nil
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return otherwise
}

// An entry is what a pack holds at an offset.
type entry struct {
	kind       kind
	data       []byte
	baseOffset int64
	base       id
}

func (p *pack) entry(off, limit int64) (entry, error) {
	f, err := p.open()
	if err != nil {
		return entry{}, fmt.Errorf("open pack: %w", errors.Unwrap(err))
	}
	w := windows.Get().(*window)
	defer windows.Put(w)
	return w.entry(f, off, limit)
}

var errDelta = errors.New("delta out of range")

// deltaSizes reads the sizes of a delta's source and target; rest is its instructions.
func deltaSizes(delta []byte) (source, target int64, rest []byte, err error) {
	if source, rest, err = leb128(delta); err != nil {
		return
	}
	target, rest, err = leb128(rest)
	return
}

func leb128(b []byte) (int64, []byte, error) {
	var n int64
	for k, c := range b {
		if k > 7 {
			break
		}
		n |= int64(c&0x7f) << (7 * k)
		if c&0x80 == 0 {
			return n, b[k+1:], nil
		}
	}
	return 0, nil, errDelta
}

// patch applies a delta (copy from the source, or insert) and checks every range.
func patch(source, delta []byte) ([]byte, error) {
	from, size, d, err := deltaSizes(delta)
	if err != nil {
		return nil, err
	}
	if from != int64(len(source)) || size > maxDelta {
		return nil, errDelta
	}
	out := make([]byte, 0, size)
	for len(d) > 0 {
		op := d[0]
		d = d[1:]
		if op == 0 {
			return nil, errDelta
		}
		if op&0x80 == 0 {
			n := int(op)
			if n > len(d) || len(out)+n > int(size) {
				return nil, errDelta
			}
			out = append(out, d[:n]...)
			d = d[n:]
			continue
		}
		var v [7]int // four bytes of offset, three of length
		for k := range v {
			if op>>k&1 == 0 {
				continue
			}
			if len(d) == 0 {
				return nil, errDelta
			}
			v[k], d = int(d[0]), d[1:]
		}
		at, n := v[0]|v[1]<<8|v[2]<<16|v[3]<<24, v[4]|v[5]<<8|v[6]<<16
		if n == 0 {
			n = 0x10000
		}
		if at+n > len(source) || len(out)+n > int(size) {
			return nil, errDelta
		}
		out = append(out, source[at:at+n]...)
	}
	if len(out) != int(size) {
		return nil, errDelta
	}
	return out, nil
}

// maxDelta bounds what one delta may produce, in bytes; a caller's limit is checked before.
const maxDelta = 128 << 20
