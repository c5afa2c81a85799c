package python

import (
	"bytes"
	"slices"
	"strings"
)

// An edit replaces the bytes [start, end).
type edit struct {
	start, end int
	with       string
}

// without renders s without the declarations in gone. Bytes outside of them and of the blank
// lines and comments that belong to them stay as they are.
func (s *source) without(gone map[*decl]bool) []byte {
	dead := map[*node]bool{} // statements that go whole
	parts := map[*node][]*decl{}
	for _, d := range s.decls {
		if d.what == isImport {
			parts[d.node] = append(parts[d.node], d)
		} else if gone[d] {
			dead[d.node] = true
		}
	}
	var edits []edit
	for stmt, binds := range parts {
		var go_ []*decl
		for _, d := range binds {
			if gone[d] {
				go_ = append(go_, d)
			}
		}
		switch {
		case len(go_) == len(binds):
			dead[stmt] = true
		case len(go_) > 0:
			edits = append(edits, s.names(binds, gone)...)
		}
	}
	edits = append(edits, s.cutBlock(s.root, dead, true)...)
	return apply(s.src, edits)
}

// cutBlock removes the dead statements of a block. A block that keeps none gets a pass, unless
// it is the module.
func (s *source) cutBlock(b *node, dead map[*node]bool, module bool) []edit {
	var edits []edit
	left, any := 0, false
	var firstDead *node
	for _, c := range b.children {
		switch {
		case c.kind == "comment":
		case dead[c]:
			any = true
			if firstDead == nil {
				firstDead = c
			}
			e := s.statementLines(c)
			if left == 0 {
				e.end = skipBlank(s.src, e.end) // the block begins with what comes next
			}
			edits = append(edits, e)
		default:
			left++
			edits = append(edits, s.cutNested(c, dead)...)
		}
	}
	if any && left == 0 && !module {
		for i := range edits {
			if edits[i].end >= firstDead.end && edits[i].start <= firstDead.start {
				column := firstDead.start - lineStart(s.src, firstDead.start)
				edits[i].with = indent(s.src, firstDead.start, column) + "pass" + newline(s.src)
				edits[i].start = lineStart(s.src, edits[i].firstText(s.src, firstDead))
				break
			}
		}
	}
	return edits
}

// firstText is where the removed text begins after its leading blank lines.
func (e edit) firstText(src []byte, n *node) int {
	i := e.start
	for i < n.start && (src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// cutNested goes into the blocks of a statement that stays.
func (s *source) cutNested(c *node, dead map[*node]bool) []edit {
	var edits []edit
	d := c.bare()
	switch d.kind {
	case "class_definition":
		if b := d.get("body"); b != nil {
			edits = append(edits, s.cutBlock(b, dead, false)...)
		}
	case "if_statement", "try_statement", "with_statement", "elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause":
		for _, k := range d.children {
			if k.kind == "block" {
				edits = append(edits, s.cutBlock(k, dead, false)...)
			} else {
				edits = append(edits, s.cutNested(k, dead)...)
			}
		}
	}
	return edits
}

// statementLines is the removal of a statement with its lines, the comment lines right above
// it at its column, and the blank lines before.
func (s *source) statementLines(n *node) edit {
	start := lineStart(s.src, n.start)
	column := n.start - start
	for start > 0 {
		prev := lineStart(s.src, start-1)
		line := strings.TrimRight(string(s.src[prev:start]), "\r\n")
		if trimmed := strings.TrimLeft(line, " \t"); !strings.HasPrefix(trimmed, "#") || len(line)-len(trimmed) != column ||
			strings.HasPrefix(trimmed, "#!") || prev == 0 {
			break
		}
		start = prev
	}
	blank := start
	for blank > 0 {
		prev := lineStart(s.src, blank-1)
		if len(bytes.TrimSpace(s.src[prev:blank])) > 0 {
			break
		}
		blank = prev
	}
	end := n.end
	for end > n.start && (s.src[end-1] == '\n' || s.src[end-1] == '\r') {
		end--
	}
	if i := bytes.IndexByte(s.src[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(s.src)
	}
	next, _, _ := bytes.Cut(s.src[end:], []byte("\n"))
	if n.bare() == n && n.kind != "function_definition" && n.kind != "class_definition" && len(bytes.TrimSpace(next)) > 0 {
		// Imports and constants stand in groups: the blank lines before belong to the group.
		blank = start
	}
	return edit{start: blank, end: end}
}

// skipBlank is the start of the first line at or after at, a line's start, that is not blank; at
// itself where only blank lines follow.
func skipBlank(src []byte, at int) int {
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

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

func indent(src []byte, at, column int) string { return string(src[at-column : at]) }

func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// names removes some of the names of an import statement: names alone on their lines go with
// their lines, else the list is written anew.
func (s *source) names(binds []*decl, gone map[*decl]bool) []edit {
	var edits []edit
	var kept []string
	lines := true
	for _, d := range binds {
		if !gone[d] {
			kept = append(kept, d.imp.node.text(s.src))
			continue
		}
		e, ok := s.ownLine(d.imp.node)
		lines = lines && ok && s.parenthesised(d.node)
		edits = append(edits, e)
	}
	if lines {
		return edits
	}
	from, to := binds[0].imp.node.start, binds[len(binds)-1].imp.node.end
	return []edit{{start: from, end: to, with: strings.Join(kept, ", ")}}
}

// ownLine is the line of a name in a list, with its comma and comment, where nothing else
// stands on it.
func (s *source) ownLine(n *node) (edit, bool) {
	start, end := lineStart(s.src, n.start), n.end
	for end < len(s.src) && strings.IndexByte(" \t,", s.src[end]) >= 0 {
		end++
	}
	if end < len(s.src) && s.src[end] == '#' {
		for end < len(s.src) && s.src[end] != '\n' {
			end++
		}
	}
	if end < len(s.src) && s.src[end] == '\r' {
		end++
	}
	if end >= len(s.src) || s.src[end] != '\n' || len(bytes.TrimSpace(s.src[start:n.start])) > 0 {
		return edit{}, false
	}
	return edit{start: start, end: end + 1}, true
}

func (s *source) parenthesised(stmt *node) bool {
	return bytes.IndexByte(s.src[stmt.start:stmt.end], '(') >= 0
}

func merge(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out []edit
	for _, e := range edits {
		if n := len(out); n > 0 && e.start < out[n-1].end {
			if e.end > out[n-1].end && e.with == "" {
				out[n-1].end = e.end
			} else if e.with != "" && out[n-1].with == "" {
				out[n-1].end, out[n-1].with = max(e.end, out[n-1].end), e.with
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

func apply(src []byte, edits []edit) []byte {
	var out []byte
	at := 0
	for _, e := range merge(edits) {
		out = append(out, src[at:e.start]...)
		out = append(out, e.with...)
		at = e.end
	}
	return append(out, src[at:]...)
}
