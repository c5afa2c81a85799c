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
	"github.com/taskmill/taskmill/transforms/patch"
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
	solved, touched, files, err := Solved(p.Lang, s, c, pred.Patch)
	score.ProtectedTouched, score.FilesModified = touched, int64(files)
	if err != nil {
		score.Outcome = Invalid
		return score, nil
	}
	verdicts, err := judgeUnits(ctx, b, p, solved, t, &score)
	if err != nil {
		return score, err
	}
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

// Solved lays a prediction over S and sets every protected path to its content in C. touched
// says that the prediction wrote a protected path; files counts the paths it changed.
func Solved(l lang.Language, s, c *tree.Tree, text string) (solved *tree.Tree, touched bool, files int, err error) {
	parsed, err := patch.Parse([]byte(text))
	if err != nil {
		return nil, false, 0, err
	}
	r, err := patch.Apply(parsed, s)
	if err != nil {
		return nil, false, len(parsed.Files), err
	}
	solved = s.With(r.Changes...)
	var dropped []model.TreeChange
	for _, ch := range r.Changes {
		switch {
		case shadows(l, c, ch.Path):
			dropped = append(dropped, model.TreeChange{Path: ch.Path, Delete: true})
			touched = true
		case protected(l, ch.Path):
			touched = true
		}
	}
	solved = solved.With(dropped...)
	changes, err := restore(l, solved, c)
	if err != nil {
		return nil, touched, len(r.Changes), err
	}
	solved = solved.With(changes...)
	return solved, touched, len(r.Changes), fits(solved)
}

// shadows reports whether a path adds a module that the runner would import in place of one of
// its own; the task's own modules of such a name are the project's.
func shadows(l lang.Language, c *tree.Tree, path string) bool {
	s, ok := l.(interface {
		Shadow(path string) (prefix string, ok bool)
	})
	if !ok {
		return false
	}
	prefix, ok := s.Shadow(path)
	if !ok {
		return false
	}
	if dir, isDir := strings.CutSuffix(prefix, "/"); isDir {
		return len(c.Under(dir)) == 0
	}
	_, has := c.Entry(prefix)
	return !has
}

// Limits of a path that a file system takes.
const (
	maxName = 255
	maxPath = 3500
	maxDeep = 256
)

// fits reports a tree that no file system can hold: the prediction's fault, not the machine's.
func fits(t *tree.Tree) error {
	paths := t.Paths()
	files := make(map[string]bool, len(paths))
	for _, p := range paths {
		files[p] = true
	}
	for _, p := range paths {
		if len(p) > maxPath || strings.Count(p, "/") > maxDeep {
			return fmt.Errorf("a path of %d characters", len(p))
		}
		for i := 0; i < len(p); {
			next := strings.IndexByte(p[i:], '/')
			if next < 0 {
				next = len(p) - i
			} else if files[p[:i+next]] {
				return fmt.Errorf("%s is a file and a folder", p[:i+next])
			}
			if next > maxName {
				return fmt.Errorf("a name of %d characters", next)
			}
			i += next + 1
		}
	}
	return nil
}

func protected(l lang.Language, path string) bool {
	k := l.Kind(path)
	return k == model.CheckFile || k == model.CheckData || l.Protected(path)
}

// restore lists the changes that give t the protected content of c: check paths whole, of a
// runner's configuration the sections that steer it.
func restore(l lang.Language, t, c *tree.Tree) ([]model.TreeChange, error) {
	paths := slices.Compact(slices.Sorted(slices.Values(append(t.Paths(), c.Paths()...))))
	var out []model.TreeChange
	for _, path := range paths {
		if !protected(l, path) {
			continue
		}
		want, inC, err := c.Read(path)
		if err != nil {
			return nil, err
		}
		have, inT, err := t.Read(path)
		if err != nil {
			return nil, err
		}
		if inC && inT && want.Mode == have.Mode && string(want.Data) == string(have.Data) {
			continue
		}
		k := l.Kind(path)
		if k == model.CheckFile || k == model.CheckData {
			out = append(out, whole(path, want, inC))
			continue
		}
		content := l.Restore(path, dataOf(want, inC), dataOf(have, inT))
		switch {
		case content == nil && inT:
			out = append(out, model.TreeChange{Path: path, Delete: true})
		case content != nil && (!inT || string(content) != string(have.Data)):
			mode := have.Mode
			if !inT {
				mode = want.Mode
			}
			out = append(out, model.TreeChange{Path: path, Mode: mode, Data: content})
		}
	}
	return out, nil
}

