package base

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// MethodChange is the method of candidates that come from merged changes.
const MethodChange = "change"

// A History answers about one repository's commits.
type History interface {
	// IsAncestor reports whether a is an ancestor of b or b itself.
	IsAncestor(a, b model.Hash) (bool, error)
	// Distance is how far to lies after from along the first-parent line of to; negative
	// where it lies before.
	Distance(from, to model.Hash) (days, commits int, err error)
}

// A Filled slot is what preparing made of a slot of the plan: the base that stands for it, be
// it the slot's own commit or an alternate, or the fault of the last one tried.
type Filled struct {
	Slot  model.Hash // the slot's own commit
	Base  model.Base
	Fault *model.Fault // nil: prepared and healthy
}

// Assign gives each planned change to the healthy base of its slot. A change whose slot has
// none, or whose merge is not a strict ancestor of the base, is rejected; one that no slot
// plans is in neither list. newest is the newest commit of the default branch. The error is
// the history's.
func Assign(plan model.Plan, filled []Filled, changes []model.Change, newest model.Hash, h History) ([]model.Candidate, []model.Rejection, error) {
	byID := make(map[string]model.Change, len(changes))
	for _, c := range changes {
		byID[c.ID] = c
	}
	var candidates []model.Candidate
	var rejections []model.Rejection
	for _, slot := range plan.Slots {
		f := filledFor(slot, filled)
		for _, id := range slot.Changes {
			change, ok := byID[id]
			if !ok {
				continue
			}
			if f.Fault != nil {
				rejections = append(rejections, Rejected(change, f.Base.Commit, f.Fault))
				continue
			}
			c, fault, err := candidate(change, f.Base, newest, h)
			if err != nil {
				return nil, nil, fmt.Errorf("assign %s to %s: %w", id, f.Base.Commit.Short(12), err)
			}
			if fault != nil {
				rejections = append(rejections, Rejected(change, f.Base.Commit, fault))
				continue
			}
			candidates = append(candidates, c)
		}
	}
	slices.SortFunc(candidates, func(a, b model.Candidate) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(rejections, func(a, b model.Rejection) int { return cmp.Compare(a.Candidate, b.Candidate) })
	return candidates, rejections, nil
}

func filledFor(slot model.Slot, filled []Filled) Filled {
	for _, f := range filled {
		if f.Slot == slot.Commit {
			return f
		}
	}
	return Filled{Slot: slot.Commit, Base: model.Base{Commit: slot.Commit},
		Fault: &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: "no base of the slot was prepared"}}
}

func candidate(c model.Change, b model.Base, newest model.Hash, h History) (model.Candidate, *model.Fault, error) {
	merge := c.Record.MergeCommit
	ancestor, err := h.IsAncestor(merge, b.Commit)
	if err != nil {
		return model.Candidate{}, nil, err
	}
	if !ancestor || merge == b.Commit {
		return model.Candidate{}, &model.Fault{Stage: model.StageBase, Reason: model.NotAncestor,
			Detail: "the merge " + merge.Short(12) + " is not a strict ancestor of the base"}, nil
	}
	out := model.Candidate{ID: c.ID, Change: c, Base: b, Family: c.Family, Method: MethodChange}
	if out.DistanceMergeDays, out.DistanceMergeCommits, err = h.Distance(merge, b.Commit); err != nil {
		return model.Candidate{}, nil, err
	}
	if out.DistanceNewestDays, out.DistanceNewestCommits, err = h.Distance(b.Commit, newest); err != nil {
		return model.Candidate{}, nil, err
	}
	return out, nil, nil
}

// Rejected is the terminal row of a change that ended with a fault before or at its base.
func Rejected(c model.Change, base model.Hash, f *model.Fault) model.Rejection {
	r := model.Rejection{
		Repo: c.Repo, BaseCommit: string(base), Method: MethodChange, Family: c.Family, Language: c.Language,
		Candidate: c.ID, Stage: f.Stage, Reason: f.Reason, Detail: f.Detail,
		Infrastructure: f.Reason == model.Infrastructure,
	}
	if n := c.Record.Number; n > 0 {
		r.SourcePR = &n
	}
	if t := c.MergedAt; !t.IsZero() {
		r.SourceMergedAt = &t
	}
	return r
}
