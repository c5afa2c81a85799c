package jvmsource

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// entangled finds code that stays and calls a hidden test, and classes that keep a test which
// goes for others.
func (r *removal) entangled() error {
	fault := func(d *decl, verb string, h *decl) error {
		return &model.Fault{Stage: model.StageConstruct, Reason: model.TestsEntangled,
			Detail: d.file.path + ": " + d.name() + " " + verb + " " + h.owner.name() + "." + h.name()}
	}
	all := r.all()
	for _, d := range all {
		for _, c := range r.g.tests(d) {
			if r.hidden[c.method] && !r.want[d.file.path][c.function] {
				return fault(d, "inherits", c.method)
			}
		}
	}
	r.abstracts()
	for _, d := range all {
		if r.hidden[d] || d.what == isType {
			continue
		}
		for name := range union(d.refs.calls, d.refs.self) {
			for _, h := range r.g.inner[name] {
				if !r.hidden[h] || !h.takes(append(slices.Clone(d.refs.calls[name]), d.refs.self[name]...)) {
					continue
				}
				for o := d.owner; o != nil; o = o.owner {
					if slices.Contains(r.g.lineage(o), h.owner) && !r.allHidden(d) {
						return fault(d, "calls", h)
					}
				}
			}
		}
	}
	return nil
}

func union(a, b map[string][]int) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

// allHidden reports whether a method is used by hidden tests alone.
func (r *removal) allHidden(d *decl) bool {
	if r.g.declaresTest(d) {
		return false
	}
	var stay []*decl
	for _, x := range r.all() {
		if x != d && !r.hidden[x] && (r.g.declaresTest(x) || r.g.always(x) && x.owner != d.owner) {
			stay = append(stay, x)
		}
	}
	return !r.g.reach(stay, true)[d]
}

// abstracts hides the abstract methods that only hidden tests implement.
func (r *removal) abstracts() {
	for _, h := range sorted(r.hidden) {
		for _, base := range r.g.lineage(h.owner)[1:] {
			for _, m := range base.members {
				if m.what != isMethod || m.name() != h.name() || m.params != h.params || m.body != nil {
					continue
				}
				left := slices.ContainsFunc(r.g.inner[m.name()], func(x *decl) bool {
					return x != m && !r.hidden[x] && x.what == isMethod && x.params == m.params && slices.Contains(r.g.lineage(x.owner), base)
				})
				if !left {
					r.hidden[m] = true
				}
			}
		}
	}
}
