package jvmsource

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Hide removes test functions and, by closure over the check files, what only they used: methods,
// fields, constants, nested types, method sources, imports, helper classes and files; then
// classes and files that are left empty, and data files that only removed code names. What a
// runner calls around tests stays as long as its class, and so does what nothing used before. A
// test that classes inherit goes with its base's where all of them hide it; else, and where code
// that stays calls a hidden test, the fault is tests_entangled. A file with a syntax error is not
// rewritten; that is an error.
//
// The bytes around what is removed stay as they are, but for blank lines that would meet.
func Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	r := &removal{g: newGraph(t), want: map[string]map[string]bool{}, hidden: map[*decl]bool{}, words: map[string]map[string]bool{}}
	for _, h := range hidden {
		if r.want[h.Path] == nil {
			r.want[h.Path] = map[string]bool{}
		}
		r.want[h.Path][h.Function] = true
	}
	if err := r.mark(); err != nil || len(r.hidden) == 0 {
		return nil, err
	}
	r.readUsers()
	if err := r.entangled(); err != nil {
		return nil, err
	}
	gone := r.gone()
	changes, err := r.write(gone)
	if err != nil {
		return nil, err
	}
	changes = append(changes, r.data(gone, changes)...)
	slices.SortFunc(changes, func(a, b model.TreeChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// A removal is one closure over a graph.
type removal struct {
	g      *graph
	want   map[string]map[string]bool // functions by path
	hidden map[*decl]bool
	words  map[string]map[string]bool // of the check files that are not read: their identifiers
}

// mark finds the declarations of the hidden test functions.
func (r *removal) mark() error {
	for _, p := range slices.Sorted(maps.Keys(r.want)) {
		if _, ok, err := r.g.t.Read(p); err != nil {
			return err
		} else if !ok || !Parsed(p) || !Test(p) {
			continue
		}
		s, err := r.g.load(p)
		if err != nil {
			return err
		}
		for _, d := range s.decls {
			for _, c := range r.g.tests(d) {
				if r.want[p][c.function] {
					r.hidden[c.method] = true
					if c.method.owner != d {
						r.g.via[c.method] = append(r.g.via[c.method], d)
					}
				}
			}
		}
	}
	return nil
}

func sorted(set map[*decl]bool) []*decl {
	return slices.SortedFunc(maps.Keys(set), func(a, b *decl) int {
		if c := strings.Compare(a.file.path, b.file.path); c != 0 {
			return c
		}
		return a.node.Start - b.node.Start
	})
}

// all are the declarations of the files read, in order.
func (r *removal) all() []*decl {
	var out []*decl
	for _, p := range slices.Sorted(slices.Values(r.g.order)) {
		out = append(out, r.g.files[p].decls...)
	}
	return out
}

// gone is what goes: all that hidden tests reach and nothing that stays does. A file that is left
// with nothing that runs, or that is used by what runs, goes whole.
func (r *removal) gone() map[*decl]bool {
	first := maps.Clone(r.hidden)
	for {
		gone := r.closure(first)
		n := len(first)
		live := r.live(gone)
		for _, p := range r.g.order {
			s := r.g.files[p]
			loses := slices.ContainsFunc(s.top, func(d *decl) bool { return gone[d] })
			if !loses || slices.ContainsFunc(s.decls, func(d *decl) bool { return !gone[d] && live[d] }) {
				continue
			}
			for _, d := range s.decls {
				first[d] = true
			}
		}
		if len(first) == n {
			return gone
		}
	}
}

// live is what the tests that stay use.
func (r *removal) live(gone map[*decl]bool) map[*decl]bool {
	var roots []*decl
	for _, d := range r.all() {
		if gone[d] {
			continue
		}
		if r.g.declaresTest(d) || r.keeps(d) || r.outside(d) {
			roots = append(roots, d)
			continue
		}
		// What a file without tests declares is used by what nobody here knows, if by nobody.
		if !slices.ContainsFunc(d.file.decls, func(x *decl) bool { return gone[x] }) {
			roots = append(roots, d)
		}
	}
	return r.g.reach(roots, true)
}

// keeps reports whether a class still has a test, its own or inherited.
func (r *removal) keeps(d *decl) bool {
	return d.what == isType && slices.ContainsFunc(r.g.tests(d), func(c testCase) bool { return !r.hidden[c.method] })
}

// closure is what goes with first: what it reaches by the strict reading, but what stays reaches
// by the loose one.
func (r *removal) closure(first map[*decl]bool) map[*decl]bool {
	starts := sorted(first)
	byName := r.g.reach(starts, false)
	all := r.all()
	for _, d := range all {
		// What a type has and no hidden test names is there as long as the type is.
		if d.owner != nil && !byName[d] && !r.g.declaresTest(d) {
			r.g.passive[d] = true
		}
	}
	gone := r.g.reach(starts, false)
	var stay []*decl
	for _, d := range all {
		if !first[d] && (!gone[d] || r.stays(d)) {
			stay = append(stay, d)
		}
	}
	for d := range r.g.reach(stay, true) {
		delete(gone, d)
	}
	maps.Copy(gone, first)
	return gone
}

// stays reports what no closure takes: tests that are not hidden and classes that have some, what
// runs by itself, what cannot be cut out, and what files that were not read may use.
func (r *removal) stays(d *decl) bool {
	if r.keeps(d) || r.g.declaresTest(d) || r.outside(d) {
		return true
	}
	return d.owner == nil && (d.shared || d.has("operator") || d.what == isBlock)
}

// outside reports whether a check file that was not read can use d: it has its word and that of
// the type around it.
func (r *removal) outside(d *decl) bool {
	for _, words := range r.words {
		if d.owner != nil && !words[d.outermost().name()] {
			continue
		}
		for _, n := range d.names {
			if words[n] {
				return true
			}
		}
	}
	return false
}

// write renders the files that lose declarations.
func (r *removal) write(gone map[*decl]bool) ([]model.TreeChange, error) {
	var out []model.TreeChange
	for _, p := range slices.Sorted(slices.Values(r.g.order)) {
		s := r.g.files[p]
		if !slices.ContainsFunc(s.decls, func(d *decl) bool { return gone[d] }) {
			continue
		}
		if !slices.ContainsFunc(s.top, func(d *decl) bool { return !gone[d] }) {
			out = append(out, model.TreeChange{Path: p, Delete: true})
			continue
		}
		f, _, err := r.g.t.Read(p)
		if err != nil {
			return nil, err
		}
		data := s.without(gone)
		if bytes.Equal(data, f.Data) {
			continue
		}
		if err := Syntax(p, data); err != nil {
			return nil, &model.Fault{Stage: model.StageConstruct, Reason: model.NoParse, Detail: path.Base(p) + " without its hidden tests: " + err.Error()}
		}
		out = append(out, model.TreeChange{Path: p, Mode: f.Mode, Data: data})
	}
	return out, nil
}
