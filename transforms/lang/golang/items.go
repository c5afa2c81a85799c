package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taskmill/taskmill/transforms/lang"
)

// An item is the smallest piece of a check file that is kept or removed as one: a function, a
// spec of a type, var or const declaration, or a whole const declaration whose values depend
// on their order.
type item struct {
	src      *source
	node     ast.Node     // FuncDecl, spec, or the GenDecl itself
	group    *ast.GenDecl // that holds the spec
	names    []string     // declared at package level
	receiver string       // of a method: the name of its type
	pinned   bool         // runs or holds by itself: a test, init, TestMain, var _
	refs     *references
	users    []*item
	uses     []*item
}

// A testPackage is all check files of one folder: the internal and the external test package,
// with what each item uses.
type testPackage struct {
	unit    string
	dir     string
	modules []root
	sources []*source
	items   []*item
	own     map[string]bool // names that the production files declare at package level
}

// load parses the check files of a folder and links their items.
func load(t lang.Files, dir string) (*testPackage, error) {
	l, err := layoutOf(t)
	if err != nil {
		return nil, err
	}
	p := &testPackage{dir: dir, modules: l.modules, own: map[string]bool{}}
	p.unit, _ = unitOf(t, dir)
	for _, f := range l.folders[dir] {
		if !runs(f) {
			p.declared(t, f)
			continue
		}
		s, err := parse(t, f)
		if err != nil {
			return nil, err
		}
		p.sources = append(p.sources, s)
		p.items = append(p.items, itemsOf(s)...)
	}
	p.nameImports(l)
	p.link()
	return p, nil
}

// declared notes what a production file declares. One that does not parse declares nothing.
func (p *testPackage) declared(t lang.Files, f string) {
	s, err := parse(t, f)
	if err != nil {
		return
	}
	for _, i := range itemsOf(s) {
		for _, n := range i.names {
			if i.receiver == "" {
				p.own[n] = true
			}
		}
	}
}

func itemsOf(s *source) []*item {
	var out []*item
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			i := &item{src: s, node: d, names: []string{d.Name.Name}, refs: collect(s.file, d)}
			if d.Recv != nil && len(d.Recv.List) > 0 {
				i.receiver = receiver(d.Recv.List[0].Type)
			} else {
				i.pinned = d.Name.Name == "init" || d.Name.Name == "_" || d.Name.Name == "TestMain" || entry(d.Name.Name)
			}
			out = append(out, i)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			if d.Tok == token.CONST && ordered(d) {
				i := &item{src: s, node: d, refs: collect(s.file, d)}
				for _, spec := range d.Specs {
					i.names = append(i.names, specNames(spec)...)
				}
				i.pinned = blank(i.names)
				out = append(out, i)
				continue
			}
			for _, spec := range d.Specs {
				i := &item{src: s, node: spec, group: d, names: specNames(spec), refs: collect(s.file, spec)}
				i.pinned = blank(i.names)
				out = append(out, i)
			}
		}
	}
	return out
}

// entry reports whether go test runs a function of this name by itself.
func entry(name string) bool {
	return isTest(name, "Test") || isTest(name, "Fuzz") || isTest(name, "Example") || isTest(name, "Benchmark")
}

// isTest is the rule of the go command: the prefix, and no lower-case letter behind it.
func isTest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

func blank(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return n != "_" })
}

func specNames(spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ValueSpec:
		var out []string
		for _, n := range s.Names {
			out = append(out, n.Name)
		}
		return out
	}
	return nil
}

// ordered reports whether the values of a const declaration depend on the specs around them.
func ordered(d *ast.GenDecl) bool {
	found := false
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Values) == 0 {
			return true
		}
		ast.Inspect(v, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
				found = true
			}
			return !found
		})
	}
	return found
}

// receiver is the type name of a method's receiver: *T[K] gives T.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

// nameImports finds out how each file calls its imports.
func (p *testPackage) nameImports(t *layout) {
	for _, s := range p.sources {
		declared := map[string]bool{}
		for _, i := range p.items {
			if i.src.pkg == s.pkg && i.receiver == "" {
				for _, n := range i.names {
					declared[n] = true
				}
			}
		}
		q := map[string]bool{}
		for _, i := range p.items {
			if i.src != s {
				continue
			}
			for n := range i.refs.qualifiers {
				if !declared[n] && !(p.own[n] && !s.external()) {
					q[n] = true
				}
			}
		}
		s.name(t, q)
	}
}

// link finds what each item uses. Methods of a type of the check files belong to it; a method
// that a check file gives to a production type is used by whoever selects its name.
func (p *testPackage) link() {
	type key struct{ pkg, name string }
	declares := map[key][]*item{}
	methods := map[string][]*item{}
	for _, i := range p.items {
		if i.receiver == "" {
			for _, n := range i.names {
				declares[key{i.src.pkg, n}] = append(declares[key{i.src.pkg, n}], i)
			}
		}
	}
	for _, i := range p.items {
		if i.receiver == "" {
			continue
		}
		owners := declares[key{i.src.pkg, i.receiver}]
		for _, o := range owners {
			join(o, i)
		}
		if len(owners) == 0 {
			methods[i.names[0]] = append(methods[i.names[0]], i)
		}
	}
	for _, i := range p.items {
		for n := range i.refs.names {
			join(i, declares[key{i.src.pkg, n}]...)
			if i.src.dots(p.unit) {
				join(i, declares[key{strings.TrimSuffix(i.src.pkg, "_test"), n}]...)
			}
		}
		for x := range i.refs.selected {
			if i.src.external() && i.src.importPath(x[0]) == p.unit {
				join(i, declares[key{strings.TrimSuffix(i.src.pkg, "_test"), x[1]}]...)
			}
			join(i, methods[x[1]]...)
		}
		for m := range i.refs.members {
			join(i, methods[m]...)
		}
	}
}

func join(user *item, used ...*item) {
	for _, u := range used {
		if u != user && !slices.Contains(user.uses, u) {
			user.uses = append(user.uses, u)
			u.users = append(u.users, user)
		}
	}
}

// dots reports whether the file imports the package at p with a dot.
func (s *source) dots(p string) bool {
	return slices.ContainsFunc(s.imports, func(i *importing) bool { return i.name == "." && i.path == p })
}

// importPath is the path of the import that the file calls name; "" where there is none.
func (s *source) importPath(name string) string {
	for _, i := range s.imports {
		if i.name == name {
			return i.path
		}
	}
	return ""
}

// reach is the set of items that from use, directly or not, themselves included.
func reach(from []*item) map[*item]bool {
	seen := map[*item]bool{}
	for todo := slices.Clone(from); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[i] {
			seen[i] = true
			todo = append(todo, i.uses...)
		}
	}
	return seen
}
