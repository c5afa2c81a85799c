package python

import (
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// What a declaration is.
const (
	isTest = iota
	isFunction
	isClass // of tests; any other class is one isFunction-like declaration
	isAssign
	isImport
	isAnchor // a statement that declares nothing: always there
)

// A decl is a part of a check file that is kept or removed as a whole.
type decl struct {
	file    *source
	what    int
	names   []string
	test    string // TestClass::test_m
	node    *node  // the statement
	owner   *decl  // class of tests around it
	fixture string
	root    bool // never removed while its file stays
	refs    *refs
	imp     imported
	members []*decl // of a class of tests
	bases   []string
}

// A source is a check file cut into declarations.
type source struct {
	path  string
	src   []byte
	root  *node
	decls []*decl
	top   map[string][]*decl // module-level names
	inner map[string][]*decl // names in classes of tests
	stars []imported
	imps  []imported // all imports, in functions too
}

// readSource parses the file at p. A file with a syntax error is an error.
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
	root, bad, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	s := &source{path: p, src: data, root: root, top: map[string][]*decl{}, inner: map[string][]*decl{}}
	s.block(root, nil)
	for _, d := range s.decls {
		names := s.top
		if d.owner != nil {
			names = s.inner
		}
		for _, n := range d.names {
			names[n] = append(names[n], d)
		}
		if d.what == isImport {
			s.imps = append(s.imps, d.imp)
		}
		s.imps = append(s.imps, d.refs.imports...)
	}
	return s, nil
}

// block cuts the statements of n, which belong to the class owner or to the module.
func (s *source) block(n *node, owner *decl) {
	for _, c := range n.Children {
		s.statement(c, owner)
	}
}

func (s *source) statement(c *node, owner *decl) {
	d := &decl{file: s, what: isAnchor, node: c, owner: owner, refs: newRefs()}
	switch c.Kind {
	case "comment":
		return
	case "function_definition", "class_definition", "decorated_definition":
		s.definition(d)
		return
	case "import_statement", "import_from_statement", "future_import_statement":
		for _, i := range importsOf(c, s.src) {
			if i.name == "*" {
				s.stars = append(s.stars, i)
			}
			s.add(&decl{file: s, what: isImport, node: c, owner: owner, refs: newRefs(), imp: i, names: []string{i.bound()},
				root: i.name == "*" || c.Kind == "future_import_statement" || s.shared(c)})
		}
		return
	case "if_statement", "try_statement", "with_statement":
		s.compound(c, d)
		s.add(d)
		return
	case "expression_statement":
		if len(c.Children) == 1 && c.Children[0].Kind == "string" {
			return // a docstring names nothing
		}
		if len(c.Children) == 1 && c.Children[0].Kind == "assignment" && !s.shared(c) {
			s.assignment(d, c.Children[0])
		}
	}
	d.refs.read(c, s.src)
	for _, n := range d.names {
		delete(d.refs.locals, n)
	}
	if d.what == isAnchor {
		d.refs.locals = map[string]bool{}
	}
	s.add(d)
}

// shared reports whether a statement shares a line with another, so that it cannot be removed
// by lines.
func (s *source) shared(c *node) bool {
	for i := c.Start - 1; i >= 0 && s.src[i] != '\n'; i-- {
		if s.src[i] != ' ' && s.src[i] != '\t' {
			return true
		}
	}
	for i := c.End; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch s.src[i] {
		case ' ', '\t', '\r':
		case '#':
			return false
		default:
			return true
		}
	}
	return false
}

func (s *source) add(d *decl) {
	s.decls = append(s.decls, d)
	if d.owner != nil {
		d.owner.members = append(d.owner.members, d)
	}
}

// compound cuts the blocks of a statement; what stands outside them is d's.
func (s *source) compound(c *node, d *decl) {
	for _, k := range c.Children {
		switch k.Kind {
		case "block":
			s.block(k, d.owner)
		case "elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause":
			s.compound(k, d)
		default:
			d.refs.read(k, s.src)
		}
	}
}

