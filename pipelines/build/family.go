package build

import (
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/construct"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/oracle"
	"github.com/taskmill/taskmill/transforms/tree"
)

// oracle is the structural check of a migration; false for other families. It looks at the
// production files that D touches.
func (w *work) oracle(l lang.Language) (oracle.Oracle, bool) {
	if w.Change.Family != evidence.APIMigration || w.Change.OldAPI == "" {
		return oracle.Oracle{}, false
	}
	paths := slices.DeleteFunc(w.draft.D.Paths(), func(p string) bool { return l.Kind(p) != model.Production })
	return oracle.Migration(l.Name(), w.Change.OldAPI, w.Change.NewAPI, paths), true
}

// structural is the verdicts of an oracle on H, which is H' too, and C.
func structural(o oracle.Oracle, h, c *tree.Tree, l lang.Language) (lifecycle.Structural, error) {
	s := lifecycle.Structural{ID: o.Check}
	var err error
	if s.H, err = o.Verdict(h, l); err != nil {
		return s, err
	}
	s.Restored = s.H
	s.C, err = o.Verdict(c, l)
	return s, err
}

// testGeneration is the variant of an accepted bug fix that asks for tests of the defect: the same
// trees, the same S, and test_patch as the gold prediction. It rests on the runs of the bug fix:
// a check of the gold prediction fails by assertion in every run on C, which is S with that
// prediction, and all checks of its files hold in every run on H, which is C mended. Nil for other
// families; the rejection says why a bug fix has no such variant.
func (v *validator) testGeneration(e ended) (*model.Task, *model.Rejection, error) {
	if !v.asksForTests(e) {
		return nil, nil, nil
	}
	id := e.candidate.ID + "." + model.FamilyTests
	if err := e.noTests; err != nil {
		if faultOf(err) == nil {
			return nil, nil, err
		}
		r := Reject(e.candidate, err)
		r.Candidate, r.Family, r.Attempts, r.Level, r.Mapping = id, model.FamilyTests, 1, e.task.Level, e.task.Mapping
		return nil, &r, nil
	}
	t := e.task
	t.InstanceID, t.Family, t.Gold = id, model.FamilyTests, "test_patch"
	t.ProblemStatement = construct.TestGoal(t.ProblemStatement)
	t.SolverCommit = string(construct.SolverCommit(e.s.Hash(), t.CreatedAt, id))
	t.LeakScore = evidence.LeakScore(t.ProblemStatement+"\n"+t.Interface, t.Patch, t.TestPatch)
	return &t, nil, nil
}

// asksForTests reports whether a candidate has such a variant, if its runs allow it.
func (v *validator) asksForTests(e ended) bool {
	return e.candidate.Family == evidence.BugFix && v.cfg.wants(model.FamilyTests)
}

// goldTests reports, as a *model.Fault, why test_patch is no prediction that would be resolved.
func (v *validator) goldTests(e ended) error {
	fault := func(r model.Reason, format string, args ...any) error {
		return &model.Fault{Stage: model.StageLifecycle, Reason: r, Detail: fmt.Sprintf(format, args...)}
	}
	if e.verdict.BuildErrorTarget {
		return fault(model.BuildErrorOnly, "the tests do not build on C: nothing fails by assertion")
	}
	files := map[string]bool{}
	for _, p := range e.testPatch.Paths() {
		if v.lang.Protected(p) {
			return fault(model.TouchesRunner, "%s", p)
		}
		files[p] = true
	}
	onH, onC := v.verdicts(e, v.h.Hash()), v.verdicts(e, e.work.draft.C.Hash())
	if !slices.ContainsFunc(e.task.FailToPass, func(id string) bool { return every(onC[id], isFail) && every(onH[id], model.Verdict.Holds) }) {
		return fault(model.ConditionUnmet, "no target fails by assertion in every run on C")
	}
	for _, u := range e.work.targetUnits {
		surfaces, err := v.surfaces(u)
		if err != nil {
			return err
		}
		var functions []string
		own := map[string]bool{}
		for _, s := range surfaces {
			functions = append(functions, s.Function)
			own[s.Function] = own[s.Function] || files[s.Path]
		}
		function := lang.Resolver(v.lang, u, functions)
		for _, id := range slices.Sorted(keys(onH)) {
			if unit, f := function(id); unit == u && own[f] && !every(onH[id], model.Verdict.Holds) && !every(onH[id], neither) {
				return fault(model.TargetUnstable, "%s, in a file of the gold prediction, does not hold in every run on H", id)
			}
		}
	}
	return nil
}

func isFail(v model.Verdict) bool { return v == model.Fail }

// neither: a check that is skipped says nothing.
func neither(v model.Verdict) bool { return v == model.Skip || v == model.Todo || v == model.NotRun }

func every(vs []model.Verdict, ok func(model.Verdict) bool) bool {
	return len(vs) > 0 && !slices.ContainsFunc(vs, func(v model.Verdict) bool { return !ok(v) })
}

// verdicts are those of a tree's checks, one of each run that the candidate asked for.
func (v *validator) verdicts(e ended, t model.Hash) map[string][]model.Verdict {
	out := map[string][]model.Verdict{}
	for _, o := range e.seen {
		if o.Run.Tree != t {
			continue
		}
		for _, c := range o.Checks {
			out[c.ID] = append(out[c.ID], c.Verdict)
		}
	}
	return out
}
