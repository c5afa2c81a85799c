package ecma

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/closure"
)

// Hide removes tests and, by closure, what only they used: imports, helpers, constants and types
// of their files and of the helper modules among the check files; then suites, loops, functions
// and files that are left without tests, snapshot entries, and data files that only removed code
// names. Hooks of suites that keep a test, statements that declare nothing, and what nothing used
// before stay. A test in a loop or function goes for all its rounds and calls. Bytes outside of
// what goes are not touched. A file with a syntax error is an error.
func (d Dialect) Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	want := map[string]map[string]bool{}
	for _, h := range hidden {
		if want[h.Path] == nil {
			want[h.Path] = map[string]bool{}
		}
		want[h.Path][h.Function] = true
	}
	r := &removal{g: newGraph(t, d), hidden: map[*decl]bool{}, doomed: map[*source]bool{}}
	for _, p := range sorted(want) {
		if _, ok, err := t.Read(p); err != nil {
			return nil, err
		} else if !ok || !isSource(p) {
			continue
		}
		s, err := r.g.load(p)
		if err != nil {
			return nil, err
		}
		r.mark(s, want[p])
	}
	if len(r.hidden) == 0 {
		return nil, nil
	}
	r.outside = newOutside(r.g)
	r.doom(sorted(want))
	r.empty()
	gone := r.closure()
	changes, err := r.write(gone)
	if err != nil {
		return nil, err
	}
	if changes, err = r.data(gone, changes); err != nil {
		return nil, err
	}
	slices.SortFunc(changes, func(a, b model.TreeChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// A removal is one closure over a graph.
type removal struct {
	g       *graph
	hidden  map[*decl]bool   // tests, and what is left without tests
	doomed  map[*source]bool // files that go whole
	outside *outside
}

// mark hides the tests of a file by their names; all tests, as they are on the tree, of one call.
func (r *removal) mark(s *source, functions map[string]bool) {
	for _, c := range s.tests() {
		if functions[c.function] {
			r.hidden[c.at] = true
		}
	}
}

// alive reports whether d registers a test that stays, and whether it registered any before.
func (r *removal) alive(d *decl, depth int) (alive, had bool) {
	if depth > 64 {
		return true, true
	}
	below := func(ds []*decl) {
		for _, m := range ds {
			if m.what == isShared {
				continue // its calls tell
			}
			a, h := r.alive(m, depth+1)
			alive, had = alive || a, had || h
		}
	}
	if r.hidden[d] {
		return false, true
	}
	switch d.what {
	case isTest:
		return true, true
	case isSuite, isGroup, isShared:
		below(d.members)
		if f := d.called(); f != nil {
			below(f.members)
		}
	case isCall:
		if f := d.called(); f != nil {
			below(f.members)
		}
	case isAnchor:
		if r.registers(d) {
			return true, true
		}
	}
	return alive, had
}

// registers reports whether a call is of a function of another check file that holds tests.
func (r *removal) registers(d *decl) bool {
	if d.target == "" {
		return false
	}
	for _, x := range d.lookup(d.target) {
		if x.what != isImport {
			continue
		}
		if f, ok := r.g.layout.find(d.file.path, x.imp.module); ok && r.g.files[f] != nil && r.g.files[f].tested() {
			return true
		}
	}
	return false
}

// doom finds the files whose tests are all hidden and that nothing else uses.
func (r *removal) doom(paths []string) {
	for _, p := range paths {
		s := r.g.files[p]
		if s == nil {
			continue
		}
		left, had := false, false
		for _, d := range s.top {
			if d.what == isShared {
				continue // its calls tell
			}
			a, h := r.alive(d, 0)
			left, had = left || a, had || h
		}
		if left || !had || r.imported(p) || r.outside.names(p) {
			continue
		}
		r.doomed[s] = true
	}
}

// imported reports whether another file of the graph takes something from p.
func (r *removal) imported(p string) bool {
	for _, o := range r.g.files {
		if o.path == p {
			continue
		}
		for _, i := range r.g.modules(o) {
			if f, ok := r.g.layout.find(o.path, i.module); ok && f == p {
				return true
			}
		}
	}
	return false
}

// empty hides what is left without tests, with all that it holds.
func (r *removal) empty() {
	var all func(d *decl)
	all = func(d *decl) {
		r.hidden[d] = true
		for _, m := range d.members {
			all(m)
		}
	}
	for _, p := range r.g.order {
		s := r.g.files[p]
		for _, d := range s.decls {
			if r.doomed[s] {
				r.hidden[d] = true
				continue
			}
			switch d.what {
			case isSuite, isGroup, isShared, isCall:
				if r.hidden[d] {
					all(d)
				} else if a, had := r.alive(d, 0); had && !a {
					all(d)
				}
			}
		}
	}
}

// closure is what goes: all that hidden tests reach and nothing that stays does.
func (r *removal) closure() map[*decl]bool {
	var every, hidden []*decl
	for _, p := range r.g.order {
		for _, d := range r.g.files[p].decls {
			every = append(every, d)
			if r.hidden[d] {
				hidden = append(hidden, d)
			}
		}
	}
	stays := func(d *decl) bool {
		switch d.what {
		case isTest, isSuite, isGroup, isCall, isHook, isAnchor:
			return !d.inShared() // the function's calls keep it
		}
		return r.outside.uses(d)
	}
	gone := closure.Reach(hidden, func(d *decl, visit func(*decl)) { r.g.edges(d, false, visit) })
	var stay []*decl
	for _, d := range every {
		if !r.hidden[d] && (!gone[d] || stays(d)) {
			stay = append(stay, d)
		}
	}
	for d := range closure.Reach(stay, func(d *decl, visit func(*decl)) {
		r.g.edges(d, true, func(x *decl) {
			if !r.hidden[x] {
				visit(x)
			}
		})
	}) {
		delete(gone, d)
	}
	return gone
}

// inShared reports whether d stands in a function that holds tests.
func (d *decl) inShared() bool {
	for o := d.owner; o != nil; o = o.owner {
		if o.what == isShared {
			return true
		}
	}
	return false
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
			return nil, fmt.Errorf("hide tests: what is left does not parse: %w", err)
		}
		if len(rest.decls) == 0 {
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
