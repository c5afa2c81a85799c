package python

import (
	"fmt"
	"path"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Names lists those of symbols that the file at path names. A module-level symbol counts where
// an import leads to it (directly, through a package that hands it on, or behind a module's
// name) or, in its own file, where it is read. A member counts behind its class, its module or
// self; behind a receiver that is not known only when its name is unique enough: no other class
// of the production files has a member of that name, and no built-in type does. A parameter
// counts as a keyword in a call of its function's (or class's) name.
func (Language) Names(t lang.Files, p string, syms []model.Symbol) ([]model.Symbol, error) {
	r := newResolver(t, syms)
	places, err := r.places(t, p, syms)
	if err != nil {
		return nil, err
	}
	out := []model.Symbol{}
	for i, s := range syms {
		if places[i] > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// Open lists the production lines of c that name a symbol of removed which c declares no more,
// where the file did not name it before: "path:line name".
func (Language) Open(c lang.Files, removed []model.Symbol, before lang.Files) ([]string, error) {
	lost, err := undeclared(c, removed)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	now, then := newResolver(c, lost), newResolver(before, lost)
	var out []string
	for _, p := range c.Paths() {
		if k := kind(p); (k != model.Production && k != model.Generated) || path.Ext(p) != ".py" || !now.mentions(c, p, lost) {
			continue
		}
		places, err := now.places(c, p, lost)
		if err != nil {
			return nil, err
		}
		was := make([]int, len(lost))
		if _, there, _ := before.Read(p); there {
			// A file that did not parse before named nothing that can be told.
			if old, err := then.places(before, p, lost); err == nil {
				was = old
			}
		}
		for i, s := range lost {
			if places[i] > 0 && was[i] == 0 {
				out = append(out, fmt.Sprintf("%s:%d %s", p, places[i], s.Name))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
