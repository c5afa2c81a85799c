package syntax

import (
	"bytes"
	"slices"
)

// An Edit replaces the bytes [Start, End) by With.
type Edit struct {
	Start, End int
	With       string
}

// SkipBlank is the start of the first line at or after at, a line's start, that is not blank; at
// itself where only blank lines follow.
func SkipBlank(src []byte, at int) int {
	for i := at; i < len(src); {
		line, _, ended := bytes.Cut(src[i:], []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 {
			return i
		}
		i += len(line)
		if ended {
			i++
		}
	}
	return at
}

// LineStart is the start of the line that holds at.
func LineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// Newline is how src ends its lines, by the first of them.
func Newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// merge sorts edits and joins those that overlap.
func merge(edits []Edit) []Edit {
	slices.SortFunc(edits, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	var out []Edit
	for _, e := range edits {
		if n := len(out); n > 0 && e.Start < out[n-1].End {
			if e.End > out[n-1].End && e.With == "" {
				out[n-1].End = e.End
			} else if e.With != "" && out[n-1].With == "" {
				out[n-1].End, out[n-1].With = max(e.End, out[n-1].End), e.With
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// Apply makes edits, in any order; of two that overlap the later in the text is joined to the
// earlier.
func Apply(src []byte, edits []Edit) []byte {
	var out []byte
	at := 0
	for _, e := range merge(edits) {
		out = append(out, src[at:e.Start]...)
		out = append(out, e.With...)
		at = e.End
	}
	return append(out, src[at:]...)
}
