package evaluate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/oracle"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Outcomes of a score.
const (
	Resolved       = "resolved"
	Unresolved     = "unresolved"
	Empty          = "empty"
	Invalid        = "invalid" // no patch, or it does not apply to S
	Forged         = "forged"  // a report without both planted checks
	TimedOut       = "timeout"
	Infrastructure = "infrastructure"
)

// Judge scores one prediction: S with the prediction, every check and runner path set to its
// content in C, two planted checks in each unit, and every expected check demanded by id.
// Nothing of it is remembered, since each evaluation plants other checks.
func Judge(ctx context.Context, b *execute.Bench, p *execute.Place, t model.Task, pred model.Prediction) (model.Score, error) {
	score := model.Score{InstanceID: t.InstanceID, Solver: pred.Model, Outcome: Unresolved}
	score.FailToPass.Failure, score.PassToPass.Failure = t.FailToPass, t.PassToPass
	if strings.TrimSpace(pred.Patch) == "" {
		score.Outcome = Empty
		return score, nil
	}
	s, c, err := p.Trees(t)
	if err != nil {
		return score, err
	}
	if t.Family == model.FamilyTests {
		return judgeTests(ctx, b, p, t, s, pred, score)
	}
	laid, err := Lay(p.Lang, s, c, pred.Patch)
	score.ProtectedTouched, score.FilesModified = len(laid.Touched) > 0, int64(laid.Files)
	if err != nil {
		score.Outcome, score.Detail = Invalid, detail([]string{err.Error()}, laid.Touched)
		return score, nil
	}
	verdicts, notes, err := judgeUnits(ctx, b, p, laid.Tree, t, &score)
	if err != nil {
		return score, err
	}
	why, err := structural(p, t, laid, s, verdicts)
	if err != nil {
		return score, err
	}
	notes = append(notes, why...)
	score.Detail = detail(notes, laid.Touched)
	score.FailToPass = split(t, t.FailToPass, verdicts)
	score.PassToPass = split(t, t.PassToPass, verdicts)
	score.Fractional = share(score.FailToPass)
	if score.Outcome == Unresolved && len(score.FailToPass.Failure)+len(score.PassToPass.Failure) == 0 {
		score.Outcome, score.Resolved = Resolved, true
	}
	if score.Outcome == Forged {
		score.Fractional = 0
	}
	if score.Resolved {
		score.Weighted = 1
	}
	return score, nil
}

func unitsOf(l lang.Language, t model.Task) []string {
	units := map[string]bool{}
	for _, id := range demanded(t) {
		u, _ := l.Function(id)
		units[u] = true
	}
	out := make([]string, 0, len(units))
	for u := range units {
		out = append(out, u)
	}
	slices.Sort(out)
	return out
}

// demanded are the expected checks that a unit runs.
func demanded(t model.Task) []string {
	return oracle.Runnable(slices.Concat(t.FailToPass, t.PassToPass))
}

// structural files the verdict of the task's own check of a tree, where it has one, and says why it
// fails. An old call that a prediction moved to another production file is still one.
func structural(p *execute.Place, t model.Task, laid Laid, s *tree.Tree, verdicts map[string]model.Verdict) ([]string, error) {
	o, ok, err := oracle.Parse(t.Oracle)
	if err != nil || !ok {
		return nil, err
	}
	v, why, err := o.Explain(laid.Tree, p.Lang)
	if err != nil {
		return nil, err
	}
	moved, err := o.Moved(laid.Tree, s, p.Lang, laid.Written)
	if err != nil {
		return nil, err
	}
	if v == model.Pass && moved != "" {
		v, why = model.Fail, fmt.Sprintf("%s now calls %s", moved, o.Old)
	}
	verdicts[o.Check] = v
	if why == "" {
		return nil, nil
	}
	return []string{o.Check + ": " + why}, nil
}

// judgeUnits runs the units over one tree with two planted checks in each, and files the
// verdicts of the expected checks. notes say what ended a unit before its tests could.
func judgeUnits(ctx context.Context, b *execute.Bench, p *execute.Place, solved *tree.Tree, t model.Task, score *model.Score) (verdicts map[string]model.Verdict, notes []string, err error) {
	functions := map[string][]string{}
	for _, id := range demanded(t) {
		u, f := p.Lang.Function(id)
		functions[u] = append(functions[u], f)
	}
	ran, err := guarded(ctx, b, p, solved, unitsOf(p.Lang, t), functions)
	if err != nil {
		return nil, nil, fmt.Errorf("task %s: %w", t.InstanceID, err)
	}
	verdicts = map[string]model.Verdict{}
	for _, r := range ran {
		notes = append(notes, r.count(score)...)
		if !r.believed {
			continue
		}
		for _, id := range demanded(t) {
			if u, _ := p.Lang.Function(id); u == r.Run.Unit {
				verdicts[id] = r.Verdict(id)
			}
		}
	}
	return verdicts, notes, nil
}

