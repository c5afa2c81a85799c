package construct

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// maxFurther bounds the units beyond the touched modules that regression checks are taken from,
// ours: as many as there are at most of the touched modules.
const maxFurther = 20

// Units are the units that hold the targets, sorted, and the units of the touched modules beyond
// them, nearest first: the production files of the change that H still has decide. Where neither
// holds a test function that the change did not touch (a new module with a new test file), the
// nearest other units of the tree stand in for the touched modules.
func Units(targets []model.Surface, c model.Change, h *tree.Tree, l lang.Language) (target, nearby []string, err error) {
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
	production = slices.Compact(production)
	for _, u := range l.Nearby(h, production) {
		if !slices.Contains(target, u) && !slices.Contains(nearby, u) {
			nearby = append(nearby, u)
		}
	}
	other, err := untouched(slices.Concat(target, nearby), targets, h, l)
	if err != nil || other {
		return target, nearby, err
	}
	places := slices.Clone(production)
	for _, t := range targets {
		places = append(places, t.Path)
	}
	further, err := further(places, slices.Concat(target, nearby), h, l)
	return target, append(nearby, further...), err
}

// untouched reports whether units hold a test function beside the targets.
func untouched(units []string, targets []model.Surface, h *tree.Tree, l lang.Language) (bool, error) {
	touched := map[string]bool{}
	for _, t := range targets {
		touched[t.Key()] = true
	}
	for _, u := range units {
		for _, p := range l.UnitFiles(h, u) {
			surfaces, err := evidence.Surfaces(h, l, p)
			if err != nil {
				return false, err
			}
			if slices.ContainsFunc(surfaces, func(s model.Surface) bool { return !touched[s.Key()] }) {
				return true, nil
			}
		}
	}
	return false, nil
}

// further are the units with test functions nearest to places, but for those known: by the
// folders between, then by name.
func further(places, known []string, h *tree.Tree, l lang.Language) ([]string, error) {
	far := map[string]int{}
	files := map[string][]string{}
	for _, p := range h.Paths() {
		if l.Kind(p) != model.CheckFile {
			continue
		}
		u, ok := l.Unit(h, p)
		if !ok || slices.Contains(known, u) {
			continue
		}
		if d, seen := far[u]; !seen || between(p, places) < d {
			far[u] = between(p, places)
		}
		files[u] = append(files[u], p)
	}
	units := sortedKeys(far)
	slices.SortStableFunc(units, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	var out []string
	for _, u := range units {
		for _, p := range files[u] {
			surfaces, err := evidence.Surfaces(h, l, p)
			if err != nil {
				return nil, err
			}
			if len(surfaces) > 0 {
				out = append(out, u)
				break
			}
		}
		if len(out) == maxFurther {
			break
		}
	}
	return out, nil
}

// between counts the folders between a path and the nearest of others.
func between(p string, others []string) int {
	best := -1
	a := strings.Split(path.Dir(p), "/")
	for _, o := range others {
		b := strings.Split(path.Dir(o), "/")
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		if d := len(a) + len(b) - 2*same; best < 0 || d < best {
			best = d
		}
	}
	return best
}
