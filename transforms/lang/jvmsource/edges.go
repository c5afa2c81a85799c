package jvmsource

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// edges calls visit for what d uses. In the strict reading a name counts where nothing inside d
// binds it, and a member where its receiver is known or could be any; in the loose one every
// name and string counts. What goes is found by the strict reading, what stays by the loose one.
func (g *graph) edges(d *decl, loose bool, visit func(*decl)) {
	r := d.refs
	each := visit
	visit = func(x *decl) {
		if x != d && (x.file == d.file || !x.has("private")) {
			each(x)
		}
	}
	see := func(found []*decl) {
		for _, x := range found {
			visit(x)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.names)) {
		if loose || !r.locals[n] {
			found, outside := g.lookup(d, n, false, func(x *decl) bool { return x.what != isMethod && x.what != isConstructor })
			see(found)
			if len(found) == 0 && !outside && d.file.kotlin && !r.locals[n] {
				g.unknown(d, n, nil, visit)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.calls)) {
		if d.file.kotlin && r.locals[n] && !loose {
			continue
		}
		found, outside := g.lookup(d, n, loose && d.file.kotlin, func(x *decl) bool { return (x.what == isMethod || d.file.kotlin) && x.takes(r.calls[n]) })
		see(found)
		if len(found) == 0 && !outside && d.file.kotlin {
			g.unknown(d, n, r.calls[n], visit)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.self)) {
		for o := d; o != nil; o = o.owner {
			if o.what == isType {
				see(keep(g.membersOf(o, n), r.self[n]))
				break
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.dotted)) {
		g.dotted(d, n, r.dotted[n], visit)
	}
	for _, n := range slices.Sorted(maps.Keys(r.members)) {
		g.unknown(d, n, r.members[n], visit)
	}
	for _, w := range slices.Sorted(maps.Keys(r.words)) {
		if loose || len(d.annotations) > 0 {
			found, _ := g.lookup(d, w, loose, func(x *decl) bool { return loose || x.what != isType || annotatedWith(d, w) })
			see(found)
			if len(found) == 0 && !r.locals[w] {
				g.unknown(d, w, []int{anyArity}, visit)
			}
		}
	}
	g.structure(d, visit)
}

// annotatedWith reports whether a word stands in the arguments of an annotation of d.
func annotatedWith(d *decl, word string) bool {
	return slices.ContainsFunc(d.annotations, func(a annotation) bool { return strings.Contains(a.text, word) })
}

func keep(found []*decl, arities []int) []*decl {
	return slices.DeleteFunc(slices.Clone(found), func(x *decl) bool { return !x.takes(arities) })
}

// structure visits what d needs by its place: the type around it, what a type cannot be without,
// overrides of a method, and the provider that a test without a name for it means.
func (g *graph) structure(d *decl, visit func(*decl)) {
	if d.owner != nil {
		visit(d.owner)
	}
	for _, m := range d.members {
		if g.passive[m] || g.always(m) {
			visit(m)
		}
	}
	for _, c := range g.via[d] {
		visit(c)
	}
	if d.what != isMethod || d.owner == nil {
		return
	}
	// @MethodSource without a value means the factory of the test's name.
	for _, a := range d.annotations {
		if a.name == "MethodSource" && strings.Trim(a.text, "() \t\n") == "" {
			for _, x := range g.membersOf(d.owner, d.name()) {
				if x.what == isMethod && x.params == 0 {
					visit(x)
				}
			}
		}
	}
	for _, x := range g.inner[d.name()] {
		if x != d && x.what == isMethod && x.params == d.params && x.owner != d.owner && slices.Contains(g.lineage(x.owner), d.owner) {
			g.wanted[x] = true
		}
	}
}

// dotted visits what x.y.z may mean at d: members of a type of the check files where the first
// part is one or is a variable of one. A first part that comes from beyond the check files has
// no members here but Kotlin's extensions.
func (g *graph) dotted(d *decl, name string, arities []int, visit func(*decl)) {
	i := strings.LastIndexByte(name, '.')
	owner, member := name[:i], name[i+1:]
	first, _, deep := strings.Cut(owner, ".")
	if !deep {
		types, outside := g.typesOf(d, first)
		for _, t := range types {
			for _, m := range keep(g.membersOf(t, member), arities) {
				visit(m)
			}
		}
		if len(types) > 0 || outside {
			g.extensions(d, member, visit)
			return
		}
	} else if types := g.typeNamed(d, owner); len(types) > 0 {
		for _, t := range types {
			for _, m := range keep(g.membersOf(t, member), arities) {
				visit(m)
			}
		}
		return
	}
	if found, ok := g.byPath(name); ok && unicode.IsLower([]rune(name + " ")[0]) && !d.refs.locals[first] {
		for _, x := range found {
			visit(x)
		}
		return
	}
	g.unknown(d, member, arities, visit)
}

// typesOf are the types of the check files that a receiver's name means at d: a type itself, or
// the declared type of a variable. outside tells that it is of a type beyond them.
func (g *graph) typesOf(d *decl, name string) (types []*decl, outside bool) {
	of := func(at *decl, typ string) ([]*decl, bool) {
		if typ == "" {
			return nil, false
		}
		found := g.typeNamed(at, typ)
		return found, len(found) == 0
	}
	if typ, ok := d.refs.types[name]; ok {
		return of(d, typ)
	}
	found, outside := g.lookup(d, name, false, func(x *decl) bool { return x.what == isType || x.what == isField })
	for _, x := range found {
		if x.what == isType {
			types = append(types, x)
			continue
		}
		t, out := of(x, x.typ)
		types = append(types, t...)
		outside = outside || out
	}
	if len(found) == 0 && !outside && !d.file.kotlin && unicode.IsUpper([]rune(name + " ")[0]) {
		outside = true // a class of the same package, or of a star import
	}
	return types, outside
}

// unknown wants the members of a name of any type: their receiver is not known. Members of
// classes of tests are left out where d does not name the class; nobody hands such objects round.
func (g *graph) unknown(d *decl, name string, arities []int, visit func(*decl)) {
	for _, m := range g.inner[name] {
		if m == d || arities != nil && !m.takes(arities) || m.what == isConstructor {
			continue
		}
		if m.has("private") && !sameTop(m, d) || !sameTop(m, d) && g.fixture(m.owner) && !d.refs.mentions(m.owner.name()) {
			continue
		}
		if sameTop(m, d) && g.fixture(m.owner) && m.what == isMethod && !d.file.kotlin {
			continue // behind this, or bare
		}
		g.wanted[m] = true
	}
	g.extensions(d, name, visit)
}

func sameTop(a, b *decl) bool { return a.outermost() == b.outermost() }

func (d *decl) outermost() *decl {
	for d.owner != nil {
		d = d.owner
	}
	return d
}

// extensions visits Kotlin's extensions of a name.
func (g *graph) extensions(d *decl, name string, visit func(*decl)) {
	if !d.file.kotlin {
		return
	}
	found, _ := g.lookup(d, name, true, func(x *decl) bool { return x.receiver != "" })
	for _, x := range found {
		if x != d {
			visit(x)
		}
	}
}
