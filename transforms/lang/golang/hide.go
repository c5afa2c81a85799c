package golang

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Hide removes the hidden functions and, by closure over all check files of their package, what
// only they used. An item goes when a hidden function reaches it and nothing that stays does;
// so what nothing used before stays, and so do init, TestMain, var _ and blank imports. Methods
// go with their type. Hidden functions that the tree lacks are passed over. If something that
// stays calls a hidden function, the fault is tests_entangled.
//
// The bytes around what is removed stay as they are; where two blank lines would meet, one
// stays.
func (l Language) Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	dirs := map[string][]model.Surface{}
	var order []string
	for _, h := range hidden {
		d := parent(h.Path)
		if dirs[d] == nil {
			order = append(order, d)
		}
		dirs[d] = append(dirs[d], h)
	}
	slices.Sort(order)
	var out []model.TreeChange
	for _, d := range order {
		p, err := load(t, d)
		if err != nil {
			return nil, err
		}
		gone, err := p.gone(dirs[d])
		if err != nil {
			return nil, err
		}
		if len(gone) == 0 {
			continue
		}
		changes, err := p.without(t, gone)
		if err != nil {
			return nil, err
		}
		data, err := p.orphans(t, gone)
		if err != nil {
			return nil, err
		}
		out = append(append(out, changes...), data...)
	}
	slices.SortFunc(out, func(a, b model.TreeChange) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b model.TreeChange) bool { return a.Path == b.Path }), nil
}

// gone is what goes with the hidden functions, them included. A file that goes whole takes with
// it what nothing used, and what only that used.
func (p *testPackage) gone(hidden []model.Surface) (map[*item]bool, error) {
	var first []*item
	for _, i := range p.items {
		if i.pinned && i.receiver == "" && slices.ContainsFunc(hidden, func(h model.Surface) bool {
			return i.src.path == h.Path && i.names[0] == h.Function
		}) {
			first = append(first, i)
		}
	}
	for {
		gone, err := p.closure(first)
		if err != nil {
			return nil, err
		}
		n := len(gone)
		live := p.live(gone)
		for _, i := range p.items {
			if !gone[i] && !slices.Contains(first, i) && p.loses(i.src, gone) && p.empty(i.src, gone, live) {
				first = append(first, i)
				n++
			}
		}
		if n == len(gone) {
			return gone, nil
		}
	}
}

// closure is what the items of first reach and nothing else does, them included.
func (p *testPackage) closure(first []*item) (map[*item]bool, error) {
	out := reach(first)
	var roots []*item
	for _, i := range p.items {
		if !slices.Contains(first, i) && (!out[i] || i.pinned) {
			roots = append(roots, i)
		}
	}
	stays := reach(roots)
	for _, i := range first {
		for _, u := range i.users {
			if stays[i] && stays[u] && i.pinned {
				return nil, &model.Fault{Stage: model.StageConstruct, Reason: model.TestsEntangled,
					Detail: u.src.path + ": " + strings.Join(u.names, ", ") + " uses " + i.names[0]}
			}
		}
	}
	for i := range out {
		if stays[i] {
			delete(out, i)
		}
	}
	return out, nil
}

// loses reports whether something of the file goes.
func (p *testPackage) loses(s *source, gone map[*item]bool) bool {
	return slices.ContainsFunc(p.items, func(i *item) bool { return i.src == s && gone[i] })
}

// without renders the files that lose something.
func (p *testPackage) without(t lang.Files, gone map[*item]bool) ([]model.TreeChange, error) {
	live := p.live(gone)
	var out []model.TreeChange
	for _, s := range p.sources {
		if !p.loses(s, gone) {
			continue
		}
		if p.empty(s, gone, live) {
			out = append(out, model.TreeChange{Path: s.path, Delete: true})
			continue
		}
		f, _, err := t.Read(s.path)
		if err != nil {
			return nil, err
		}
		text := cut(s.text, p.spans(s, gone))
		if _, err := parseText(s.path, text); err != nil {
			return nil, err
		}
		out = append(out, model.TreeChange{Path: s.path, Mode: f.Mode, Data: text})
	}
	return out, nil
}

// live is what a test, init, TestMain, benchmark or var _ that stays uses.
func (p *testPackage) live(gone map[*item]bool) map[*item]bool {
	var roots []*item
	for _, i := range p.items {
		if i.pinned && !gone[i] {
			roots = append(roots, i)
		}
	}
	return reach(roots)
}

// empty reports whether the file has nothing left that runs, or that is used by what runs or by
// another file. Its blank imports may register something for the package's other tests, and
// keep it while there are any.
func (p *testPackage) empty(s *source, gone, live map[*item]bool) bool {
	tests := false
	for _, i := range p.items {
		if gone[i] {
			continue
		}
		if i.src != s {
			tests = tests || i.pinned
			continue
		}
		if live[i] || slices.ContainsFunc(i.users, func(u *item) bool { return u.src != s && !gone[u] }) {
			return false
		}
	}
	blank := slices.ContainsFunc(s.imports, func(i *importing) bool { return i.name == "_" })
	return !(blank && tests)
}

// idle lists the imports of the file that only removed items used. Where the name of an import
// cannot be told, it goes when no name is left that could be its.
func (p *testPackage) idle(s *source, gone map[*item]bool) map[*importing]bool {
	before, after := newReferences(), newReferences()
	for _, i := range p.items {
		if i.src != s {
			continue
		}
		before.add(i.refs)
		if !gone[i] {
			after.add(i.refs)
		}
	}
	unnamed := func(r *references) bool {
		for q := range r.qualifiers {
			if s.importPath(q) == "" && !p.declares(s.pkg, q) && !(p.own[q] && !s.external()) {
				return true
			}
		}
		return false
	}
	out := map[*importing]bool{}
	for _, i := range s.imports {
		switch i.name {
		case "_":
		case ".":
			out[i] = p.foreign(s, before) && !p.foreign(s, after)
		case "":
			out[i] = unnamed(before) && !unnamed(after)
		default:
			out[i] = before.qualifiers[i.name] && !after.qualifiers[i.name]
		}
	}
	return out
}

func (p *testPackage) declares(pkg, name string) bool {
	return slices.ContainsFunc(p.items, func(i *item) bool {
		return i.src.pkg == pkg && i.receiver == "" && slices.Contains(i.names, name)
	})
}
