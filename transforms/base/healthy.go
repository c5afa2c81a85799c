package base

import (
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// MinHeld is the least share of the checks in the needed units that must hold on a healthy
// base, ours.
const MinHeld = 0.5

// Healthy judges a base by what its needed units showed: nil where at least MinHeld of their
// checks hold in every observation of them, and there is one. A unit that could not be built,
// or was not observed, counts as one check that does not hold.
func Healthy(units []string, observations []model.Observation) *model.Fault {
	held, total := 0, 0
	for _, unit := range units {
		h, t := unitHeld(unit, observations)
		held, total = held+h, total+t
	}
	if held > 0 && float64(held) >= MinHeld*float64(total) {
		return nil
	}
	return &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy,
		Detail: fmt.Sprintf("%d of %d checks hold in %d units", held, total, len(units))}
}

func unitHeld(unit string, observations []model.Observation) (held, total int) {
	verdicts := map[string][]model.Verdict{}
	runs := 0
	for _, o := range observations {
		if o.Run.Unit != unit {
			continue
		}
		runs++
		for _, c := range o.Checks {
			if c.Verdict != model.Skip && c.Verdict != model.Todo {
				verdicts[c.ID] = append(verdicts[c.ID], c.Verdict)
			}
		}
	}
	for _, vs := range verdicts {
		if len(vs) == runs && !slices.ContainsFunc(vs, func(v model.Verdict) bool { return !v.Holds() }) {
			held++
		}
	}
	return held, max(len(verdicts), 1)
}
