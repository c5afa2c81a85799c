package python

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/closure"
)

const maxLinked = 400 // check files read together

// A graph links the declarations of check files: a test to its fixtures in its file and in the
// conftest.py files above, to its helpers, constants and imports, and through imports to the
// helper modules among the check files.
type graph struct {
	t       lang.Files
	layout  *layout
	files   map[string]*source
	order   []string
	confs   map[string][]string
	passive map[*decl]bool // members that are there because their class is
}

func newGraph(t lang.Files) *graph {
	return &graph{t: t, layout: newLayout(t.Paths()), files: map[string]*source{}, confs: map[string][]string{}, passive: map[*decl]bool{}}
}

// load reads p with the conftest.py files above it and the check files that it imports.
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
	g.confs[p] = conftests(g.t, p)
	next := slices.Clone(g.confs[p])
	for _, i := range s.imps {
		if f, _, ok := g.layout.target(p, i); ok && kind(f) == model.CheckFile {
			next = append(next, f)
		}
	}
	for _, n := range next {
		if len(g.files) < maxLinked {
			// A helper that does not parse is none of the file's own faults.
			if _, err := g.load(n); err != nil {
				continue
			}
		}
	}
	return s, nil
}

// edges calls visit for what d uses. In the strict reading a name counts where nothing inside d
// binds it; in the loose one every name, attribute and string counts. What goes is found by the
// strict reading, what stays by the loose one.
func (g *graph) edges(d *decl, loose bool, visit func(*decl)) {
	for n := range d.refs.names {
		if loose || d.refs.free(n) {
			g.name(d, n, visit)
		}
	}
	for _, f := range d.refs.fixtures {
		g.fixture(d, f, visit)
	}
	for w := range d.refs.words {
		if !strings.Contains(w, ".") {
			g.fixture(d, w, visit)
		}
		if loose {
			g.name(d, w[strings.LastIndexByte(w, '.')+1:], visit)
		}
	}
	g.attributes(d, loose, visit)
	if d.what == isImport {
		g.imported(d.file, d.imp, loose, visit)
	}
	for _, i := range d.refs.imports {
		g.imported(d.file, i, loose, visit)
	}
	if d.owner != nil {
		visit(d.owner)
	}
	for _, m := range d.members {
		if g.passive[m] {
			visit(m)
		}
	}
}

// name visits what a name in d can be: a member of the classes around it, or of the module.
func (g *graph) name(d *decl, n string, visit func(*decl)) {
	for o := d.owner; o != nil; o = o.owner {
		for _, m := range o.members {
			if slices.Contains(m.names, n) && m != d && m.what != isTest {
				visit(m)
			}
		}
	}
	g.top(d.file, n, func(x *decl) {
		if x != d {
			visit(x)
		}
	})
}

// top visits the module-level declarations of a name, through star imports too.
func (g *graph) top(s *source, n string, visit func(*decl)) {
	for _, x := range s.top[n] {
		visit(x)
	}
	if len(s.top[n]) > 0 {
		return
	}
	for _, star := range s.stars {
		if f, _, ok := g.layout.target(s.path, star); ok && g.files[f] != nil && g.files[f] != s {
			for _, x := range g.files[f].top[n] {
				visit(x)
			}
		}
	}
}

// fixture visits the fixture that d asks for by name: the nearest of class, module, and the
// conftest.py files; a fixture that overrides another of its name asks for that one.
func (g *graph) fixture(d *decl, name string, visit func(*decl)) {
	found := false
	try := func(x *decl) {
		if x != d && (x.fixture == name || x.what == isImport && x.imp.bound() == name) {
			found = true
			visit(x)
		}
	}
	for o := d.owner; o != nil; o = o.owner {
		for _, m := range o.members {
			try(m)
		}
	}
	for _, p := range append([]string{d.file.path}, g.confs[d.file.path]...) {
		if s := g.files[p]; s != nil && !found {
			for _, x := range s.decls {
				if x.owner == nil {
					try(x)
				}
			}
		}
	}
}

// attributes visits members of classes of tests by the name after a dot, and declarations of
// helper modules behind their module's name.
func (g *graph) attributes(d *decl, loose bool, visit func(*decl)) {
	for a := range d.refs.attrs {
		visitInner(d, d.file, a, visit)
		if loose {
			for _, s := range g.files {
				visitInner(d, s, a, visit)
			}
		}
	}
	for dotted := range d.refs.dotted {
		module, name, _ := cutLast(dotted)
		for _, i := range d.file.imps {
			whole := i.bound()
			if i.alias == "" && i.name == "" {
				whole = i.module
			}
			if i.name == "*" || module != whole {
				continue
			}
			if f, n, ok := g.layout.target(d.file.path, i); ok && n == "" && g.files[f] != nil {
				g.top(g.files[f], name, visit)
			}
		}
	}
}

// visitInner visits the members of that name in classes of tests.
func visitInner(d *decl, s *source, name string, visit func(*decl)) {
	for _, m := range s.inner[name] {
		if m != d && m.what != isTest {
			visit(m)
		}
	}
}

func cutLast(dotted string) (before, last string, ok bool) {
	i := strings.LastIndexByte(dotted, '.')
	if i < 0 {
		return "", dotted, false
	}
	return dotted[:i], dotted[i+1:], true
}

// imported visits the declaration that an import takes from another check file.
func (g *graph) imported(s *source, i imported, loose bool, visit func(*decl)) {
	f, name, ok := g.layout.target(s.path, i)
	if !ok || g.files[f] == nil || f == s.path {
		return
	}
	switch {
	case name != "":
		g.top(g.files[f], name, visit)
	case loose: // the module itself is handed around
		for _, d := range g.files[f].decls {
			if d.what != isTest {
				visit(d)
			}
		}
	}
}

// reach is everything that starts use, themselves included.
func (g *graph) reach(starts []*decl, loose bool) map[*decl]bool {
	return closure.Reach(starts, func(d *decl, visit func(*decl)) { g.edges(d, loose, visit) })
}