// A guardedRun is what a unit with planted checks showed.
type guardedRun struct {
	model.Observation
	outcome  string
	believed bool
}

// count adds a run to a score and says what ended it before its tests could.
func (r guardedRun) count(score *model.Score) []string {
	score.Seconds += r.Seconds
	score.Outcome = worse(score.Outcome, r.outcome)
	if n := note(r.Observation, r.outcome); n != "" {
		return []string{n}
	}
	return nil
}

// guarded runs units over a tree with two planted checks in each, of random names. functions are
// the test functions that each unit is expected to report. What a unit reported before a limit
// ended it is not believed, unless the planted checks are among it: it may be anybody's.
func guarded(ctx context.Context, b *execute.Bench, p *execute.Place, t *tree.Tree, units []string, functions map[string][]string) ([]guardedRun, error) {
	random := make([]byte, 8)
	rand.Read(random)
	token := hex.EncodeToString(random)
	guards, expected := map[string]lang.Guard{}, map[string][]string{}
	planted := t
	var runs []model.Run
	for _, u := range units {
		g, err := p.Lang.Guard(t, u, token)
		if err != nil {
			return nil, fmt.Errorf("plant checks in %s: %w", u, err)
		}
		guards[u], expected[u] = g, slices.Clone(functions[u])
		for _, f := range g.Files {
			planted = planted.With(model.TreeChange{Path: f.Path, Mode: f.Mode, Data: f.Data})
		}
		for _, id := range []string{g.Pass, g.Fail} {
			_, f := p.Lang.Function(id)
			expected[u] = append(expected[u], f)
		}
		slices.Sort(expected[u])
		expected[u] = slices.Compact(expected[u])
		run := p.Site.Template
		run.Unit, run.With = u, g.With
		runs = append(runs, run)
	}
	for i := range runs {
		runs[i].Tree = planted.Hash()
	}
	got, err := b.Observe(ctx, p.Site, planted, runs, func(u string) []string { return expected[u] })
	if err := errors.Join(err, p.Site.Close(planted.Hash())); err != nil {
		return nil, err
	}
	out := make([]guardedRun, len(got))
	for i, g := range got {
		o := g.Observation
		guard := guards[o.Run.Unit]
		out[i] = guardedRun{o, outcomeOf(o, guard), !lifecycle.Limited(o.Outcome) || bothPlanted(o, guard)}
	}
	return out, nil
}

// outcomeOf judges one unit's report: a report with checks but without both planted outcomes
// did not come from the runner.
func outcomeOf(o model.Observation, g lang.Guard) string {
	switch {
	case o.Outcome == model.OutcomeInfrastructure || o.Outcome == model.OutcomeKilled:
		return Infrastructure
	case o.Outcome == model.OutcomeTimeout:
		return TimedOut
	case lifecycle.Limited(o.Outcome): // its report may end anywhere
		return Unresolved
	case reports(o) && !bothPlanted(o, g):
		return Forged
	}
	return Unresolved
}

// bothPlanted reports whether both planted checks did what they must.
func bothPlanted(o model.Observation, g lang.Guard) bool {
	return o.Verdict(g.Pass) == model.Pass && o.Verdict(g.Fail) == model.Fail
}

// reports tells whether a report claims anything: a unit that could not be built claims nothing,
// and its planted checks could not be built either, unless some check of it holds.
func reports(o model.Observation) bool {
	if o.BuildError {
		return slices.ContainsFunc(o.Checks, func(c model.Check) bool { return c.Verdict.Holds() })
	}
	return len(o.Checks) > 0
}

// worse is the one of two outcomes that decides a score.
func worse(a, b string) string {
	for _, o := range []string{Infrastructure, Forged, TimedOut} {
		if a == o || b == o {
			return o
		}
	}
	return a
}

// split files each expected check by whether it holds as on H; one without a verdict failed.
func split(t model.Task, ids []string, verdicts map[string]model.Verdict) model.Split {
	out := model.Split{Success: []string{}, Failure: []string{}}
	for _, id := range ids {
		if verdicts[id].HoldsAs(t.OnH(id)) {
			out.Success = append(out.Success, id)
		} else {
			out.Failure = append(out.Failure, id)
		}
	}
	return out
}

func share(s model.Split) float64 {
	n := len(s.Success) + len(s.Failure)
	if n == 0 {
		return 0
	}
	return float64(len(s.Success)) / float64(n)
}