func dataOf(f model.File, ok bool) []byte {
	if !ok {
		return nil
	}
	if f.Data == nil {
		return []byte{}
	}
	return f.Data
}

func whole(path string, f model.File, in bool) model.TreeChange {
	if !in {
		return model.TreeChange{Path: path, Delete: true}
	}
	return model.TreeChange{Path: path, Mode: f.Mode, Data: f.Data}
}

func unitsOf(l lang.Language, t model.Task) []string {
	units := map[string]bool{}
	for _, id := range append(slices.Clone(t.FailToPass), t.PassToPass...) {
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

// judgeUnits runs the units over one tree with two planted checks in each, and files the
// verdicts of the expected checks.
func judgeUnits(ctx context.Context, b *execute.Bench, p *execute.Place, solved *tree.Tree, t model.Task, score *model.Score) (map[string]model.Verdict, error) {
	random := make([]byte, 8)
	rand.Read(random)
	token := hex.EncodeToString(random)
	guards := map[string]lang.Guard{}
	functions := map[string][]string{}
	for _, id := range append(slices.Clone(t.FailToPass), t.PassToPass...) {
		u, f := p.Lang.Function(id)
		functions[u] = append(functions[u], f)
	}
	guarded := solved
	var runs []model.Run
	for _, u := range unitsOf(p.Lang, t) {
		g, err := p.Lang.Guard(solved, u, token)
		if err != nil {
			return nil, fmt.Errorf("task %s: plant checks in %s: %w", t.InstanceID, u, err)
		}
		guards[u] = g
		for _, f := range g.Files {
			guarded = guarded.With(model.TreeChange{Path: f.Path, Mode: f.Mode, Data: f.Data})
		}
		for _, id := range []string{g.Pass, g.Fail} {
			_, f := p.Lang.Function(id)
			functions[u] = append(functions[u], f)
		}
		slices.Sort(functions[u])
		functions[u] = slices.Compact(functions[u])
		run := p.Site.Template
		run.Unit, run.With = u, g.With
		runs = append(runs, run)
	}
	for i := range runs {
		runs[i].Tree = guarded.Hash()
	}
	got, err := b.Observe(ctx, p.Site, guarded, runs, func(u string) []string { return functions[u] })
	if err := errors.Join(err, p.Site.Close(guarded.Hash())); err != nil {
		return nil, err
	}
	verdicts := map[string]model.Verdict{}
	for _, g := range got {
		o := g.Observation
		score.Seconds += o.Seconds
		score.Outcome = worse(score.Outcome, outcomeOf(o, guards[o.Run.Unit]))
		for _, id := range append(slices.Clone(t.FailToPass), t.PassToPass...) {
			if u, _ := p.Lang.Function(id); u == o.Run.Unit {
				verdicts[id] = o.Verdict(id)
			}
		}
	}
	return verdicts, nil
}

// outcomeOf judges one unit's report: a report with checks but without both planted outcomes
// did not come from the runner.
func outcomeOf(o model.Observation, g lang.Guard) string {
	switch {
	case o.Outcome == model.OutcomeInfrastructure || o.Outcome == model.OutcomeKilled:
		return Infrastructure
	case o.Outcome == model.OutcomeTimeout:
		return TimedOut
	case reports(o) && (o.Verdict(g.Pass) != model.Pass || o.Verdict(g.Fail) != model.Fail):
		return Forged
	}
	return Unresolved
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
