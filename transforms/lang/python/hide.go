package python

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Hide removes test functions and, by closure, what only they used: imports, helpers, fixtures,
// constants and parameter tables of their files, of the conftest.py files above them and of
// helper modules among the check files; then classes and files that are left empty, snapshot
// entries, and data files that only removed code names. Hooks (pytest_*), autouse fixtures,
// dunder names and what nothing used before stay. A test that a class inherits goes with its
// base's.
func (Language) Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	g := newGraph(t)
	want := map[string]map[string]bool{}
	for _, h := range hidden {
		if want[h.Path] == nil {
			want[h.Path] = map[string]bool{}
		}
		want[h.Path][h.Function] = true
	}
	r := &removal{g: g, hidden: map[*decl]bool{}, doomed: map[*source]bool{}}
	for _, p := range slices.Sorted(keysOf(want)) {
		if _, ok, err := t.Read(p); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		s, err := g.load(p)
		if err != nil {
			return nil, err
		}
		r.mark(s, want[p])
	}
	if len(r.hidden) == 0 {
		return nil, nil
	}
	r.outside = newOutside(t, g)
	r.doom(want)
	gone := r.closure()
	changes, err := r.write(gone)
	if err != nil {
		return nil, err
	}
	changes = append(changes, r.data(gone, changes)...)
	slices.SortFunc(changes, func(a, b model.TreeChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// A removal is one closure over a graph.
type removal struct {
	g       *graph
	hidden  map[*decl]bool
	doomed  map[*source]bool // files that go whole
	outside *outside
}

func (r *removal) mark(s *source, functions map[string]bool) {
	for _, c := range s.tests() {
		if functions[c.function] {
			r.hidden[c.decl] = true
			// An earlier definition of the same name never ran.
			for _, d := range s.decls {
				if d.what == isTest && d.test == c.decl.test {
					r.hidden[d] = true
				}
			}
		}
	}
}

// doom finds the files whose tests are all hidden and that nothing else uses.
func (r *removal) doom(want map[string]map[string]bool) {
	for p := range want {
		s := r.g.files[p]
		if s == nil || !s.unit() {
			continue
		}
		left := slices.ContainsFunc(s.tests(), func(c titled) bool { return !r.hidden[c.decl] })
		for _, o := range r.g.files {
			for _, i := range o.imps {
				if f, _, ok := r.g.layout.target(o.path, i); ok && f == p && o != s {
					left = true
				}
			}
		}
		if !left && !r.outside.names(p) {
			r.doomed[s] = true
		}
	}
}

// closure is what goes: all that hidden tests reach and nothing that stays does.
func (r *removal) closure() map[*decl]bool {
	g := r.g
	var starts []*decl
	for _, p := range g.order {
		for _, d := range g.files[p].decls {
			if r.hidden[d] || r.doomed[d.file] {
				starts = append(starts, d)
			}
		}
	}
	byName := g.reach(starts, false)
	for _, p := range g.order {
		for _, d := range g.files[p].decls {
			// What a class of tests has beside its tests, and what no hidden test names, is
			// there as long as the class is.
			if d.owner != nil && d.what != isTest && d.what != isClass && !byName[d] {
				g.passive[d] = true
			}
		}
	}
	reached := g.reach(starts, false)
	var stay []*decl
	for _, p := range g.order {
		for _, d := range g.files[p].decls {
			switch {
			case r.doomed[d.file] || r.hidden[d]:
			case g.passive[d] && !reached[d] && reached[d.owner]:
			case !reached[d], d.root && d.owner == nil, d.what == isTest, d.what == isAnchor && d.owner == nil, r.outside.uses(d):
				stay = append(stay, d)
			}
		}
	}
	kept := r.keep(stay)
	gone := map[*decl]bool{}
	for d := range reached {
		if !kept[d] {
			gone[d] = true
		}
	}
	for d := range r.hidden {
		gone[d] = true
	}
	return gone
}

// keep is what the staying declarations reach; hidden tests are never kept.
func (r *removal) keep(stay []*decl) map[*decl]bool {
	kept := r.g.reach(stay, true)
	for d := range kept {
		if r.hidden[d] || r.doomed[d.file] {
			delete(kept, d)
		}
	}
	return kept
}

// write renders the files that lose declarations.
func (r *removal) write(gone map[*decl]bool) ([]model.TreeChange, error) {
	var out []model.TreeChange
	for _, p := range r.g.order {
		s := r.g.files[p]
		if r.doomed[s] {
			out = append(out, model.TreeChange{Path: p, Delete: true})
			continue
		}
		data := s.without(gone)
		if bytes.Equal(data, s.src) {
			continue
		}
		rest, err := cut(p, data)
		if err != nil {
			return nil, err
		}
		if len(rest.decls) == 0 && path.Base(p) != "__init__.py" {
			out = append(out, model.TreeChange{Path: p, Delete: true})
			continue
		}
		f, _, err := r.g.t.Read(p)
		if err != nil {
			return nil, err
		}
		out = append(out, model.TreeChange{Path: p, Mode: f.Mode, Data: data})
	}
	return out, nil
}
