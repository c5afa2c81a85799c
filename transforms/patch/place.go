package patch

import "strings"

// An image is a file's content as lines, while hunks are applied to it. Lines are interned, so
// that equal lines have equal numbers; lines that a hunk wrote have the number 0 and match no
// further hunk, as in git.
type image struct {
	lines []string
	ids   []int
	known map[string]int
}

func newImage(content string) *image {
	m := &image{lines: splitLines(content), known: map[string]int{}}
	m.ids = make([]int, len(m.lines))
	for i, l := range m.lines {
		m.ids[i] = m.id(l)
	}
	return m
}

func (m *image) id(line string) int {
	n, ok := m.known[line]
	if !ok {
		n = len(m.known) + 1
		m.known[line] = n
	}
	return n
}

// place finds where a hunk applies, as git does: the nearest line to the expected one at which
// all old lines match, forwards before backwards at equal distance; a hunk that starts at line 0
// or 1 only at the file's start, one without trailing context only at its end. No fuzz. places
// counts how many lines match.
//
// git's expectation is the hunk's new start in the file as the hunks before it have left it.
func (m *image) place(h Hunk) (at, places int) {
	var want []int
	trailing := 0
	for _, l := range h.Lines {
		if l.Op != '+' {
			want = append(want, m.id(l.Text))
		}
		trailing++
		if l.Op != ' ' {
			trailing = 0
		}
	}
	atStart, atEnd := h.OldStart <= 1, trailing == 0
	last := len(m.ids) - len(want)
	if last < 0 || atStart && atEnd && last != 0 {
		return -1, 0
	}
	expected := max(h.NewStart-1, 0)
	switch {
	case atStart:
		expected = 0
	case atEnd:
		expected = last
	}
	if atStart || atEnd {
		if !equal(m.ids[expected:expected+len(want)], want) {
			return -1, 0
		}
		return expected, 1
	}
	return nearest(m.ids, want, min(expected, len(m.ids)))
}

// nearest is the occurrence of want in ids nearest to expected, and how many there are. It runs
// in linear time (Knuth, Morris, Pratt), since both may be hostile.
func nearest(ids, want []int, expected int) (at, places int) {
	if len(want) == 0 {
		return expected, 1
	}
	border := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = border[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		border[i] = k
	}
	at = -1
	for i, k := 0, 0; i < len(ids); i++ {
		for k > 0 && (k == len(want) || ids[i] != want[k]) {
			k = border[k-1]
		}
		if ids[i] == want[k] {
			k++
		}
		if k < len(want) {
			continue
		}
		places++
		if found := i + 1 - k; at < 0 || nearer(found, at, expected) {
			at = found
		}
	}
	return at, places
}

// nearer reports whether a is tried before b.
func nearer(a, b, expected int) bool {
	da, db := a-expected, b-expected
	if abs(da) != abs(db) {
		return abs(da) < abs(db)
	}
	return da > db
}

func abs(n int) int { return max(n, -n) }

func equal(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// put applies h at line at, where it matches.
func (m *image) put(h Hunk, at int) {
	var lines []string
	olds := 0
	for _, l := range h.Lines {
		if l.Op != '+' {
			olds++
		}
		if l.Op != '-' {
			lines = append(lines, l.Text)
		}
	}
	m.lines = splice(m.lines, at, olds, lines)
	m.ids = splice(m.ids, at, olds, make([]int, len(lines)))
}

func splice[T any](s []T, at, remove int, insert []T) []T {
	out := make([]T, 0, len(s)-remove+len(insert))
	return append(append(append(out, s[:at]...), insert...), s[at+remove:]...)
}

func (m *image) text() string { return strings.Join(m.lines, "") }
