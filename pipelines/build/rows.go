package build

import (
	"cmp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/construct"
)

func init() {
	beam.RegisterDoFn(&byChangeFn{})
	beam.RegisterDoFn(&plannedByChangeFn{})
	beam.RegisterDoFn(&taskByChangeFn{})
	beam.RegisterDoFn(&rejectionByChangeFn{})
	beam.RegisterDoFn(&changeRowFn{})
	beam.RegisterDoFn(&baseByKeyFn{})
	beam.RegisterDoFn(&taskByBaseFn{})
	beam.RegisterDoFn(&baseRowFn{})
	beam.RegisterDoFn(&runByKeyFn{})
	beam.RegisterDoFn(&runRowFn{})
	beam.RegisterDoFn(&baseCostFn{})
	beam.RegisterDoFn(&oneBuildFn{})
	beam.RegisterDoFn(&buildCostFn{})
	register.Iter1[model.Cost]()
	register.Iter1[string]()
	register.Iter1[model.Rejection]()
	register.Iter1[model.BaseRow]()
	register.Iter1[model.RunRow]()
	register.Emitter1[model.ChangeRow]()
}

// changeRows joins Change with what became of it: ChangeRow, one a change. What a source told that
// is no merged change has no row.
func changeRows(s beam.Scope, changes, planned, tasks, rejected beam.PCollection) beam.PCollection {
	s = s.Scope("changes")
	return beam.ParDo(s, &changeRowFn{}, beam.CoGroupByKey(s,
		beam.ParDo(s, &byChangeFn{}, changes),
		beam.ParDo(s, &plannedByChangeFn{}, planned),
		beam.ParDo(s, &taskByChangeFn{}, tasks),
		beam.ParDo(s, &rejectionByChangeFn{}, rejected)))
}

type byChangeFn struct{}

func (byChangeFn) ProcessElement(c model.Change) (string, model.Change) { return c.ID, c }

type plannedByChangeFn struct{}

func (plannedByChangeFn) ProcessElement(_ string, p Planned) (string, Planned) {
	return p.Change.ID, Planned{Slot: p.Slot, Sampled: p.Sampled, Try: p.Try, Reached: p.Reached}
}

type taskByChangeFn struct{}

func (taskByChangeFn) ProcessElement(t model.Task) (string, model.BaseLevel) {
	return t.InstanceID, model.BaseLevel{BaseCommit: t.BaseCommit, Level: t.Level, Mapping: t.Mapping}
}

type rejectionByChangeFn struct{}

func (rejectionByChangeFn) ProcessElement(r model.Rejection) (string, model.Rejection) {
	return r.Candidate, r
}

type changeRowFn struct{}

// ProcessElement leaves out twins and the further variants of a change: their ids are those of no
// change.
func (changeRowFn) ProcessElement(_ string, changes func(*model.Change) bool, planned func(*Planned) bool, tasks func(*model.BaseLevel) bool, rejected func(*model.Rejection) bool, emit func(model.ChangeRow)) {
	var c model.Change
	var end model.Rejection
	ended := rejected(&end)
	if !changes(&c) {
		if _, twin := model.TwinOf(end.Candidate); !ended || twin || end.Family == model.FamilyTests || end.NoChange() {
			return
		}
		c = unread(end) // it could not be read
	}
	r := model.ChangeRow{
		Change: c.ID, Repo: c.Repo, SourceCommit: string(c.Record.MergeCommit), SourceMergedAt: c.MergedAt.UTC(),
		Language: c.Language, Family: c.Family, Eligible: c.Eligible, Reason: string(c.Reason),
		ProductionFiles: int64(c.Profile.Files), Hunks: int64(c.Profile.Hunks), Lines: int64(c.Profile.Lines),
		Symbols: int64(c.Profile.Symbols), TargetChecks: int64(c.Profile.TargetChecks),
		TextSource: c.Record.TextSource, TextWords: int64(c.TextWords), End: "pending",
	}
	if n := c.Record.Number; n > 0 {
		r.SourcePR = &n
	}
	tries := slices.SortedFunc(values(planned), func(a, b Planned) int { return cmp.Compare(a.Try, b.Try) })
	if len(tries) > 0 {
		r.Planned, r.Sampled = true, tries[0].Sampled
	}
	if ended {
		r.End, r.EndStage, r.EndReason = "rejection", string(end.Stage), string(end.Reason)
		if end.Infrastructure {
			r.End = "pending" // taken up by the next build
		}
	}
	reached := model.BaseLevel{BaseCommit: end.BaseCommit, Level: end.Level, Mapping: end.Mapping}
	if tasks(&reached) {
		r.End, r.EndStage, r.EndReason = "task", "", ""
	}
	r.Bases = undone(tries)
	if len(tries) > 0 && (r.End == "task" || afterConstruction[model.Stage(r.EndStage)]) {
		r.Bases = slices.Compact(append(r.Bases, reached))
	}
	emit(r)
}

// undone are the bases that a change was undone on before its last try.
func undone(tries []Planned) (out []model.BaseLevel) {
	for i, p := range tries {
		if i+1 < len(tries) && tries[i+1].Try != ownTry { // it was planned there because it reverses there
			out = append(out, model.BaseLevel{BaseCommit: string(p.Slot.Commit), Level: 1, Mapping: construct.MappingReversal})
		}
		if p.Reached.BaseCommit != "" {
			out = append(out, p.Reached)
		}
	}
	return out
}

