package evaluate

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// testRepeats is how often the tests of a prediction run on each of both trees.
const testRepeats = 3

// judgeTests scores a prediction for a test_generation task. Of the prediction check paths alone
// are kept, and none that steers the runner. The checks of the files that it adds or edits run
// testRepeats times, each in a fresh state, on S and on S mended by patch; the hidden checks are
// not applied. It is resolved when one check fails by assertion in every run on S, and all hold
// in every run on the mended S.
//
// fail_to_pass tells the checks that fail on S in every run: success where they hold on the
// mended S, failure where they do not. pass_to_pass tells the others in the same way.
func judgeTests(ctx context.Context, b *execute.Bench, p *execute.Place, t model.Task, s *tree.Tree, pred model.Prediction, score model.Score) (model.Score, error) {
	score.FailToPass, score.PassToPass = noChecks(), noChecks()
	laid, err := LayTests(p.Lang, s, pred.Patch)
	score.ProtectedTouched, score.FilesModified = len(laid.Touched) > 0, int64(laid.Files)
	if err != nil {
		score.Outcome, score.Detail = Invalid, detail([]string{err.Error()}, laid.Touched)
		return score, nil
	}
	units, functions, err := written(p.Lang, laid)
	if err != nil {
		score.Outcome, score.Detail = Invalid, detail([]string{err.Error()}, laid.Touched)
		return score, nil
	}
	if len(units) == 0 {
		score.Detail = detail([]string{"the prediction adds or edits no test"}, laid.Touched)
		return score, nil
	}
	mended, err := mend(laid.Tree, t.Patch)
	if err != nil {
		return score, fmt.Errorf("task %s: mend S: %w", t.InstanceID, err)
	}
	onS, onMended := map[string][]model.Verdict{}, map[string][]model.Verdict{}
	var notes []string
	for range testRepeats { // in an order that the tests cannot count on
		states := []func() error{
			func() error { return once(ctx, b, p, laid.Tree, units, functions, &score, onS, &notes) },
			func() error { return once(ctx, b, p, mended, units, functions, &score, onMended, &notes) },
		}
		first := mathrand.IntN(2)
		for i := range states {
			if err := states[(first+i)%2](); err != nil {
				return score, err
			}
		}
	}
	settle(&score, onS, onMended)
	if !score.Resolved {
		notes = append(notes, verdict(score, onS, onMended)...)
	}
	score.Detail = detail(slices.Compact(notes), laid.Touched)
	return score, nil
}

// verdict says in a few words why tests do not count.
func verdict(score model.Score, onS, mended map[string][]model.Verdict) []string {
	if score.Outcome != Unresolved {
		return nil
	}
	var out []string
	for _, id := range slices.Concat(score.FailToPass.Failure, score.PassToPass.Failure) {
		if same(onS[id]) && same(mended[id]) {
			out = append(out, fmt.Sprintf("%s does not hold on the mended code", id))
		} else {
			out = append(out, fmt.Sprintf("%s changes its verdict from run to run", id))
		}
	}
	if len(score.FailToPass.Success)+len(score.FailToPass.Failure) == 0 {
		out = append(out, "no test fails by an assertion in every run on the code as it stands")
	}
	return out
}

// same reports whether all runs gave one verdict, or none.
func same(vs []model.Verdict) bool { return len(slices.Compact(slices.Clone(vs))) < 2 }

func noChecks() model.Split { return model.Split{Success: []string{}, Failure: []string{}} }

// settle files the checks and decides.
func settle(score *model.Score, onS, mended map[string][]model.Verdict) {
	ids := map[string]bool{}
	for _, m := range []map[string][]model.Verdict{onS, mended} {
		for id := range m {
			ids[id] = true
		}
	}
	for _, id := range sorted(ids) {
		into := &score.PassToPass
		if all(onS[id], func(v model.Verdict) bool { return v == model.Fail }) {
			into = &score.FailToPass
		}
		switch {
		case all(mended[id], model.Verdict.Holds):
			into.Success = append(into.Success, id)
		case !all(mended[id], func(v model.Verdict) bool { return v == model.Skip || v == model.Todo }):
			into.Failure = append(into.Failure, id)
		}
	}
	if score.Outcome == Unresolved && len(score.FailToPass.Success) > 0 && len(score.FailToPass.Failure)+len(score.PassToPass.Failure) == 0 {
		score.Outcome, score.Resolved, score.Weighted, score.Fractional = Resolved, true, 1, 1
	}
}

// all reports whether a check had a verdict in each repeat, and each is ok.
func all(vs []model.Verdict, ok func(model.Verdict) bool) bool {
	return len(vs) == testRepeats && !slices.ContainsFunc(vs, func(v model.Verdict) bool { return !ok(v) })
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// LayTests lays the check files of a prediction over S; what else it writes is dropped and listed
// in Touched. The error is the prediction's fault.
func LayTests(l lang.Language, s *tree.Tree, text string) (Laid, error) {
	changes, files, err := applied(s, text)
	out := Laid{Files: files}
	if err != nil {
		return out, err
	}
	var kept []model.TreeChange
	for _, ch := range changes {
		k := l.Kind(ch.Path)
		plain := ch.Delete || ch.Mode != model.ModeSubmodule && ch.Mode != model.ModeSymlink
		if k != model.CheckFile && k != model.CheckData || l.Protected(ch.Path) || shadows(l, s, ch.Path) || steers(l, ch) || !plain {
			out.Touched = append(out.Touched, ch.Path)
			continue
		}
		kept = append(kept, ch)
		if k == model.CheckFile && !ch.Delete {
			out.Checks = append(out.Checks, ch.Path)
		}
	}
	slices.Sort(out.Touched)
	out.Tree = s.With(kept...)
	return out, fits(out.Tree)
}

// steers reports whether a check file steers the runner by what it holds.
func steers(l lang.Language, ch model.TreeChange) bool {
	s, ok := l.(interface {
		Steers(path string, src []byte) bool
	})
	return ok && !ch.Delete && s.Steers(ch.Path, ch.Data)
}

// written are the units of the check files that a prediction wrote, and the test functions of
// these files by unit. A file that does not parse is an error.
func written(l lang.Language, laid Laid) (units []string, functions map[string][]string, err error) {
	functions = map[string][]string{}
	for _, path := range laid.Checks {
		surfaces, err := l.Surfaces(laid.Tree, path)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range surfaces {
			functions[s.Unit] = append(functions[s.Unit], s.Function)
		}
	}
	for u := range functions {
		units = append(units, u)
	}
	slices.Sort(units)
	return units, functions, nil
}

// mend is a tree with the task's own fix.
func mend(t *tree.Tree, fix string) (*tree.Tree, error) {
	changes, _, err := applied(t, fix)
	if err != nil {
		return nil, err
	}
	return t.With(changes...), nil
}

// once runs the test functions of units in a fresh state of a tree and adds the verdict of each
// check to into.
func once(ctx context.Context, b *execute.Bench, p *execute.Place, t *tree.Tree, units []string, functions map[string][]string, score *model.Score, into map[string][]model.Verdict, notes *[]string) error {
	ran, err := guarded(ctx, b, p, t, units, functions)
	if err != nil {
		return err
	}
	for _, r := range ran {
		*notes = append(*notes, r.count(score)...)
		if !r.believed {
			continue
		}
		function := lang.Resolver(p.Lang, r.Run.Unit, functions[r.Run.Unit])
		for _, c := range r.Checks {
			if u, f := function(c.ID); u == r.Run.Unit && slices.Contains(functions[u], f) {
				into[c.ID] = append(into[c.ID], c.Verdict)
			}
		}
	}
	return nil
}
