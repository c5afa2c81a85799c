// Package jvmsource cuts Java and Kotlin source into declarations and finds in them test
// functions, symbols, what names what, and what goes with a hidden test. Tests of one module may
// be written in both languages and use each other, so both are read alike, by the extension.
package jvmsource

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// What a declaration is.
type what int

const (
	isType        what = iota
	isMethod           // a function too
	isField            // a property too
	isConstructor      // goes only with its type
	isBlock            // an initializer: goes only with its type
	isAlias            // Kotlin's typealias
)

// An annotation is one as written, with the name's last part.
type annotation struct {
	name      string // Test
	qualified string // org.junit.Test, or as name
	text      string // source of its arguments
}

// A decl is a part of a file that is kept or removed as a whole; a type has members that are
// declarations of their own.
type decl struct {
	file        *source
	what        what
	flavor      string // of a type: class, interface, annotation, enum, record, object, companion
	names       []string
	node        *syntax.Node
	body        *syntax.Node // of a type or a function
	owner       *decl
	members     []*decl
	refs        *refs // of a type: those of its head, and of what is no declaration of its own
	annotations []annotation
	modifiers   map[string]bool
	supers      []string // as written, without type arguments
	params      int
	variadic    bool   // any number of arguments may fit: varargs, defaults
	void        bool   // of a method: declared without a value
	receiver    string // of a Kotlin extension
	typ         string // of a field: as written, without type arguments; "" where it is not told
	shared      bool   // shares a line with something else
}

// An imported is one import.
type imported struct {
	path   string // a.b.C or a.b.C.member, without .*
	static bool
	star   bool
	alias  string
	node   *syntax.Node
}

// bound is the name that the import binds; "" of a star.
func (i imported) bound() string {
	switch {
	case i.star:
		return ""
	case i.alias != "":
		return i.alias
	}
	return last(i.path)
}

// A source is a file cut into declarations.
type source struct {
	path    string
	src     []byte
	root    *syntax.Node
	pkg     string
	imports []imported
	decls   []*decl // all, parents first
	top     []*decl
	kotlin  bool
	remarks []*syntax.Node // comments, once asked for
}

// last is the part of a dotted name behind the last dot.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// readSource parses the file at p. A file with a syntax error is an error that names the line.
func readSource(t lang.Files, p string) (*source, error) {
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok || f.Mode&0o170000 == 0o120000 {
		return nil, fmt.Errorf("read %s: no such file", p)
	}
	return cut(p, f.Data)
}

func cut(p string, data []byte) (*source, error) {
	root, bad, err := parse(p, data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	s := &source{path: p, src: data, root: root, kotlin: path.Ext(p) != ".java"}
	if s.kotlin {
		s.cutKotlin()
	} else {
		s.cutJava()
	}
	return s, nil
}

// add enters d, whose node, what and owner are set.
func (s *source) add(d *decl) *decl {
	d.file = s
	if d.refs == nil {
		d.refs = newRefs()
	}
	d.shared = s.sharesLine(d.node)
	s.decls = append(s.decls, d)
	if d.owner != nil {
		d.owner.members = append(d.owner.members, d)
	} else {
		s.top = append(s.top, d)
	}
	return d
}

// sharesLine reports whether something else than a comment stands on the lines of n.
func (s *source) sharesLine(n *syntax.Node) bool {
	for i := n.Start - 1; i >= 0 && s.src[i] != '\n'; i-- {
		if s.src[i] != ' ' && s.src[i] != '\t' {
			return true
		}
	}
	rest := s.src[n.End:]
	if i := strings.IndexByte(string(rest[:min(len(rest), 4096)]), '\n'); i >= 0 {
		rest = rest[:i]
	}
	text := strings.TrimSpace(string(rest))
	return text != "" && text != ";" && !strings.HasPrefix(text, "//") && !(strings.HasPrefix(text, "/*") && strings.Index(text, "*/") == len(text)-2)
}

func (d *decl) name() string {
	if len(d.names) == 0 {
		return ""
	}
	return d.names[0]
}

func (d *decl) has(modifier string) bool { return d.modifiers[modifier] }

// annotated is the first annotation of one of names.
func (d *decl) annotated(names ...string) bool {
	for _, a := range d.annotations {
		if slices.Contains(names, a.name) {
			return true
		}
	}
	return false
}

// unbind makes the names that a field declares no locals of its own code.
func (d *decl) unbind() {
	for _, n := range d.names {
		delete(d.refs.locals, n)
		delete(d.refs.types, n)
	}
}

var providerName = regexp.MustCompile(`\bname\s*=\s*"([^"]+)"`)

// provides adds the name under which tests ask for a TestNG data provider.
func (d *decl) provides() {
	for _, a := range d.annotations {
		if m := providerName.FindStringSubmatch(a.text); a.name == "DataProvider" && m != nil {
			d.names = append(d.names, m[1])
		}
	}
}

// binary is the binary name of a type without its package: Outer$Inner.
func (d *decl) binary() string {
	if d.owner == nil {
		return d.name()
	}
	return d.owner.binary() + "$" + d.name()
}

// class is the binary name of a type with its package.
func (d *decl) class() string {
	if d.file.pkg == "" {
		return d.binary()
	}
	return d.file.pkg + "." + d.binary()
}
