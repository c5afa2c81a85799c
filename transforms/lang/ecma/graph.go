package ecma

import (
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const maxLinked = 400 // check files read together

// A graph links the declarations of check files: a test to the groups around it, to helpers,
// constants and imports by scope, and through imports to the helper modules among the check
// files.
type graph struct {
	t       lang.Files
	dialect Dialect
	layout  *layout
	files   map[string]*source
	order   []string
}

func newGraph(t lang.Files, d Dialect) *graph {
	return &graph{t: t, dialect: d, layout: newLayout(t), files: map[string]*source{}}
}

// load reads p with the check files that it imports.
func (g *graph) load(p string) (*source, error) {
	if s, ok := g.files[p]; ok {
		return s, nil
	}
	s, err := readSource(g.t, p)
	if err != nil {
		return nil, err
	}
	g.files[p] = s
	g.order = append(g.order, p)
	for _, i := range g.modules(s) {
		f, ok := g.layout.find(p, i.module)
		if ok && g.dialect.Kind(f) == model.CheckFile && isSource(f) && len(g.files) < maxLinked {
			// A helper that does not parse is none of the file's own faults.
			if _, err := g.load(f); err != nil {
				continue
			}
		}
	}
	return s, nil
}

// modules are all modules that a file takes names from.
func (g *graph) modules(s *source) []imported {
	out := slices.Clone(s.imps)
	for _, name := range sorted(s.exports) {
		for _, e := range s.exports[name] {
			if e.module != "" {
				out = append(out, imported{module: e.module, name: e.from})
			}
		}
	}
	return out
}

// edges calls visit for what d uses. In the loose reading a module that is handed around uses all
// that it gives away. What goes is found by the strict reading, what stays by the loose one.
func (g *graph) edges(d *decl, loose bool, visit func(*decl)) {
	see := func(x *decl) {
		if x != d {
			visit(x)
		}
	}
	for name := range d.refs.names {
		for _, x := range d.lookup(name) {
			see(x)
			if loose && d.refs.bare[name] && x.what == isImport {
				g.whole(d.file, x.imp, see)
			}
		}
		if d.what == isShared || d.what == isSuite || d.what == isGroup {
			for _, x := range d.scope[name] {
				see(x)
			}
		}
	}
	for _, n := range []string{d.target} {
		if n != "" {
			for _, x := range d.lookup(n) {
				see(x)
			}
		}
	}
	if d.owner != nil {
		see(d.owner)
	}
	if d.what == isShared || d.what != isTest && d.inShared() {
		for _, x := range d.members {
			see(x)
		}
	}
	for _, n := range d.names {
		// What is attached to a name goes with it, and so does each of its declarations.
		for _, x := range d.lookup(n) {
			see(x)
		}
		for _, x := range d.file.top {
			if d.owner == nil && x.what == isAttach && x.target == n {
				see(x)
			}
		}
	}
	if d.what == isImport {
		g.imported(d.file, d.imp, false, see)
		for _, x := range d.file.decls {
			if x.what == isMock && x.imp.module == d.imp.module {
				see(x)
			}
		}
	}
	for _, i := range d.refs.modules {
		g.imported(d.file, i, loose, see)
	}
	g.behind(d, see)
}

// behind visits what d names behind the name of a helper module: h.make.
func (g *graph) behind(d *decl, visit func(*decl)) {
	for dotted := range d.refs.dotted {
		module, rest, _ := cutFirst(dotted)
		name, _, _ := cutFirst(rest)
		for _, x := range d.lookup(module) {
			if x.what != isImport || x.imp.name != "" && x.imp.name != "default" {
				continue
			}
			if f, ok := g.layout.find(d.file.path, x.imp.module); ok && g.files[f] != nil && g.files[f] != d.file {
				g.given(g.files[f], name, 0, visit)
			}
		}
	}
}

func cutFirst(dotted string) (first, rest string, ok bool) {
	for i := range len(dotted) {
		if dotted[i] == '.' {
			return dotted[:i], dotted[i+1:], true
		}
	}
	return dotted, "", false
}

// imported visits the declaration that an import takes from another check file.
func (g *graph) imported(s *source, i imported, loose bool, visit func(*decl)) {
	f, ok := g.layout.find(s.path, i.module)
	if !ok || g.files[f] == nil || f == s.path {
		return
	}
	o := g.files[f]
	switch {
	case i.name != "" && i.name != "*" && !(i.name == "default" && len(o.exports["default"]) == 0):
		g.given(o, i.name, 0, visit)
	case loose:
		g.whole(s, i, visit)
	default: // the module itself
		for _, d := range o.decls {
			if d.what == isExport && d.exp.name == "" {
				visit(d)
			}
		}
	}
}

// whole visits all of a check file that an import binds as one value.
func (g *graph) whole(s *source, i imported, visit func(*decl)) {
	f, ok := g.layout.find(s.path, i.module)
	o := g.files[f]
	if !ok || o == nil || f == s.path || i.name != "" && i.name != "*" && (i.name != "default" || len(o.exports["default"]) > 0) {
		return
	}
	for _, d := range o.decls {
		if d.what != isTest {
			visit(d)
		}
	}
}

// given visits the declarations of what a file gives away under a name.
func (g *graph) given(s *source, name string, depth int, visit func(*decl)) {
	if depth > 8 {
		return
	}
	found := false
	for _, d := range s.decls {
		if d.what == isExport && d.exp.name == name && (d.exp.node != nil) {
			found = true
			visit(d)
		}
	}
	for _, e := range s.exports[name] {
		if e.local != "" {
			for _, d := range s.scope[e.local] {
				found = true
				visit(d)
			}
		}
	}
	if found {
		return
	}
	for _, e := range s.exports["*"] {
		if f, ok := g.layout.find(s.path, e.module); ok && g.files[f] != nil && g.files[f] != s {
			g.given(g.files[f], name, depth+1, visit)
		}
	}
}
