package leak

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// BenchmarkEnvironment walks 16 MB of text and 16 MB of binary for 30 subjects.
func BenchmarkEnvironment(b *testing.B) {
	var scans []*Scan
	for i := range 30 {
		s := subject()
		for n := range 400 {
			s.Lines = append(s.Lines, fmt.Sprintf("a line of subject %d that tells number %d of its answer", i, n))
		}
		c, err := New(s)
		if err != nil {
			b.Fatal(err)
		}
		scans = append(scans, c)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var text, bin bytes.Buffer
	for text.Len() < 64<<10 {
		fmt.Fprintf(&text, "    value_%d = compute(%d, other=%d)  # in all the files alike\n", r.IntN(1e6), r.IntN(1e6), r.IntN(1e6))
	}
	for bin.Len() < 64<<10 {
		bin.WriteByte(byte(r.IntN(256)))
	}
	b.SetBytes(32 << 20)
	for b.Loop() {
		e := NewEnvironment(scans...)
		for i := range 256 {
			for name, data := range map[string][]byte{"site-packages/a/x.py": text.Bytes(), "site-packages/a/x.pyc": append([]byte{0}, bin.Bytes()...)} {
				if err := e.File(fmt.Sprintf("%d/%s", i, name), int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }); err != nil {
					b.Fatal(err)
				}
			}
		}
		e.Findings()
	}
}
