package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A source is one parsed file.
type source struct {
	path    string
	text    []byte
	set     *token.FileSet
	file    *ast.File
	imports []*importing
	pkg     string // package clause
}

// An importing is one import of a file. Name is how the file calls it: "_", ".", its alias, or
// the package's name as far as it can be told; "" where it cannot.
type importing struct {
	spec *ast.ImportSpec
	path string
	name string
}

// parse reads the Go file at p with comments. A file with syntax errors is an error.
func parse(t lang.Files, p string) (*source, error) {
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("parse %s: no such file", p)
	}
	return parseText(p, f.Data)
}

func parseText(p string, text []byte) (*source, error) {
	if len(text) > maxSource {
		return nil, fmt.Errorf("parse %s: %d bytes are over the limit of %d", p, len(text), maxSource)
	}
	s := &source{path: p, text: text, set: token.NewFileSet()}
	f, err := parser.ParseFile(s.set, "", text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", p, err)
	}
	s.file, s.pkg = f, f.Name.Name
	for _, spec := range f.Imports {
		ip, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("parse %s: import %s: %w", p, spec.Path.Value, err)
		}
		i := &importing{spec: spec, path: ip}
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		s.imports = append(s.imports, i)
	}
	return s, nil
}

// offset is the byte offset of pos in the text; line directives do not move it.
func (s *source) offset(pos token.Pos) int { return s.set.PositionFor(pos, false).Offset }

// line is the line of pos in the text, 1-based.
func (s *source) line(pos token.Pos) int { return s.set.PositionFor(pos, false).Line }

// slice is the text from a to b.
func (s *source) slice(a, b token.Pos) string { return string(s.text[s.offset(a):s.offset(b)]) }

// external reports whether the file belongs to the external test package of its folder.
func (s *source) external() bool {
	return strings.HasSuffix(s.path, "_test.go") && strings.HasSuffix(s.pkg, "_test")
}

// name finds how the file calls its imports. qualifiers are the names before a dot that are
// neither local nor declared by the package: each of them is an import.
func (s *source) name(t *layout, qualifiers map[string]bool) {
	free := map[string]bool{}
	for q := range qualifiers {
		free[q] = true
	}
	for _, i := range s.imports {
		delete(free, i.name)
	}
	var unknown []*importing
	for _, i := range s.imports {
		if i.name != "" {
			continue
		}
		for _, n := range guesses(t, i.path) {
			if free[n] {
				i.name = n
				delete(free, n)
				break
			}
		}
		if i.name == "" {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) == 1 && len(free) == 1 {
		for q := range free {
			unknown[0].name = q
		}
	}
}

// guesses lists the names that the package at an import path may have, likeliest first. Only a
// package of the tree, vendored ones included, says its name.
func guesses(t *layout, p string) []string {
	var out []string
	dirs := []string{path.Join("vendor", p)}
	if d, ok := dirIn(t.modules, p); ok {
		dirs = append(dirs, d)
	}
	for _, d := range dirs {
		if n := packageName(t, d); n != "" {
			out = append(out, n)
		}
	}
	base := path.Base(p)
	if version(base) && path.Dir(p) != "." {
		out = append(out, base)
		base = path.Base(path.Dir(p))
	}
	if i := strings.LastIndex(base, ".v"); i > 0 && version(base[i+1:]) {
		base = base[:i]
	}
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '.' })
	out = append(out, base, strings.Join(words, ""), strings.Join(words, "_"))
	for i := range words {
		out = append(out, strings.Join(words[i:], ""), strings.Join(words[:len(words)-i], ""))
	}
	for _, w := range words {
		out = append(out, w, strings.TrimPrefix(w, "go"))
	}
	return out
}

func version(s string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return err == nil && strings.HasPrefix(s, "v")
}

// packageName is the package clause of the first production file of a folder of the tree.
func packageName(t *layout, dir string) string {
	for _, p := range t.folders[dir] {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		if f, ok, err := t.Read(p); err == nil && ok && len(f.Data) <= maxSource {
			a, err := parser.ParseFile(token.NewFileSet(), "", f.Data, parser.PackageClauseOnly)
			if err == nil && a.Name.Name != "main" {
				return a.Name.Name
			}
		}
	}
	return ""
}
