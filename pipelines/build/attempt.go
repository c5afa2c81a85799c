package build

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/construct"
)

// candidate takes one candidate from construction to a task without the environment's leak
// scan, which one walk does for all. The ladder's mappings are tried in order, one validated
// candidate at a time, until one is accepted or none is left that could be.
func (v *validator) candidate(ctx context.Context, c model.Candidate) (e ended) {
	e.candidate = c
	if e.work, e.err = readWork(ctx, v.shop, v.lang, c.Change, v.base.Commit, v.h); e.err != nil {
		e.note(construct.Mappings[0])
		return e
	}
	defer func() { e.seen = nil }() // reports can be large, and ends wait for the whole group
	var best *model.Fault
	made := map[model.Hash]bool{}
	for _, m := range v.cfg.ladder() {
		e.err = v.attempt(ctx, &e, m, made)
		if errors.Is(e.err, errSame) {
			continue
		}
		e.note(m)
		if e.err == nil && v.asksForTests(e) {
			e.noTests = v.goldTests(e)
		}
		if e.err == nil || ctx.Err() != nil || !escalates(e.err) {
			return e
		}
		if f := faultOf(e.err); best == nil || further(f, best) {
			best = f
		}
	}
	e.err = best
	return e
}

var errSame = errors.New("another mapping made the same tree")

// attempt is one mapping's: construction, lifecycle, gates, leak scan of S.
func (v *validator) attempt(ctx context.Context, e *ended, m construct.Mapping, made map[model.Hash]bool) error {
	w := e.work
	var err error
	if w.draft, err = construct.Undo(m, w.Input, v.lang); err != nil {
		return err
	}
	if made[w.draft.C.Hash()] {
		return errSame
	}
	made[w.draft.C.Hash()] = true
	if err := w.aim(v.lang); err != nil {
		return err
	}
	if err := v.lifecycle(ctx, e); err != nil {
		return err
	}
	if err := v.gates(e); err != nil {
		return err
	}
	if m.Partial() {
		if err := half(e.verdict.Hidden, w.targets); err != nil {
			return err
		}
	}
	if e.task, err = v.task(e); err != nil {
		return err
	}
	return v.leaks(e)
}

// half rejects a change that was undone in part when under half of its target functions are
// targets of the task.
func half(hidden, targets []model.Surface) error {
	is := map[string]bool{}
	for _, s := range targets {
		is[s.Key()] = true
	}
	n := 0
	for _, s := range hidden {
		if is[s.Key()] {
			n++
		}
	}
	if 2*n >= len(targets) {
		return nil
	}
	return &model.Fault{Stage: model.StageLifecycle, Reason: model.ConditionUnmet, Detail: fmt.Sprintf("undone in part, it fails %d of %d target functions", n, len(targets))}
}

// further reports whether a fault lies in a later stage than another.
func further(a, b *model.Fault) bool {
	return slices.Index(stages, a.Stage) > slices.Index(stages, b.Stage)
}

// stages are in the order in which a candidate passes them.
var stages = []model.Stage{
	model.StageConstruct, model.StageSyntax, model.StageScope, model.StageAlignment, model.StageLifecycle, model.StageFidelity, model.StageLeak,
}

// note keeps what came of a mapping.
func (e *ended) note(m construct.Mapping) {
	a := model.Attempt{Candidate: e.candidate.ID, Level: int64(m.Level), Mapping: m.Name, Number: int64(len(e.attempts) + 1), Outcome: "accepted", Seconds: e.elapsed - e.noted}
	e.noted = e.elapsed
	a.Number += int64(e.candidate.Try) * nextTry
	if e.work != nil && len(e.work.draft.D.Files) > 0 {
		a.PatchHash = string(model.Sum([]byte(e.work.draft.D.String())))
	}
	if e.err != nil {
		r := Reject(e.candidate, e.err)
		a.Outcome, a.Reason, a.Detail = "rejected", string(r.Reason), r.Detail
	}
	e.attempts = append(e.attempts, a)
}

// lose rejects what its last attempt had accepted.
func (e *ended) lose(err error) {
	e.err = err
	r, a := Reject(e.candidate, err), &e.attempts[len(e.attempts)-1]
	a.Outcome, a.Reason, a.Detail = "rejected", string(r.Reason), r.Detail
}

// nextTry is added to the numbers of the attempts for each base that was tried before.
const nextTry = 100

// rejection is the terminal row: of the attempt that came furthest.
func (e *ended) rejection() model.Rejection {
	r := Reject(e.candidate, e.err)
	r.Level, r.Mapping, r.Attempts, r.LogHash = 1, construct.MappingReversal, int64(len(e.attempts)), e.logHash
	for _, a := range e.attempts {
		if a.Reason == string(r.Reason) && a.Detail == r.Detail {
			r.Level, r.Mapping = a.Level, a.Mapping
			break
		}
	}
	if e.verdict.Infrastructure {
		r.Infrastructure = true
	}
	return r
}
