package construct

import (
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Targets are the touched checks of a change that H still has, by path and function, as H holds
// them. None is a *model.Fault target_absent. That some are gone is no fault; a renamed file is
// beyond level 1.
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
		for _, s := range surfaces {
			if touched[p][s.Function] {
				out = append(out, s)
			}
		}
		if !slices.ContainsFunc(surfaces, func(s model.Surface) bool { return touched[p][s.Function] }) {
			absent = append(absent, p)
		}
	}
	if len(out) == 0 {
		return nil, reject(model.StageAlignment, model.TargetAbsent, "%s", listed(absent))
	}
	evidence.SortSurfaces(out)
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
