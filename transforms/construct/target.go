package construct

import (
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Targets are the touched checks of a change that H still has, as H holds them: by path and
// function; where H has none of that name, the one that a language aligns with it among the
// functions of the file that the change did not touch. None is a *model.Fault target_absent. That
// some are gone is no fault; a renamed file is beyond level 1.
func Targets(c model.Change, h *tree.Tree, l lang.Language) ([]model.Surface, error) {
	touched := map[string]map[string]bool{}
	for _, s := range c.Touched {
		if touched[s.Path] == nil {
			touched[s.Path] = map[string]bool{}
		}
		touched[s.Path][s.Function] = true
	}
	var out []model.Surface
	var absent []string
	for _, p := range sortedKeys(touched) {
		surfaces, err := evidence.Surfaces(h, l, p)
		if err != nil {
			return nil, err
		}
		found := aligned(l, touched[p], surfaces)
		for _, s := range surfaces {
			if found[s.Function] {
				out = append(out, s)
			}
		}
		if len(found) == 0 {
			absent = append(absent, p)
		}
	}
	if len(out) == 0 {
		return nil, reject(model.StageAlignment, model.TargetAbsent, "%s", listed(absent))
	}
	evidence.SortSurfaces(out)
	return out, nil
}

// aligned are the functions of a file on H that the touched ones are.
func aligned(l lang.Language, touched map[string]bool, surfaces []model.Surface) map[string]bool {
	found := map[string]bool{}
	var others []string
	for _, s := range surfaces {
		if touched[s.Function] {
			found[s.Function] = true
		} else {
			others = append(others, s.Function)
		}
	}
	a, ok := l.(lang.Aligner)
	if !ok {
		return found
	}
	for f := range touched {
		if found[f] {
			continue
		}
		if now, ok := a.Align(f, others); ok {
			found[now] = true
		}
	}
	return found
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Surface counts a realisation's checks the way evidence counts a source's: the targets, and the
// other test functions of their files on H.
func Surface(targets []model.Surface, h *tree.Tree, l lang.Language) (target, regression int, err error) {
	files := map[string]bool{}
	for _, t := range targets {
		files[t.Path] = true
	}
	all := 0
	for p := range files {
		surfaces, err := evidence.Surfaces(h, l, p)
		if err != nil {
			return 0, 0, err
		}
		all += len(surfaces)
	}
	return len(targets), all - len(targets), nil
}

// Units are the units that hold the targets, sorted, and the units of the touched modules beyond
// them, nearest first: the production files of the change that H still has decide.
func Units(targets []model.Surface, c model.Change, h *tree.Tree, l lang.Language) (target, nearby []string) {
	for _, t := range targets {
		if t.Unit != "" {
			target = append(target, t.Unit)
		}
	}
	slices.Sort(target)
	target = slices.Compact(target)
	var production []string
	add := func(p string) {
		if _, ok := h.Entry(p); ok && l.Kind(p) == model.Production {
			production = append(production, p)
		}
	}
	for _, f := range c.Record.Files {
		add(f.Path)
	}
	for _, s := range c.Removed {
		add(s.Path)
	}
	slices.Sort(production)
	for _, u := range l.Nearby(h, slices.Compact(production)) {
		if !slices.Contains(target, u) && !slices.Contains(nearby, u) {
			nearby = append(nearby, u)
		}
	}
	return target, nearby
}
