package ecma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// What a declaration is.
const (
	isTest   = iota
	isSuite  // a runner's call around tests
	isGroup  // a loop, condition or call around tests
	isShared // a function that holds tests, and runs them where it is called
	isCall   // a call of such a function
	isHook
	isName   // a declaration of names
	isImport // one name of an import
	isExport // one name of a list of exports
	isMock   // jest.mock("m")
	isAttach // T.x = …: goes with T
	isAnchor // a statement that declares nothing: always there
)

// A decl is a part of a file that is kept or removed as a whole.
type decl struct {
	file    *source
	what    int
	names   []string
	node    *node // the statement, or the part of a list
	stmt    *node // the whole statement
	list    bool  // node is a part of a list in stmt
	owner   *decl // what holds tests around it
	title   string
	body    *node           // of a suite or group: the block with its members
	binds   map[string]bool // names that a group binds for its members
	refs    *refs
	imp     imported
	exp     exported
	members []*decl
	scope   map[string][]*decl // names of members
	args    []*node            // of a call
	params  []string           // of a function that holds tests; "" for those taken apart
	target  string             // of a call, or a suite whose callback has a name: the function
}

// A source is a file cut into declarations.
type source struct {
	path    string
	src     []byte
	root    *node
	decls   []*decl // in source order, all levels
	top     []*decl
	scope   map[string][]*decl
	imps    []imported
	exports map[string][]exported
	words   *vocabulary
	texts   map[string]string // constants that are strings
	shared  map[string]bool   // functions that hold tests, at any level
}

// readSource parses the file at p. A file with a syntax error is an error.
func readSource(t lang.Files, p string) (*source, error) {
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
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
	s := &source{path: p, src: data, root: root, scope: map[string][]*decl{}, exports: map[string][]exported{}, texts: map[string]string{}}
	s.words = newVocabulary(root, data)
	s.constants()
	s.functions()
	s.block(root, nil)
	s.link()
	return s, nil
}

// constants reads the strings that titles may name.
func (s *source) constants() {
	for _, c := range s.root.Children {
		if c.Kind != "lexical_declaration" {
			continue
		}
		for _, d := range c.All("variable_declarator") {
			if v, ok := literal(inner(d.Get("value")), s.src); ok && d.Get("name").Kind == "identifier" {
				s.texts[d.Get("name").Text(s.src)] = v
			}
		}
	}
}

// functions finds the functions that hold tests: those too that call such ones.
func (s *source) functions() {
	s.shared = map[string]bool{}
	bodies := map[string][]*node{}
	s.root.Walk(func(n *node) bool {
		switch n.Kind {
		case "function_declaration":
			if name := n.Get("name"); name != nil {
				bodies[name.Text(s.src)] = append(bodies[name.Text(s.src)], n.Get("body"))
			}
		case "variable_declarator":
			if f := inner(n.Get("value")); isFunction(f) && n.Get("name").Kind == "identifier" {
				name := n.Get("name").Text(s.src)
				bodies[name] = append(bodies[name], f.Get("body"))
			}
		}
		return true
	})
	for range maxExpand {
		before := len(s.shared)
		for _, name := range sorted(bodies) {
			if !s.shared[name] && slices.ContainsFunc(bodies[name], s.holdsTests) {
				s.shared[name] = true
			}
		}
		if len(s.shared) == before {
			break
		}
	}
}

// link finds which calls are of functions that hold tests, and what else needs the whole file.
func (s *source) link() {
	for _, d := range s.decls {
		for _, n := range d.names {
			if d.owner == nil {
				s.scope[n] = append(s.scope[n], d)
			} else {
				d.owner.scope[n] = append(d.owner.scope[n], d)
			}
		}
		if d.what == isImport {
			s.imps = append(s.imps, d.imp)
		}
		if d.refs != nil {
			s.imps = append(s.imps, d.refs.modules...)
		}
	}
	for _, d := range s.decls {
		if d.what == isAnchor && d.target != "" {
			if f := d.called(); f != nil {
				d.what = isCall
			}
		}
		if d.what == isAnchor && len(d.names) == 0 {
			if name := s.attached(d); name != "" {
				d.what, d.target = isAttach, name
			}
		}
	}
}

// called is the function with tests that a call or suite runs.
func (d *decl) called() *decl {
	if d.target == "" {
		return nil
	}
	for _, f := range d.lookup(d.target) {
		if f.what == isShared {
			return f
		}
	}
	return nil
}

// lookup finds what a name in d means: declarations of the nearest group that has any, or the
// group that binds it.
func (d *decl) lookup(name string) []*decl {
	for o := d.owner; o != nil; o = o.owner {
		if found := o.scope[name]; len(found) > 0 {
			return found
		}
		if o.binds[name] {
			return []*decl{o}
		}
	}
	return d.file.scope[name]
}

// attached is the module's own name T of a statement "T.x = …".
func (s *source) attached(d *decl) string {
	if d.owner != nil || d.node.Kind != "expression_statement" || len(code(d.node)) != 1 {
		return ""
	}
	a := code(d.node)[0]
	if a.Kind != "assignment_expression" || a.Get("left").Kind != "member_expression" {
		return ""
	}
	name, _, _ := strings.Cut(a.Get("left").Text(s.src), ".")
	for _, o := range s.scope[name] {
		if o.what == isName {
			return name
		}
	}
	return ""
}

// tested reports whether the file registers a test.
func (s *source) tested() bool {
	return slices.ContainsFunc(s.decls, func(d *decl) bool { return d.what == isTest })
}
