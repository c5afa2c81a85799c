package construct

import (
	"maps"
	"path"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Targets are the touched checks of a change that H still has, as H holds them: by path, where
// moves says that H has another one by that, and function; a function that its file lacks is
// looked for in the other check files of the folder, where exactly one has it. None is a
// *model.Fault target_absent; that some are gone is no fault.
func Targets(c model.Change, moves map[string]string, h *tree.Tree, l lang.Language) ([]model.Surface, error) {
	touched := map[string]map[string]bool{}
	for _, s := range c.Touched {
		p := s.Path
		if to, ok := moves[p]; ok {
			p = to
		}
		if touched[p] == nil {
			touched[p] = map[string]bool{}
		}
		touched[p][s.Function] = true
	}
	var out []model.Surface
	var absent []string
	for _, p := range sortedKeys(touched) {
		surfaces, err := evidence.Surfaces(h, l, p)
		if err != nil {
			return nil, err
		}
		left := maps.Clone(touched[p])
		for _, s := range surfaces {
			if touched[p][s.Function] {
				out = append(out, s)
				delete(left, s.Function)
			}
		}
		found, err := beside(left, p, h, l)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
		if len(left)-len(found) == len(touched[p]) {
			absent = append(absent, p)
		}
	}
	if len(out) == 0 {
		return nil, reject(model.StageAlignment, model.TargetAbsent, "%s", listed(absent))
	}
	evidence.SortSurfaces(out)
	return slices.CompactFunc(out, func(a, b model.Surface) bool { return a.Key() == b.Key() }), nil
}

// beside finds test functions that moved to another check file of the same folder: those that
// exactly one has.
func beside(functions map[string]bool, p string, h *tree.Tree, l lang.Language) ([]model.Surface, error) {
	if len(functions) == 0 {
		return nil, nil
	}
	found := map[string][]model.Surface{}
	under := h.Paths()
	if dir := path.Dir(p); dir != "." {
		under = h.Under(dir)
	}
	for _, other := range under {
		if other == p || path.Dir(other) != path.Dir(p) || l.Kind(other) != model.CheckFile {
			continue
		}
		surfaces, err := evidence.Surfaces(h, l, other)
		if err != nil {
			return nil, err
		}
		for _, s := range surfaces {
			if functions[s.Function] {
				found[s.Function] = append(found[s.Function], s)
			}
		}
	}
	var out []model.Surface
	for _, f := range sortedKeys(found) {
		if len(found[f]) == 1 {
			out = append(out, found[f][0])
		}
	}
	return out, nil
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
