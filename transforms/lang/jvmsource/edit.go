package jvmsource

import (
	"bytes"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// without renders s without the declarations in gone and without the imports that only they
// used.
func (s *source) without(gone map[*decl]bool) []byte {
	var edits []syntax.Edit
	for _, d := range s.decls {
		if !gone[d] || d.owner != nil && gone[d.owner] {
			continue
		}
		edits = append(edits, s.removal(d.node, d.what != isField))
	}
	for _, c := range s.decls {
		// A companion that lost all it had goes too.
		if c.flavor == "companion" && !gone[c] && len(c.members) > 0 && len(c.supers) == 0 && !slices.ContainsFunc(c.members, func(m *decl) bool { return !gone[m] }) {
			edits = append(edits, s.removal(c.node, true))
		}
	}
	for _, i := range s.idle(gone) {
		edits = append(edits, s.removal(i.node, false))
	}
	return syntax.Apply(s.src, s.joined(edits))
}

// removal takes out a node with its lines, the comments right above it, and, of one that stands
// apart, the blank lines before. Where something else shares its lines, its own bytes go alone.
func (s *source) removal(n *syntax.Node, apart bool) syntax.Edit {
	end := n.End
	for end > n.Start && strings.IndexByte(" \t\r\n", s.src[end-1]) >= 0 {
		end--
	}
	start := n.Start
	if c := s.commentAbove(start); c < start {
		start = c
	}
	for end < len(s.src) && strings.IndexByte(" \t;", s.src[end]) >= 0 {
		end++
	}
	line := s.src[end:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	rest := bytes.TrimSpace(line)
	alone := len(rest) == 0 || bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) && bytes.Index(rest, []byte("*/")) == len(rest)-2
	from := syntax.LineStart(s.src, start)
	if !alone || len(bytes.TrimSpace(s.src[from:start])) > 0 {
		if alone && len(rest) == 0 {
			return syntax.Edit{Start: start, End: end}
		}
		return syntax.Edit{Start: n.Start, End: end}
	}
	end = min(end+len(line)+1, len(s.src))
	if apart || s.blankAt(end) {
		from = s.blankBefore(from)
	}
	return syntax.Edit{Start: from, End: end}
}

// blankBefore is the start of the blank lines before at, a line's start.
func (s *source) blankBefore(at int) int {
	for at > 0 {
		prev := syntax.LineStart(s.src, at-1)
		if len(bytes.TrimSpace(s.src[prev:at])) > 0 {
			break
		}
		at = prev
	}
	return at
}

// blankAt reports whether a blank line, the end of a block or of the file follows.
func (s *source) blankAt(at int) bool {
	line, _, _ := bytes.Cut(s.src[at:], []byte("\n"))
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '}'
}

// commentAbove is the start of the comments whose lines end right above the line of at, or before
// it on its line; a comment that shares its line with code, and one at the very top of the file,
// are not its.
func (s *source) commentAbove(at int) int {
	comments := s.comments()
	for {
		i, _ := slices.BinarySearchFunc(comments, at, func(c *syntax.Node, at int) int { return c.End - at })
		if i < len(comments) && comments[i].End == at {
			i++
		}
		if i == 0 {
			return at
		}
		c := comments[i-1]
		between := s.src[min(c.End, at):at]
		lines := bytes.Count(between, []byte("\n"))
		if bytes.HasPrefix(s.src[c.Start:], []byte("//")) && c.End > 0 && s.src[c.End-1] == '\n' {
			lines++
		}
		from := syntax.LineStart(s.src, c.Start)
		if len(bytes.TrimSpace(between)) > 0 || lines > 1 || len(bytes.TrimSpace(s.src[from:c.Start])) > 0 || from == 0 {
			return at
		}
		at = c.Start
	}
}

// comments are all comments, in order.
func (s *source) comments() []*syntax.Node {
	if s.remarks == nil {
		s.remarks = []*syntax.Node{}
		s.root.Walk(func(n *syntax.Node) bool {
			if n.Kind == "line_comment" || n.Kind == "block_comment" {
				s.remarks = append(s.remarks, n)
			}
			return true
		})
	}
	return s.remarks
}

// joined lets a removal behind an opening bracket take the blank lines after it, so that no block
// begins with them.
func (s *source) joined(edits []syntax.Edit) []syntax.Edit {
	slices.SortFunc(edits, func(a, b syntax.Edit) int { return a.Start - b.Start })
	for i := range edits {
		e := &edits[i]
		if e.End > 0 && e.End < len(s.src) && s.src[e.End-1] == '\n' && s.opens(e.Start, edits[:i]) {
			e.End = syntax.SkipBlank(s.src, e.End)
		}
	}
	return edits
}

// opens reports whether what is left before at ends with an opening brace.
func (s *source) opens(at int, before []syntax.Edit) bool {
	for i := len(before) - 1; i >= 0 && before[i].End >= at; i-- {
		at = min(at, before[i].Start)
	}
	text := bytes.TrimRight(s.src[:at], " \t\r\n")
	return len(text) == 0 || text[len(text)-1] == '{'
}
