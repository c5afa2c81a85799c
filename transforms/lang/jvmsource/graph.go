package jvmsource

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/closure"
)

const maxLinked = 600 // check files read together

// A graph links the declarations of check files, read as names lead to them.
type graph struct {
	t        lang.Files
	layout   *layout
	files    map[string]*source
	order    []string
	broken   map[string]error
	passive  map[*decl]bool    // members that are there because their type is
	via      map[*decl][]*decl // of a hidden test: the classes that inherit it
	fixtures map[*decl]bool
	inner    map[string][]*decl // members of the files read, by name
	known    map[*decl]map[string][]*decl
	wanted   map[*decl]bool // members whose receiver is not known, of the reach that runs
}

func newGraph(t lang.Files) *graph {
	return &graph{t: t, layout: newLayout(t), files: map[string]*source{}, broken: map[string]error{}, passive: map[*decl]bool{},
		via: map[*decl][]*decl{}, fixtures: map[*decl]bool{}, inner: map[string][]*decl{}, known: map[*decl]map[string][]*decl{}, wanted: map[*decl]bool{}}
}

// load reads a check file once.
func (g *graph) load(p string) (*source, error) {
	if s, ok := g.files[p]; ok {
		return s, nil
	}
	if err, ok := g.broken[p]; ok {
		return nil, err
	}
	s, err := readSource(g.t, p)
	if err != nil {
		g.broken[p] = err
		return nil, err
	}
	g.files[p] = s
	g.order = append(g.order, p)
	for _, d := range s.decls {
		if d.owner != nil {
			for _, n := range d.names {
				g.inner[n] = append(g.inner[n], d)
			}
		}
	}
	return s, nil
}

// declared are the top-level declarations of a name in a package of the check files.
func (g *graph) declared(pkg, name string) []*decl {
	var out []*decl
	for _, p := range g.layout.find(pkg, name) {
		if g.files[p] == nil && len(g.files) >= maxLinked {
			continue
		}
		s, err := g.load(p)
		if err != nil || s.pkg != pkg {
			continue // a file that does not parse declares nothing that could go
		}
		out = append(out, s.named(name)...)
	}
	return out
}

// named are the top-level declarations of a name in a file.
func (s *source) named(name string) []*decl {
	var out []*decl
	for _, d := range s.top {
		if slices.Contains(d.names, name) {
			out = append(out, d)
		}
	}
	return out
}

// byPath are the declarations of a.b.C, a.b.C.D or a.b.C.member; known tells whether the check
// files have its beginning.
func (g *graph) byPath(dotted string) (out []*decl, known bool) {
	parts := strings.Split(dotted, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		found := g.declared(strings.Join(parts[:i], "."), parts[i])
		if len(found) == 0 {
			continue
		}
		for _, n := range parts[i+1:] {
			var next []*decl
			for _, d := range found {
				if d.what == isType {
					next = append(next, g.membersOf(d, n)...)
				}
			}
			found = next
		}
		return found, true
	}
	return nil, false
}

// membersOf are the members of a name that a type has, inherits from check files, or holds in
// its companion.
func (g *graph) membersOf(t *decl, name string) []*decl {
	if found, ok := g.known[t][name]; ok {
		return found
	}
	if g.known[t] == nil {
		g.known[t] = map[string][]*decl{}
	}
	g.known[t][name] = nil // while it is looked for
	var out []*decl
	for _, x := range g.lineage(t) {
		for _, m := range x.members {
			if slices.Contains(m.names, name) {
				out = append(out, m)
			}
			if m.flavor == "companion" {
				for _, c := range m.members {
					if slices.Contains(c.names, name) {
						out = append(out, c)
					}
				}
			}
		}
	}
	g.known[t][name] = out
	return out
}

// A level is what one scope declares under a name; outside tells that the name is known to come
// from beyond the check files.
type level struct {
	found   []*decl
	outside bool
}

// scopes calls visit for each scope around d that may declare name, the innermost first, until
// it returns false.
func (g *graph) scopes(d *decl, name string, visit func(level) bool) {
	for o := d; o != nil; o = o.owner {
		if o.what != isType {
			continue
		}
		found := g.membersOf(o, name)
		if o.name() == name {
			found = append(slices.Clone(found), o)
		}
		if len(found) > 0 && !visit(level{found: found}) {
			return
		}
	}
	s := d.file
	if found := s.named(name); len(found) > 0 && !visit(level{found: found}) {
		return
	}
	for _, i := range s.imports {
		if i.bound() == name {
			found, _ := g.byPath(i.path)
			if !visit(level{found: found, outside: len(found) == 0}) {
				return
			}
		}
	}
	if found := g.declared(s.pkg, name); len(found) > 0 && !visit(level{found: found}) {
		return
	}
	for _, i := range s.imports {
		if i.star {
			if found, _ := g.byPath(i.path + "." + name); len(found) > 0 && !visit(level{found: found}) {
				return
			}
		}
	}
}