// assignment takes the plain names that an assignment binds; one with other targets stays an
// anchor.
func (s *source) assignment(d *decl, a *node) {
	for a != nil && a.Kind == "assignment" {
		names, ok := targets(a.Get("left"), s.src)
		if !ok {
			d.names, d.what = nil, isAnchor
			return
		}
		d.names, d.what = append(d.names, names...), isAssign
		a = a.Get("right")
	}
	for _, n := range d.names {
		if strings.HasPrefix(n, "__") || strings.HasPrefix(n, "pytest") || strings.HasPrefix(n, "collect_ignore") {
			d.root = true
		}
	}
}

func targets(n *node, src []byte) ([]string, bool) {
	switch {
	case n == nil:
		return nil, false
	case n.Kind == "identifier":
		return []string{n.Text(src)}, true
	case n.Kind == "pattern_list" || n.Kind == "tuple_pattern" || n.Kind == "list_pattern":
		var out []string
		for _, c := range n.Children {
			names, ok := targets(c, src)
			if !ok {
				return nil, false
			}
			out = append(out, names...)
		}
		return out, true
	}
	return nil, false
}

func (s *source) definition(d *decl) {
	def := bare(d.node)
	name := def.Get("name").Text(s.src)
	d.names = []string{name}
	d.root = s.shared(d.node) || strings.HasPrefix(name, "pytest_")
	for _, dec := range decorators(d.node) {
		d.refs.read(dec, s.src)
	}
	outer := d.refs
	if def.Kind == "class_definition" && s.testClass(def) {
		s.class(d, def)
		return
	}
	d.what = isFunction
	d.refs = newRefs()
	if def.Kind == "class_definition" {
		d.refs.read(def, s.src)
	} else {
		for _, k := range def.Children {
			switch {
			case k.Field == "name":
			case k.Kind == "parameters":
				d.refs.parameters(k, s.src, func(n string, _ *node) { d.refs.fixtures = append(d.refs.fixtures, n) })
			default:
				d.refs.read(k, s.src)
			}
		}
		s.fixture(d)
		if strings.HasPrefix(name, "test") && d.fixture == "" {
			d.what, d.test = isTest, name
			if d.owner != nil {
				d.test = d.owner.test + "::" + name
			}
		}
	}
	delete(d.refs.locals, name)
	d.refs.merge(outer)
	s.add(d)
}

// merge adds what decorators name; it is evaluated outside, so it is free whatever the body binds.
func (r *refs) merge(o *refs) {
	for _, p := range []struct{ to, from map[string]int }{{r.names, o.names}, {r.attrs, o.attrs}, {r.dotted, o.dotted}, {r.keywords, o.keywords}} {
		for k, v := range p.from {
			if _, ok := p.to[k]; !ok {
				p.to[k] = v
			}
		}
	}
	for k := range o.names {
		delete(r.locals, k)
	}
	for k := range o.words {
		r.words[k] = true
	}
	for k := range o.literals {
		r.literals[k] = true
	}
}

// fixture notes that a function is a fixture, and under which name.
func (s *source) fixture(d *decl) {
	for _, dec := range decorators(d.node) {
		if len(dec.Children) == 0 {
			continue
		}
		e := dec.Children[0]
		f := e
		if e.Kind == "call" {
			f = e.Get("function")
		}
		if n := lastName(f, s.src); n != "fixture" && n != "yield_fixture" {
			continue
		}
		d.fixture = d.names[0]
		for _, kw := range e.Get("arguments").All("keyword_argument") {
			switch kw.Get("name").Text(s.src) {
			case "name":
				d.fixture = first(literal(kw.Get("value"), s.src), d.fixture)
			case "autouse":
				d.root = d.root || kw.Get("value").Text(s.src) != "False"
			}
		}
	}
}

func (s *source) class(d *decl, def *node) {
	d.what = isClass
	d.test = d.names[0]
	if d.owner != nil {
		d.test = d.owner.test + "::" + d.names[0]
	}
	for _, k := range def.Children {
		if k.Field == "superclasses" {
			d.refs.read(k, s.src)
			for _, b := range k.Children {
				if n := lastName(b, s.src); n != "" {
					d.bases = append(d.bases, n)
				}
			}
		}
	}
	s.add(d)
	s.block(def.Get("body"), d)
}
