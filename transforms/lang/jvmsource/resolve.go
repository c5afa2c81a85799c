package jvmsource

import (
	"slices"
	"strings"
)

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