// lookup are the declarations that a name may mean at d: of the innermost scope that has some
// which fit, or of every scope.
func (g *graph) lookup(d *decl, name string, every bool, fits func(*decl) bool) (out []*decl, outside bool) {
	g.scopes(d, name, func(l level) bool {
		for _, x := range l.found {
			if fits(x) {
				out = append(out, x)
			}
		}
		outside = outside || l.outside && len(out) == 0
		return every || len(out) == 0 && !l.outside
	})
	return out, outside
}

// typeNamed are the types of the check files that a name, dotted or not, means at d.
func (g *graph) typeNamed(d *decl, name string) []*decl {
	first, rest, dotted := strings.Cut(name, ".")
	found, _ := g.lookup(d, first, false, func(x *decl) bool { return x.what == isType })
	if !dotted {
		return found
	}
	if len(found) == 0 {
		found, _ = g.byPath(name)
	} else {
		for n := range strings.SplitSeq(rest, ".") {
			var next []*decl
			for _, t := range found {
				next = append(next, g.membersOf(t, n)...)
			}
			found = next
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(x *decl) bool { return x.what != isType })
}

// takes reports whether a method can be called with a number of arguments; Kotlin's defaults may
// stand for some.
func (d *decl) takes(arities []int) bool {
	if d.what != isMethod || d.variadic || slices.Contains(arities, anyArity) || slices.Contains(arities, d.params) {
		return true
	}
	return d.file.kotlin && slices.ContainsFunc(arities, func(n int) bool { return n < d.params })
}

// reach is everything that starts use, themselves included. A member behind a receiver of unknown
// type is used only where something else leads to its type: code that holds a value has its type's
// name somewhere. Reading on finds more files, which may have members that a name means. So it
// is repeated until nothing is added.
func (g *graph) reach(starts []*decl, loose bool) map[*decl]bool {
	starts = slices.Clone(starts)
	for {
		n := len(g.files)
		g.wanted = map[*decl]bool{}
		out := closure.Reach(starts, func(d *decl, visit func(*decl)) { g.edges(d, loose, visit) })
		more := false
		for m := range g.wanted {
			if out[m.owner] && !out[m] {
				starts = append(starts, m)
				more = true
			}
		}
		if len(g.files) == n && !more {
			return out
		}
	}
}

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

// always reports whether a member is there as long as its type: constructors, initializers,
// hooks, overrides, and in types that are no classes of tests what reflection may reach.
func (g *graph) always(m *decl) bool {
	switch m.what {
	case isConstructor, isBlock:
		return m.owner != nil
	case isType:
		return m.flavor == "companion"
	case isAlias:
		return false
	}
	if m.owner == nil {
		return false
	}
	if m.shared && !g.declaresTest(m) || m.annotated(hookAnnotations...) || m.annotated("Override") || m.has("override") || m.has("operator") ||
		slices.Contains([]string{"setUp", "tearDown", "suite"}, m.name()) {
		return true
	}
	if g.fixture(m.owner) {
		return m.annotated("Mock", "Spy", "MockK", "MockBean") && slices.ContainsFunc(m.owner.members, func(x *decl) bool { return x.annotated("InjectMocks", "InjectMockKs") })
	}
	if m.has("private") || m.has("static") || m.owner.flavor == "object" || m.owner.flavor == "companion" {
		return false
	}
	if m.what == isField || len(m.annotations) > 0 || m.owner.flavor == "annotation" || m.owner.flavor == "interface" || m.owner.flavor == "record" {
		return true
	}
	return bean(m.name()) || !m.file.kotlin && len(m.owner.supers) > 0
}

// bean reports whether a method is named like an accessor.
func bean(name string) bool {
	for _, prefix := range []string{"get", "set", "is", "with"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && !unicode.IsLower([]rune(rest)[0]) {
			return true
		}
	}
	return slices.Contains([]string{"toString", "hashCode", "equals", "compareTo", "main", "close", "run", "call"}, name)
}
