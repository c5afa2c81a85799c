package ecma

import (
	"bytes"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// An editor removes statements from one file.
type editor struct {
	src    []byte
	parent map[*node]*node
	dead   map[*node]bool
}

// without renders s without the declarations in gone. Bytes outside of them and of the blank
// lines and comments that belong to them stay as they are.
func (s *source) without(gone map[*decl]bool) []byte {
	e := &editor{src: s.src, parent: map[*node]*node{}, dead: map[*node]bool{}}
	s.root.Walk(func(n *node) bool {
		for _, c := range n.Children {
			e.parent[c] = n
		}
		return true
	})
	left := map[*node]int{} // parts of a statement that stay
	for _, d := range s.decls {
		if !gone[d] {
			left[d.stmt]++
		}
	}
	lists := map[*node]bool{}
	for _, d := range s.decls {
		switch {
		case !gone[d]:
		case left[d.stmt] == 0:
			e.dead[d.stmt] = true
		case d.list:
			e.dead[d.node] = true
			lists[e.parent[d.node]] = true
		}
	}
	var edits []syntax.Edit
	for _, d := range s.decls {
		if n := d.stmt; e.dead[n] && !e.within(n) {
			edits = append(edits, e.statement(n))
		}
	}
	for l := range lists {
		if !e.dead[l] && !e.within(l) {
			edits = append(edits, e.list(l)...)
		}
	}
	return syntax.Apply(s.src, edits)
}

// within reports whether a node goes with one around it.
func (e *editor) within(n *node) bool {
	for n = e.parent[n]; n != nil; n = e.parent[n] {
		if e.dead[n] {
			return true
		}
	}
	return false
}

// statement is the removal of a statement: with its lines, the comments right above it and the
// blank lines before where it has its lines for itself, else of its bytes alone.
func (e *editor) statement(n *node) syntax.Edit {
	up := e.parent[n]
	if up == nil || up.Kind != "program" && up.Kind != "statement_block" && up.Kind != "switch_case" && up.Kind != "switch_default" {
		return syntax.Edit{Start: n.Start, End: n.End, With: "{}"} // if (x) test(…)
	}
	end := e.end(n)
	if e.shared(n, end) {
		for end < len(e.src) && (e.src[end] == ' ' || e.src[end] == '\t') {
			end++
		}
		return syntax.Edit{Start: n.Start, End: end, With: e.guard(n)}
	}
	start := syntax.LineStart(e.src, e.lead(n))
	blank := start
	for blank > 0 {
		prev := syntax.LineStart(e.src, blank-1)
		if len(bytes.TrimSpace(e.src[prev:blank])) > 0 {
			break
		}
		blank = prev
	}
	if i := bytes.IndexByte(e.src[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(e.src)
	}
	next, _, _ := bytes.Cut(e.src[e.run(n, end):], []byte("\n"))
	if rest := bytes.TrimSpace(next); len(rest) > 0 && rest[0] != '}' {
		// What stands in a group: the blank lines before belong to the group.
		blank = start
	}
	if e.first(n) {
		end = syntax.SkipBlank(e.src, end) // the block begins with what comes next
		if up.Kind != "program" {
			blank = start
		}
	}
	return syntax.Edit{Start: blank, End: end, With: e.guard(n)}
}

// run is the end of the lines of what goes right after n, whose own end at end.
func (e *editor) run(n *node, end int) int {
	past := false
	for _, c := range e.parent[n].Children {
		switch {
		case c == n:
			past = true
		case !past:
		case c.Kind == "comment" && e.leads(c):
		case !e.dead[c] || syntax.LineStart(e.src, e.lead(c)) != end:
			return end
		default:
			end = e.end(c)
			if i := bytes.IndexByte(e.src[end:], '\n'); i >= 0 {
				end += i + 1
			} else {
				end = len(e.src)
			}
		}
	}
	return end
}

// end is the end of a statement's own text: without a semicolon on a later line, which guards
// the statement after it.
func (e *editor) end(n *node) int {
	text := e.src[n.Start:n.End]
	if rest, ok := bytes.CutSuffix(text, []byte(";")); ok {
		trimmed := bytes.TrimRight(rest, " \t\r\n")
		if bytes.IndexByte(rest[len(trimmed):], '\n') >= 0 {
			return n.Start + len(trimmed)
		}
	}
	return n.Start + len(bytes.TrimRight(text, " \t\r\n"))
}

// guard is a semicolon where the statement after n would be read as going on the one before it.
func (e *editor) guard(n *node) string {
	var before, after *node
	past := false
	for _, c := range code(e.parent[n]) {
		switch {
		case c == n:
			past = true
		case e.dead[c]:
		case !past:
			before = c
		case after == nil:
			after = c
		}
	}
	if before == nil || after == nil || e.end(n) != n.End && strings.HasSuffix(n.Text(e.src), ";") {
		return ""
	}
	if strings.IndexByte("([`/+-*", e.src[after.Start]) < 0 || e.src[before.End-1] == ';' {
		return ""
	}
	switch before.Kind {
	case "expression_statement", "lexical_declaration", "variable_declaration", "return_statement", "throw_statement", "export_statement", "import_statement":
		return ";"
	}
	return ""
}

// first reports whether nothing before n stays in its block.
func (e *editor) first(n *node) bool {
	for _, c := range e.parent[n].Children {
		if c == n {
			return true
		}
		if !e.dead[c] && (c.Kind != "comment" || !e.leads(c)) {
			return false
		}
	}
	return true
}

// leads reports whether a comment goes with a dead statement after it.
func (e *editor) leads(comment *node) bool {
	past := false
	for _, c := range e.parent[comment].Children {
		if c == comment {
			past = true
		} else if past && c.Kind != "comment" {
			return e.dead[c] && e.lead(c) <= comment.Start
		}
	}
	return false
}

// lead is the start of the comments right above a node, on lines of their own; a comment that
// begins the file stays.
func (e *editor) lead(n *node) int {
	var above []*node
	for _, c := range e.parent[n].Children {
		if c == n {
			break
		}
		above = append(above, c)
	}
	start, row := n.Start, n.Row
	for i := len(above) - 1; i >= 0; i-- {
		c := above[i]
		if c.Kind != "comment" || c.Last+1 != row || c.Start == 0 ||
			len(bytes.TrimSpace(e.src[syntax.LineStart(e.src, c.Start):c.Start])) > 0 {
			break
		}
		start, row = c.Start, c.Row
	}
	return start
}

// shared reports whether a statement shares a line with other code.
func (e *editor) shared(n *node, end int) bool {
	if len(bytes.TrimSpace(e.src[syntax.LineStart(e.src, n.Start):n.Start])) > 0 {
		return true
	}
	rest, _, _ := bytes.Cut(e.src[end:], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	return len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) && (!bytes.HasPrefix(rest, []byte("/*")) || !bytes.HasSuffix(rest, []byte("*/")))
}

// list removes the dead items of a list: each up to the next item, those at the end from the
// last item that stays.
func (e *editor) list(l *node) []syntax.Edit {
	if l.Kind == "import_clause" {
		return e.clause(l)
	}
	items := code(l)
	if len(items) == 0 {
		return nil
	}
	if c := e.parent[l]; c != nil && c.Kind == "import_clause" && e.gone(items) {
		return e.clause(c)
	}
	var edits []syntax.Edit
	last := -1 // the last item that stays
	for i, c := range items {
		if !e.dead[c] {
			last = i
		}
	}
	for i, c := range items {
		if e.dead[c] && i < last {
			edits = append(edits, syntax.Edit{Start: e.itemStart(items, i), End: e.itemStart(items, i+1)})
		}
	}
	if last < len(items)-1 {
		if last < 0 { // an emptied object
			return append(edits, syntax.Edit{Start: e.itemStart(items, 0), End: items[len(items)-1].End})
		}
		edits = append(edits, syntax.Edit{Start: items[last].End, End: items[len(items)-1].End})
	}
	return edits
}

func (e *editor) gone(items []*node) bool {
	for _, c := range items {
		if !e.dead[c] {
			return false
		}
	}
	return true
}

// itemStart is where an item begins, with the comments on lines before it.
func (e *editor) itemStart(items []*node, i int) int {
	row := e.parent[items[i]].Row
	after := e.parent[items[i]].Start
	if i > 0 {
		row, after = items[i-1].Last, items[i-1].End
	}
	for _, c := range e.parent[items[i]].Children {
		if c.Kind == "comment" && c.Start >= after && c.End <= items[i].Start && c.Row > row {
			return c.Start
		}
	}
	return items[i].Start
}

// clause writes the part of an import before "from" anew: it loses the default, the namespace or
// all in the braces.
func (e *editor) clause(c *node) []syntax.Edit {
	var parts []string
	var edits []syntax.Edit
	for _, k := range code(c) {
		switch {
		case e.dead[k]:
		case k.Kind == "named_imports":
			if items := code(k); len(items) > 0 && !e.gone(items) {
				kept := string(syntax.Apply(e.src[k.Start:k.End], shift(e.list(k), -k.Start)))
				parts = append(parts, kept)
			}
		default:
			parts = append(parts, k.Text(e.src))
		}
	}
	if len(parts) == 0 {
		return edits
	}
	return append(edits, syntax.Edit{Start: c.Start, End: c.End, With: strings.Join(parts, ", ")})
}

func shift(edits []syntax.Edit, by int) []syntax.Edit {
	for i := range edits {
		edits[i].Start += by
		edits[i].End += by
	}
	return edits
}