// unread is what a rejection tells of a change that reading did not come to.
func unread(r model.Rejection) model.Change {
	c := model.Change{ID: r.Candidate, Repo: r.Repo, Reason: r.Reason, Record: model.Record{MergeCommit: model.Hash(r.SourceCommit)}}
	if r.SourcePR != nil {
		c.Record.Number = *r.SourcePR
	}
	if r.SourceMergedAt != nil {
		c.MergedAt = *r.SourceMergedAt
	}
	return c
}

// afterConstruction are the stages that a change reaches only when it reverses on its base.
var afterConstruction = map[model.Stage]bool{
	model.StageAlignment: true, model.StageLifecycle: true, model.StageFidelity: true, model.StageLeak: true, model.StageReview: true,
}

// baseRows joins BaseRow, of which each try may have made one, with the tasks built on the base
// and its unstable checks.
func baseRows(s beam.Scope, bases, tasks, unstable beam.PCollection) beam.PCollection {
	s = s.Scope("bases")
	return beam.ParDo(s, &baseRowFn{}, beam.CoGroupByKey(s, beam.ParDo(s, &baseByKeyFn{}, bases), beam.ParDo(s, &taskByBaseFn{}, tasks), unstable))
}

func baseKey(repo, commit, recipe string) string { return repo + "@" + commit + "#" + recipe }

type baseByKeyFn struct{}

func (baseByKeyFn) ProcessElement(b model.BaseRow) (string, model.BaseRow) {
	return baseKey(b.Repo, b.BaseCommit, b.RecipeHash), b
}

type taskByBaseFn struct{}

// ProcessElement counts each change once: twins and further variants are no further tasks of a base.
func (taskByBaseFn) ProcessElement(t model.Task, emit func(string, string)) {
	if _, twin := model.TwinOf(t.InstanceID); !twin && t.Family != model.FamilyTests {
		emit(baseKey(t.Repo, t.BaseCommit, t.RecipeHash), t.InstanceID)
	}
}

type baseRowFn struct{}

func (baseRowFn) ProcessElement(_ string, bases func(*model.BaseRow) bool, tasks func(*string) bool, unstable func(*model.UnstableCheck) bool, emit func(model.BaseRow)) {
	var n int64
	for range values(tasks) {
		n++
	}
	checks := slices.SortedFunc(values(unstable), func(a, b model.UnstableCheck) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Cause, b.Cause))
	})
	checks = slices.Compact(checks)
	found := slices.SortedFunc(values(bases), func(a, b model.BaseRow) int {
		return cmp.Or(rank(b)-rank(a), ofPlan(b)-ofPlan(a), cmp.Compare(b.ChangesPlanned, a.ChangesPlanned))
	})
	if len(found) == 0 {
		return
	}
	best := found[0]
	for _, b := range found[1:] {
		best.ChangesPlanned += b.ChangesPlanned
	}
	best.Tasks, best.Unstable = n, checks
	emit(best)
}

// rank orders the rows of one base by how far it came.
func rank(b model.BaseRow) int {
	switch {
	case b.Healthy:
		return 2
	case b.Prepared:
		return 1
	}
	return 0
}

// ofPlan is 1 for a base of the plan, 0 for a change's own revision.
func ofPlan(b model.BaseRow) int {
	if b.BaseKind == base.Historical {
		return 0
	}
	return 1
}

// runRows keeps one row of each run and candidate: the one that ran it rather than one that
// found it in the ledger.
func runRows(s beam.Scope, runs ...beam.PCollection) beam.PCollection {
	s = s.Scope("runs")
	return beam.ParDo(s, &runRowFn{}, beam.GroupByKey(s, beam.ParDo(s, &runByKeyFn{}, beam.Flatten(s, runs...))))
}

type runByKeyFn struct{}

func (runByKeyFn) ProcessElement(r model.RunRow) (string, model.RunRow) {
	return r.RunHash + "/" + r.Candidate, r
}

type runRowFn struct{}

func (runRowFn) ProcessElement(_ string, rows func(*model.RunRow) bool, emit func(model.RunRow)) {
	var best model.RunRow
	first := true
	for r := range values(rows) {
		if first || best.FromLedger && !r.FromLedger {
			r.Executions = max(r.Executions, best.Executions)
			best, first = r, false
		}
		best.Executions = max(best.Executions, r.Executions)
	}
	emit(best)
}

// costRows adds to the tasks' own costs those of the bases, prepared once for all, and the
// build's as a whole.
func costRows(s beam.Scope, bases, tasks beam.PCollection) beam.PCollection {
	s = s.Scope("costs")
	parts := beam.Flatten(s, beam.ParDo(s, &baseCostFn{}, bases), tasks)
	whole := beam.ParDo(s, &buildCostFn{}, beam.GroupByKey(s, beam.ParDo(s, &oneBuildFn{}, parts)))
	return beam.Flatten(s, parts, whole)
}

type baseCostFn struct{}

func (baseCostFn) ProcessElement(b model.BaseRow) model.Cost {
	return model.Cost{Scope: "base", Key: b.Repo + "@" + b.BaseCommit, Condition: "reuse", Seconds: b.PrepareSeconds, Bytes: b.Bytes}
}

type oneBuildFn struct{}

func (oneBuildFn) ProcessElement(c model.Cost) (string, model.Cost) { return "build", c }

type buildCostFn struct{}

func (buildCostFn) ProcessElement(_ string, costs func(*model.Cost) bool) model.Cost {
	sum := model.Cost{Scope: "build", Key: "build", Condition: "reuse"}
	for c := range values(costs) {
		sum.Seconds += c.Seconds
		sum.Bytes += c.Bytes
		sum.TokensIn += c.TokensIn
		sum.TokensOut += c.TokensOut
		sum.USD += c.USD
	}
	return sum
}
