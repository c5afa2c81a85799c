package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
)

// Causes of an unstable check.
const (
	CauseFlaky = "flaky" // flips between plain runs, or is not in each of them
	CauseOrder = "order" // differs in the shuffled run
	CauseClock = "clock" // differs in the run with another clock
)

// ClockShift is how far on the clock stands in the base's run with another clock.
const ClockShift = 400 * 24 * time.Hour

// BaseRuns are the runs of units on H that tell its stability: baseRepeats a unit, one of them
// shuffled (where there are at least 2) and, where clock says that the language's processes
// can be given another time, one with it (where there are at least 3); and at least repeats
// plain ones, the same that Next asks for. template has H as its tree. Sorted by unit.
func BaseRuns(units []string, template model.Run, baseRepeats, repeats int, clock bool) []model.Run {
	shuffled := baseRepeats >= 2
	clock = clock && baseRepeats >= 3
	plain := max(1, repeats, baseRepeats-count(shuffled)-count(clock))
	c := Case{Template: template}
	var out []model.Run
	for _, u := range sortedSet(units) {
		for n := range plain {
			out = append(out, c.run(template.Tree, u, n))
		}
		if shuffled {
			r := c.run(template.Tree, u, 0)
			r.Order = 1
			out = append(out, r)
		}
		if clock {
			r := c.run(template.Tree, u, 0)
			r.ClockShift = ClockShift
			out = append(out, r)
		}
	}
	return out
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A Health is what the runs of H say about a base.
type Health struct {
	Unstable []model.UnstableCheck // sorted by id
	Healthy  bool                  // at least half of the checks hold
	Holding  int                   // checks that hold in every plain run and are stable
	Total    int                   // checks that ran; a skipped one says nothing; a unit without any counts as one
	Slow     []string              // units that met a limit twice, sorted
}

// Stability judges a base by the observations of its BaseRuns, and of the Confirm runs of
// those that met a limit. An observation that the world spoiled is left out.
func Stability(observations []model.Observation) Health {
	var h Health
	byUnit := map[string]map[model.Hash]model.Observation{}
	for _, o := range observations {
		if infrastructure(o.Outcome) {
			continue
		}
		u := o.Run.Unit
		if byUnit[u] == nil {
			byUnit[u] = map[model.Hash]model.Observation{}
		}
		plain := o.Run
		plain.Limits = model.Limits{}
		key := plain.Key()
		// A confirmation has the wider limit and replaces what it confirms.
		if have, ok := byUnit[u][key]; !ok || o.Run.Limits.Wall > have.Run.Limits.Wall {
			byUnit[u][key] = o
		}
	}
	for _, u := range sortedKeys(byUnit) {
		h.unit(u, byUnit[u])
	}
	slices.SortFunc(h.Unstable, func(a, b model.UnstableCheck) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Cause, b.Cause))
	})
	h.Unstable = slices.CompactFunc(h.Unstable, func(a, b model.UnstableCheck) bool { return a.ID == b.ID })
	h.Healthy = h.Total > 0 && 2*h.Holding >= h.Total
	return h
}

// unit adds what the runs of one unit say.
func (h *Health) unit(unit string, runs map[model.Hash]model.Observation) {
	var plain, shuffled, shifted []view
	for _, k := range sortedKeys(runs) {
		o := runs[k]
		v := newView(o)
		switch {
		case o.Run.ClockShift != 0:
			shifted = append(shifted, v)
		case o.Run.Order != 0:
			shuffled = append(shuffled, v)
		default:
			plain = append(plain, v)
		}
	}
	if len(plain) == 0 {
		h.Total++
		return
	}
	if slices.ContainsFunc(plain, func(v view) bool { return v.limited }) {
		h.Slow = append(h.Slow, unit)
	}
	ids := map[string]bool{}
	for _, v := range slices.Concat(plain, shuffled, shifted) {
		for id := range v.verdicts {
			ids[id] = true
		}
	}
	ran := 0
	for _, id := range sortedKeys(ids) {
		first := plain[0].verdict(id)
		cause := ""
		switch {
		case differs(id, first, plain):
			cause = CauseFlaky
		case differs(id, first, shuffled):
			cause = CauseOrder
		case differs(id, first, shifted):
			cause = CauseClock
		}
		if cause != "" {
			h.Unstable = append(h.Unstable, model.UnstableCheck{ID: id, Cause: cause})
		}
		switch first {
		case model.Skip, model.Todo, model.NotRun:
			continue
		}
		ran++
		if cause == "" && first.Holds() {
			h.Holding++
		}
	}
	h.Total += max(1, ran)
}

func (v view) verdict(id string) model.Verdict {
	if got, ok := v.verdicts[id]; ok {
		return got
	}
	return model.NotRun
}

func differs(id string, want model.Verdict, views []view) bool {
	return slices.ContainsFunc(views, func(v view) bool { return v.verdict(id) != want })
}
