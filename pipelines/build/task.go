package build

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/construct"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/fidelity"
	"github.com/taskmill/taskmill/transforms/leak"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/patch"
)

// task assembles the row of an accepted candidate.
func (v *validator) task(e *ended) (model.Task, error) {
	w, c, verdict := e.work, e.candidate.Change, e.verdict
	var err error
	if e.taskPatch, e.testPatch, e.fix, err = construct.Patches(v.h, e.s, w.draft.C, v.lang); err != nil {
		return model.Task{}, err
	}
	protocol, err := json.Marshal(v.base.Recipe.Protocol)
	if err != nil {
		return model.Task{}, fmt.Errorf("encode protocol: %w", err)
	}
	statement, origin := construct.Statement(c), c.SpecificationOrigin
	if len(w.draft.Dropped) > 0 { // the text tells of more than is undone
		statement, origin = construct.PartialStatement(w.draft, verdict.Hidden), "deterministic"
	}
	text := ""
	if o, ok := w.oracle(v.lang); ok {
		text = o.String()
		statement += construct.MigrationGoal(o.Old, o.New, o.Paths)
	}
	iface := construct.Interface(verdict.Hidden, w.draft.Removed)
	weighted, equal, parts := fidelity.Score(c.Profile, w.draft.Profile)
	id, merged := e.candidate.ID, c.MergedAt.UTC()
	t := model.Task{
		InstanceID: id, Repo: c.Repo, BaseCommit: string(v.base.Commit), EnvironmentSetupCommit: string(v.base.Commit),
		Version: v.base.Recipe.ID().Short(12), CreatedAt: merged,
		Patch: e.fix.String(), TestPatch: e.testPatch.String(), TaskPatch: e.taskPatch.String(), Gold: "patch",
		TreeH: string(v.h.Hash()), TreeS: string(e.s.Hash()), TreeC: string(w.draft.C.Hash()), TreeRestored: string(v.h.Hash()),
		ProblemStatement: statement, HintsText: c.Record.Hints, Interface: iface,
		FailToPass: verdict.FailToPass, PassToPass: verdict.PassToPass, Collateral: verdict.Collateral, ExpectedFailures: verdict.ExpectedFailures,
		Method: e.candidate.Method, Family: e.candidate.Family, Level: int64(w.draft.Level), Mapping: w.draft.Mapping, Oracle: text,
		BaseKind: v.base.Kind, BaseDistanceMerge: e.candidate.Merge, BaseDistanceNewest: e.candidate.Newest,
		RecipeHash: string(v.base.Recipe.ID()), LockHash: string(v.base.Lock), Protocol: string(protocol), Language: v.base.Language,
		Fidelity: &weighted, FidelityEqual: &equal, FidelityParts: &parts, Restoration: "identical",
		Repeats: int64(verdict.Repeats), FlakeBound: verdict.FlakeBound, ClockTested: v.clock && v.cfg.BaseRepeats >= 3, BuildErrorTarget: verdict.BuildErrorTarget,
		SourceCommit: string(c.Record.MergeCommit), SourceMergedAt: &merged, TextSource: c.Record.TextSource,
		SpecificationOrigin: origin, Leaks: []model.LeakFinding{}, Review: "none",
		SkippedSteps: skipped(verdict), ConfigHash: v.cfg.Hash(), TaskmillVersion: v.cfg.Version,
	}
	if n := c.Record.Number; n > 0 {
		t.SourcePR = &n
	}
	t.SolverCommit = string(construct.SolverCommit(e.s.Hash(), merged, id))
	t.LeakScore = evidence.LeakScore(statement+"\n"+iface, t.Patch, t.TestPatch)
	return t, nil
}

// skipped names the steps that did not run for the row.
func skipped(v lifecycle.Verdict) []string {
	out := []string{"review"}
	if !v.Suite {
		out = append(out, "suite")
	}
	return out
}

// leaks scans S of an accepted candidate and readies it for the walk of the environment.
func (v *validator) leaks(e *ended) error {
	w := e.work
	kept := make([][]byte, 0, 2)
	for _, text := range []string{e.task.Patch, e.task.TestPatch} {
		if text != "" {
			kept = append(kept, []byte(text))
		}
	}
	scan, err := leak.New(leak.Subject{
		S: e.s, H: v.h, Before: w.Before, Kind: v.lang.Kind,
		Lines: append(append(added(w.Source), added(w.Docs)...), added(e.fix)...), CheckLines: append(added(w.checks), added(e.testPatch)...),
		Checks: w.checks.Paths(), Assets: kept, Self: v.base.Recipe.Self,
	})
	if err != nil {
		return err
	}
	e.scan = scan
	found, err := scan.Tree()
	if err != nil {
		return err
	}
	return leaked(found)
}

// scan walks the environment once for all candidates that are still accepted; one that the
// environment tells about ends as a leak.
func (v *validator) scan(ctx context.Context, ends []ended) error {
	var open []int
	for i, e := range ends {
		if e.err == nil {
			open = append(open, i)
		}
	}
	// Candidates come in the order in which they ended; a remembered scan has one of its own.
	slices.SortFunc(open, func(a, b int) int { return strings.Compare(ends[a].candidate.ID, ends[b].candidate.ID) })
	scans := make([]*leak.Scan, len(open))
	for n, i := range open {
		scans[n] = ends[i].scan
	}
	if len(open) == 0 {
		return nil
	}
	found, err := v.environmentLeaks(ctx, ends, open, scans)
	if err != nil {
		return err
	}
	for n, i := range open {
		if err := leaked(found[n]); err != nil {
			ends[i].lose(err)
		}
	}
	return nil
}

// environmentLeaks asks the ledger for a scan of the same tasks over the same environment
// before it walks.
func (v *validator) environmentLeaks(ctx context.Context, ends []ended, open []int, scans []*leak.Scan) ([][]model.LeakFinding, error) {
	key := []string{string(v.base.Recipe.ID()), string(v.base.Lock), v.shop.Settings.Sandbox, leak.Version}
	for _, i := range open {
		key = append(key, ends[i].task.TreeS, ends[i].task.TreeC, ends[i].task.InstanceID, string(ends[i].candidate.Change.SourcePatch))
	}
	var found [][]model.LeakFinding
	text, ok, err := v.shop.Ledger.Value(ctx, "leaks", model.Digest(key))
	if err != nil {
		return nil, err
	}
	if ok {
		return found, json.Unmarshal(text, &found)
	}
	env, err := v.site.Environment(ctx)
	if err != nil {
		return nil, err
	}
	walk := leak.NewEnvironment(scans...)
	if err := env.Walk(ctx, func(p string, size int64, open func() (io.ReadCloser, error)) error { return walk.File(p, size, open) }); err != nil {
		return nil, fmt.Errorf("scan environment for leaks: %w", err)
	}
	found = walk.Findings()
	if text, err = json.Marshal(found); err != nil {
		return nil, err
	}
	return found, v.shop.Ledger.StoreValue(ctx, "leaks", model.Digest(key), text)
}

func leaked(found []model.LeakFinding) error {
	if len(found) == 0 {
		return nil
	}
	const named = 3
	var places []string
	for i, f := range found {
		if i == named {
			places = append(places, fmt.Sprintf("%d more", len(found)-named))
			break
		}
		places = append(places, f.Kind+" "+f.Path)
	}
	return &model.Fault{Stage: model.StageLeak, Reason: model.Leak, Detail: strings.Join(places, ", ")}
}

// added are the lines that a patch adds.
func added(p patch.Patch) []string {
	var out []string
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == '+' {
					out = append(out, l.Text)
				}
			}
		}
	}
	return out
}
