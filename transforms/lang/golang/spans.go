package golang

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A span is a range of bytes, end exclusive.
type span struct{ start, end int }

// spans lists what is cut out of a file: declarations with their comments, whole groups where
// no spec is left, and the imports that only they used.
func (p *testPackage) spans(s *source, gone map[*item]bool) []span {
	left := map[*ast.GenDecl]int{}
	for _, i := range p.items {
		if i.src == s && i.group != nil && !gone[i] {
			left[i.group]++
		}
	}
	var out []span
	for _, i := range p.items {
		if i.src != s || !gone[i] {
			continue
		}
		if i.group == nil {
			out = append(out, s.span(i.node))
		} else if left[i.group] == 0 {
			out = append(out, s.span(i.group))
		} else {
			out = append(out, s.span(i.node))
		}
	}
	idle := p.idle(s, gone)
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		var specs []span
		for _, i := range s.imports {
			if idle[i] && slices.Contains(g.Specs, ast.Spec(i.spec)) {
				specs = append(specs, s.span(i.spec))
			}
		}
		if len(specs) > 0 && len(specs) == len(g.Specs) {
			specs = []span{s.span(g)}
		}
		out = append(out, specs...)
	}
	return out
}

// span is the range of a declaration or spec with its doc comment, the comment behind it and,
// where it stands alone, its lines.
func (s *source) span(n ast.Node) span {
	var doc *ast.CommentGroup
	switch n := n.(type) {
	case *ast.FuncDecl:
		doc = n.Doc
	case *ast.GenDecl:
		doc = n.Doc
	case *ast.TypeSpec:
		doc = n.Doc
	case *ast.ValueSpec:
		doc = n.Doc
	case *ast.ImportSpec:
		doc = n.Doc
	}
	a, b := s.offset(begin(doc, n)), s.offset(n.End())
	for b < len(s.text) && (s.text[b] == ' ' || s.text[b] == '\t' || s.text[b] == ';') {
		b++
	}
	rest := s.text[b:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	trimmed := bytes.TrimSpace(rest)
	ends := len(trimmed) == 0 || bytes.HasPrefix(trimmed, []byte("//")) || oneComment(trimmed)
	start := a
	for start > 0 && (s.text[start-1] == ' ' || s.text[start-1] == '\t') {
		start--
	}
	if ends && (start == 0 || s.text[start-1] == '\n') {
		return span{start, min(b+len(rest)+1, len(s.text))}
	}
	if ends {
		return span{a, b + len(bytes.TrimRight(rest, "\r"))}
	}
	return span{a, b}
}

// oneComment reports whether text is a single /* */ comment.
func oneComment(text []byte) bool {
	return bytes.HasPrefix(text, []byte("/*")) && bytes.Index(text, []byte("*/")) == len(text)-2
}

// cut removes spans from text. Where a removed span leaves two blank lines, or one at the begin
// or end of a block or of the file, they go too; all other bytes stay.
func cut(text []byte, spans []span) []byte {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, s := range spans {
		if s.end <= at {
			continue
		}
		if s.start > at {
			out = append(out, text[at:s.start]...)
		}
		at = s.end
		for opens(out) && at < len(text) {
			n := blankLine(text[at:])
			if n == 0 {
				break
			}
			at += n
		}
		if closes(text[at:]) {
			out = trimBlank(out)
		}
	}
	return append(out, text[at:]...)
}

// opens reports whether a blank line behind text would be one too many: text is empty, ends in
// a blank line, or opens a block.
func opens(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if text[len(text)-1] != '\n' {
		return false
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[len(line)-1] == '('
}

// closes reports whether text has no more than the end of the file, or of a block, ahead.
func closes(text []byte) bool {
	rest := bytes.TrimLeft(text, " \t\r\n")
	return len(rest) == 0 || rest[0] == ')' && blankLine(text) == 0
}

// blankLine is the length of the blank line that text begins with.
func blankLine(text []byte) int {
	i := bytes.IndexByte(text, '\n')
	if i < 0 || len(bytes.TrimSpace(text[:i])) > 0 {
		return 0
	}
	return i + 1
}

// trimBlank removes blank lines at the end of text.
func trimBlank(text []byte) []byte {
	trimmed := bytes.TrimRight(text, " \t\r\n")
	rest := text[len(trimmed):]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return text[:len(trimmed)+i+1]
	}
	return text
}

// foreign reports whether names are used that a dot import must give: they are neither the
// package's, nor the universe's.
func (p *testPackage) foreign(s *source, r *references) bool {
	for n := range r.names {
		if s.importPath(n) == "" && types.Universe.Lookup(n) == nil && !p.declares(s.pkg, n) && !(p.own[n] && !s.external()) {
			return true
		}
	}
	return false
}
