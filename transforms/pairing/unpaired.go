package pairing

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pairAll checks that pairs name tasks of both sides, and all that have a score.
func (c *Comparison) pairAll(a, b Results, pairs []Pair, o Options) error {
	known := [2][]string{a.ids(), b.ids()}
	for _, p := range pairs {
		for side, id := range []string{p.A, p.B} {
			if _, ok := slices.BinarySearch(known[side], id); !ok {
				return fmt.Errorf("%sno task %q in %s: it has %s", o.where(p), id, []Results{a, b}[side].Folder, some(known[side]))
			}
		}
		if _, ok := o.family(p); o.Families != nil && !ok {
			return fmt.Errorf("%sneither %q nor %q is a task of the corpora given with --tasks", o.where(p), p.A, p.B)
		}
	}
	alone := [2][]string{a.scored(), b.scored()}
	paired := [2]map[string]bool{{}, {}}
	for _, p := range pairs {
		for side := range alone {
			// One evaluation of both tasks of a pair has each on both sides.
			paired[side][[]string{p.A, p.B}[side]] = true
			if a.Folder == b.Folder {
				paired[side][[]string{p.B, p.A}[side]] = true
			}
		}
	}
	for side := range alone {
		alone[side] = slices.DeleteFunc(alone[side], func(id string) bool { return paired[side][id] })
	}
	c.Excluded.TasksA, c.Excluded.TasksB = len(alone[0]), len(alone[1])
	for side, r := range []Results{a, b} {
		if left := alone[side]; len(left) > 0 && !o.AllowUnpaired {
			return fmt.Errorf("%s of %s with a score, but in no pair (%s): pair them, or leave them out with --allow-unpaired", many(len(left), "task"), r.Folder, some(left))
		}
	}
	return nil
}

// family is that of the task in B, else in A.
func (o Options) family(p Pair) (string, bool) {
	if f, ok := o.Families[p.B]; ok {
		return f, true
	}
	f, ok := o.Families[p.A]
	return f, ok
}

// where says which line of which file has the pair.
func (o Options) where(p Pair) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s line %d: ", o.File, p.Line)
}

// some names a few ids and how many there are beside.
func some(ids []string) string {
	const named = 3
	if len(ids) <= named {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:named], ", "), len(ids)-named)
}

// scored are the ids with a score, sorted.
func (r Results) scored() []string {
	ids := map[string]bool{}
	for _, s := range r.Scores {
		ids[s.InstanceID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// ids are those of all tasks, sorted.
func (r Results) ids() []string {
	all := append(r.scored(), r.Tasks...)
	slices.Sort(all)
	return slices.Compact(all)
}
