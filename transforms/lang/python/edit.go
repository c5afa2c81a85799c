package python

import (
	"bytes"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

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
	var edits []syntax.Edit
	for stmt, binds := range parts {
		going := 0
		for _, d := range binds {
			if gone[d] {
				going++
			}
		}
		switch {
		case going == len(binds):
			dead[stmt] = true
		case going > 0:
			edits = append(edits, s.names(binds, gone)...)
		}
	}
	edits = append(edits, s.cutBlock(s.root, dead, true)...)
	return syntax.Apply(s.src, edits)
}

// cutBlock removes the dead statements of a block. A block that keeps none gets a pass, unless
// it is the module.
func (s *source) cutBlock(b *node, dead map[*node]bool, module bool) []syntax.Edit {
	var edits []syntax.Edit
	left := 0
	var firstDead *node
	for _, c := range b.Children {
		switch {
		case c.Kind == "comment":
		case dead[c]:
			if firstDead == nil {
				firstDead = c
			}
			e := s.statementLines(c)
			if left == 0 {
				e.End = syntax.SkipBlank(s.src, e.End) // the block begins with what comes next
			}
			edits = append(edits, e)
		default:
			left++
			edits = append(edits, s.cutNested(c, dead)...)
		}
	}
	if firstDead != nil && left == 0 && !module {
		for i := range edits {
			if edits[i].End >= firstDead.End && edits[i].Start <= firstDead.Start {
				edits[i].With = string(s.src[syntax.LineStart(s.src, firstDead.Start):firstDead.Start]) + "pass" + syntax.Newline(s.src)
				edits[i].Start = syntax.SkipBlank(s.src, edits[i].Start)
				break
			}
		}
	}
	return edits
}

// cutNested goes into the blocks of a statement that stays.
func (s *source) cutNested(c *node, dead map[*node]bool) []syntax.Edit {
	var edits []syntax.Edit
	d := bare(c)
	switch d.Kind {
	case "class_definition":
		if b := d.Get("body"); b != nil {
			edits = append(edits, s.cutBlock(b, dead, false)...)
		}
	case "if_statement", "try_statement", "with_statement", "elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause":
		for _, k := range d.Children {
			if k.Kind == "block" {
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
func (s *source) statementLines(n *node) syntax.Edit {
	start := syntax.LineStart(s.src, n.Start)
	column := n.Start - start
	for start > 0 {
		prev := syntax.LineStart(s.src, start-1)
		line := strings.TrimRight(string(s.src[prev:start]), "\r\n")
		if trimmed := strings.TrimLeft(line, " \t"); !strings.HasPrefix(trimmed, "#") || len(line)-len(trimmed) != column ||
			strings.HasPrefix(trimmed, "#!") || prev == 0 {
			break
		}
		start = prev
	}
	blank := start
	for blank > 0 {
		prev := syntax.LineStart(s.src, blank-1)
		if len(bytes.TrimSpace(s.src[prev:blank])) > 0 {
			break
		}
		blank = prev
	}
	end := n.End
	for end > n.Start && (s.src[end-1] == '\n' || s.src[end-1] == '\r') {
		end--
	}
	if i := bytes.IndexByte(s.src[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(s.src)
	}
	next, _, _ := bytes.Cut(s.src[end:], []byte("\n"))
	if bare(n) == n && n.Kind != "function_definition" && n.Kind != "class_definition" && len(bytes.TrimSpace(next)) > 0 {
		// Imports and constants stand in groups: the blank lines before belong to the group.
		blank = start
	}
	return syntax.Edit{Start: blank, End: end}
}

// names removes some of the names of an import statement: names alone on their lines go with
// their lines, else the list is written anew.
func (s *source) names(binds []*decl, gone map[*decl]bool) []syntax.Edit {
	var edits []syntax.Edit
	var kept []string
	lines := true
	for _, d := range binds {
		if !gone[d] {
			kept = append(kept, d.imp.node.Text(s.src))
			continue
		}
		e, ok := s.ownLine(d.imp.node)
		lines = lines && ok && s.parenthesised(d.node)
		edits = append(edits, e)
	}
	if lines {
		return edits
	}
	from, to := binds[0].imp.node.Start, binds[len(binds)-1].imp.node.End
	return []syntax.Edit{{Start: from, End: to, With: strings.Join(kept, ", ")}}
}

// ownLine is the line of a name in a list, with its comma and comment, where nothing else
// stands on it.
func (s *source) ownLine(n *node) (syntax.Edit, bool) {
	start, end := syntax.LineStart(s.src, n.Start), n.End
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
	if end >= len(s.src) || s.src[end] != '\n' || len(bytes.TrimSpace(s.src[start:n.Start])) > 0 {
		return syntax.Edit{}, false
	}
	return syntax.Edit{Start: start, End: end + 1}, true
}

func (s *source) parenthesised(stmt *node) bool {
	return bytes.IndexByte(s.src[stmt.Start:stmt.End], '(') >= 0
}
