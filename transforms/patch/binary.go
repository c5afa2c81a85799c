package patch

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// alphabet is that of git's base 85.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// digits maps a byte to its value in base 85 plus 1.
var digits = func() (t [256]byte) {
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i + 1)
	}
	return t
}()

// binary reads what follows "GIT binary patch": the new content or a delta to it, and perhaps
// the same for the old one.
func (s *scanner) binary(f *File) error {
	f.Binary = true
	ok, err := s.content(&f.BinaryNew, &f.DeltaNew)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("binary patch without contents")
	}
	_, err = s.content(&f.BinaryOld, &f.DeltaOld)
	return err
}

func (s *scanner) content(literal, delta *[]byte) (bool, error) {
	method, size, _ := strings.Cut(s.header(0), " ")
	if method != "literal" && method != "delta" {
		return false, nil
	}
	n, err := number(size)
	if err != nil || n > s.inflate {
		return false, fmt.Errorf("binary content of %.20s bytes; at most %d can be read", size, s.inflate)
	}
	s.inflate -= n
	start := s.at
	var packed []byte
	for s.at++; s.header(0) != ""; s.at++ {
		if packed, err = decodeLine(packed, s.header(0)); err != nil {
			return false, err
		}
	}
	data, err := inflate(packed, n)
	if err != nil {
		s.at = start
		return false, err
	}
	s.at++ // the blank line
	if method == "literal" {
		*literal = data
	} else {
		*delta = data
	}
	return true, nil
}

func decodeLine(to []byte, line string) ([]byte, error) {
	n := 0
	switch c := line[0]; {
	case 'A' <= c && c <= 'Z':
		n = int(c-'A') + 1
	case 'a' <= c && c <= 'z':
		n = int(c-'a') + 27
	}
	body := line[1:]
	if n == 0 || len(body) != (n+3)/4*5 {
		return nil, errors.New("corrupt line of a binary patch")
	}
	for ; body != ""; body = body[5:] {
		v := uint64(0)
		for _, c := range []byte(body[:5]) {
			if digits[c] == 0 {
				return nil, errors.New("byte outside base 85")
			}
			v = v*85 + uint64(digits[c]-1)
		}
		if v > 0xffffffff {
			return nil, errors.New("base 85 group out of range")
		}
		group := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
		take := min(n, 4)
		to = append(to, group[:take]...)
		n -= take
	}
	return to, nil
}

func inflate(packed []byte, size int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("inflate binary content: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("inflate binary content: %w", err)
	}
	if len(data) != size {
		return nil, fmt.Errorf("binary content is not of the %d bytes that it claims", size)
	}
	return data, nil
}

// encode writes a content as its lines of base 85 and the blank line after them.
func encode(b *strings.Builder, method string, data []byte) {
	fmt.Fprintf(b, "%s %d\n", method, len(data))
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(data) // a bytes.Buffer takes everything
	w.Close()
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		if n <= 26 {
			b.WriteByte(byte('A' + n - 1))
		} else {
			b.WriteByte(byte('a' + n - 27))
		}
		for i := 0; i < n; i += 4 {
			var group [4]byte
			copy(group[:], rest[i:n])
			v := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
			var out [5]byte
			for j := 4; j >= 0; j-- {
				out[j] = alphabet[v%85]
				v /= 85
			}
			b.Write(out[:])
		}
		b.WriteByte('\n')
		rest = rest[n:]
	}
	b.WriteByte('\n')
}

// patchDelta is what a delta in git's pack format makes of old.
func patchDelta(old, delta []byte) ([]byte, error) {
	out := &limited{left: maxBinaryBytes}
	a := gitdiff.NewBinaryApplier(out, bytes.NewReader(old))
	err := a.ApplyFragment(&gitdiff.BinaryFragment{Method: gitdiff.BinaryPatchDelta, Size: int64(len(delta)), Data: delta})
	if err != nil {
		return nil, fmt.Errorf("apply delta: %w", err)
	}
	return out.data, nil
}

// limited keeps what is written, up to a bound.
type limited struct {
	data []byte
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return 0, errors.New("content is too large")
	}
	l.left -= len(p)
	l.data = append(l.data, p...)
	return len(p), nil
}
