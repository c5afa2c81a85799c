package leak

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"
)

// Lines and texts are compared without blanks, so that another indentation or line ending
// hides nothing, and lines without the marks that comments, lists and quotes begin with: code
// that somebody comments out tells what it told before. Fingerprints are of this process only
// and are never written.
var seed = maphash.MakeSeed()

// marks begin comments, items of lists and quotes.
const marks = "#/*->;"

// binary reports whether data is no text, as git decides it.
func binary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// isBlank is a byte that a comparison skips. A no-break space is rare enough to count.
func isBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// squeeze appends line to buf without its blanks and returns how many characters that is,
// and whether a letter or a digit is among them.
func squeeze(buf, line []byte) (out []byte, chars int, words bool) {
	for _, b := range line {
		if isBlank(b) {
			continue
		}
		buf = append(buf, b)
		if utf8.RuneStart(b) {
			chars++
		}
		words = words || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= utf8.RuneSelf
	}
	return buf, chars, words
}

// eachLine calls f with the fingerprint of every line that can tell something.
func eachLine(data []byte, f func(sum uint64, line []byte)) {
	var buf []byte
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if len(line) < toldChars {
			continue
		}
		out, chars, words := squeeze(buf[:0], line)
		buf = out
		if chars >= toldChars && words {
			f(maphash.Bytes(seed, bytes.TrimLeft(out, marks)), line)
		}
	}
}

// lineSet is the fingerprints of lines.
func lineSet(lines []string) map[uint64]bool {
	set := make(map[uint64]bool, len(lines))
	for _, l := range lines {
		eachLine([]byte(l), func(sum uint64, _ []byte) { set[sum] = true })
	}
	return set
}

// fingerprint is how many non-blank characters a text has, and their hash.
func fingerprint(data []byte) (int, uint64) {
	var h maphash.Hash
	h.SetSeed(seed)
	n := 0
	var buf [4096]byte
	out := buf[:0]
	for _, b := range data {
		if isBlank(b) {
			continue
		}
		if utf8.RuneStart(b) {
			n++
		}
		out = append(out, b)
		if len(out) == len(buf) {
			h.Write(out)
			out = buf[:0]
		}
	}
	h.Write(out)
	return n, h.Sum64()
}

// comment reports whether a line of code is one to people only.
func comment(line []byte) bool {
	line = bytes.TrimSpace(line)
	for _, p := range []string{"//", "#", "/*", "* ", "<!--"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}
