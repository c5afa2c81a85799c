package build

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestRegistered(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	cfg := valid()
	cfg.Historical, cfg.PairHistorical = true, true
	Build(s, cfg)
	e, err := vet.Evaluate(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if e.RequiresRegistrations() { // typed shims are left out on purpose: they cost the compiler minutes
		e.Generate("pipeline")
		t.Errorf("functions or types are not registered:\n%s", e.Bytes())
	}
}

// each is a group's values as the SDK gives them.
func each[T any](values ...T) func(*T) bool {
	return func(into *T) bool {
		if len(values) == 0 {
			return false
		}
		*into, values = values[0], values[1:]
		return true
	}
}

func TestChangeRow(t *testing.T) {
	merged := day("2025-03-04").In(time.FixedZone("x", 7200))
	change := model.Change{ID: "o__r-7", Repo: "o/r", Language: "go", Family: "bug_fix", Eligible: true, MergedAt: merged, TextWords: 12}
	change.Record.Number, change.Record.MergeCommit, change.Record.TextSource = 7, "abc", "title"
	planned := Planned{Slot: model.Slot{Commit: "base"}, Sampled: true}
	seven := int64(7)
	row := func(edit func(*model.ChangeRow)) model.ChangeRow {
		r := model.ChangeRow{Change: "o__r-7", Repo: "o/r", SourcePR: &seven, SourceCommit: "abc", SourceMergedAt: merged.UTC(), Language: "go", Family: "bug_fix",
			Eligible: true, TextSource: "title", TextWords: 12, End: "pending"}
		edit(&r)
		return r
	}
	reached := []model.BaseLevel{{BaseCommit: "base", Level: 1, Mapping: "reversal"}}
	for _, c := range []struct {
		name    string
		planned []Planned
		tasks   []model.BaseLevel
		ends    []model.Rejection
		want    model.ChangeRow
	}{
		{"not planned", nil, nil, nil, row(func(*model.ChangeRow) {})},
		{"planned, not drawn", []Planned{{Slot: planned.Slot}}, nil, nil, row(func(r *model.ChangeRow) { r.Planned = true })},
		{"task", []Planned{planned}, reached, nil, row(func(r *model.ChangeRow) { r.Planned, r.Sampled, r.End, r.Bases = true, true, "task", reached })},
		{"does not reverse", []Planned{planned}, nil, []model.Rejection{{Stage: model.StageConstruct, Reason: model.DoesNotReverse}},
			row(func(r *model.ChangeRow) {
				r.Planned, r.Sampled, r.End, r.EndStage, r.EndReason = true, true, "rejection", string(model.StageConstruct), string(model.DoesNotReverse)
			})},
		{"reverses and fails later", []Planned{planned}, nil, []model.Rejection{{Stage: model.StageLifecycle, Reason: model.Flaky, BaseCommit: "base", Level: 1, Mapping: "reversal"}},
			row(func(r *model.ChangeRow) {
				r.Planned, r.Sampled, r.End, r.EndStage, r.EndReason, r.Bases = true, true, "rejection", string(model.StageLifecycle), string(model.Flaky), reached
			})},
		{"infrastructure is taken up again", []Planned{planned}, nil, []model.Rejection{{Stage: model.StageLifecycle, Reason: model.Infrastructure, Infrastructure: true, BaseCommit: "base", Level: 1, Mapping: "reversal"}},
			row(func(r *model.ChangeRow) {
				r.Planned, r.Sampled, r.End, r.EndStage, r.EndReason, r.Bases = true, true, "pending", string(model.StageLifecycle), string(model.Infrastructure), reached
			})},
	} {
		var got []model.ChangeRow
		changeRowFn{}.ProcessElement("o__r-7", each(change), each(c.planned...), each(c.tasks...), each(c.ends...), func(r model.ChangeRow) { got = append(got, r) })
		if d := cmp.Diff([]model.ChangeRow{c.want}, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// A change that could not be read has a row that names it, with what its rejection knows.
func TestChangeRowOfAnUnreadChange(t *testing.T) {
	merged, three := day("2025-03-04"), int64(3)
	end := model.Rejection{Repo: "o/r", Candidate: "o__r-3", SourcePR: &three, SourceCommit: "abc", SourceMergedAt: &merged,
		Stage: model.StageIngest, Reason: model.Infrastructure, Infrastructure: true}
	var got []model.ChangeRow
	emit := func(r model.ChangeRow) { got = append(got, r) }
	changeRowFn{}.ProcessElement("o__r-3", each[model.Change](), each[Planned](), each[model.BaseLevel](), each(end), emit)
	want := []model.ChangeRow{{Change: "o__r-3", Repo: "o/r", SourcePR: &three, SourceCommit: "abc", SourceMergedAt: merged,
		Reason: "infrastructure", End: "pending", EndStage: "ingest", EndReason: "infrastructure"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func collect[T any](into *[]T) func(T) { return func(v T) { *into = append(*into, v) } }

func TestBaseRow(t *testing.T) {
	var got []model.BaseRow
	baseRowFn{}.ProcessElement("", each(model.BaseRow{Repo: "o/r", ChangesPlanned: 2}, model.BaseRow{Repo: "o/r", Prepared: true, Healthy: true, ChangesPlanned: 3}), each("a", "b", "c"), each(model.UnstableCheck{ID: "y", Cause: "order"}, model.UnstableCheck{ID: "x", Cause: "flaky"}, model.UnstableCheck{ID: "x", Cause: "flaky"}), collect(&got))
	flips := []model.UnstableCheck{{ID: "x", Cause: "flaky"}, {ID: "y", Cause: "order"}}
	if d := cmp.Diff([]model.BaseRow{{Repo: "o/r", Prepared: true, Healthy: true, ChangesPlanned: 5, Tasks: 3, Unstable: flips}}, got); d != "" {
		t.Error(d)
	}
	got = nil
	baseRowFn{}.ProcessElement("", each[model.BaseRow](), each("a"), each[model.UnstableCheck](), collect(&got))
	if len(got) != 0 {
		t.Errorf("a base out of nothing: %+v", got)
	}
}

// Of the rows of one run the one that made it is kept, in whatever order they come.
func TestRunRow(t *testing.T) {
	rows := []model.RunRow{
		{RunHash: "k", FromLedger: true, Executions: 1, State: "H"}, {RunHash: "k", Executions: 1, State: "H", Seconds: 2}, {RunHash: "k", FromLedger: true, Executions: 2, State: "H"},
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var got []model.RunRow
		in := make([]model.RunRow, 0, 3)
		for _, i := range order {
			in = append(in, rows[i])
		}
		runRowFn{}.ProcessElement("k/", each(in...), collect(&got))
		if d := cmp.Diff([]model.RunRow{{RunHash: "k", Executions: 2, State: "H", Seconds: 2}}, got); d != "" {
			t.Errorf("%v: %s", order, d)
		}
	}
}

func TestDraw(t *testing.T) {
	var changes []model.Change
	for i := range 20 {
		changes = append(changes, model.Change{ID: fmt.Sprintf("o__r-%d", i)})
	}
	if got := draw(changes, 0); len(got) != 20 {
		t.Errorf("0 draws %d, want all", len(got))
	}
	if got := draw(changes, 99); len(got) != 20 {
		t.Errorf("99 draws %d of 20", len(got))
	}
	five, six := draw(changes, 5), draw(changes, 6)
	if len(five) != 5 || len(six) != 6 {
		t.Fatalf("%d and %d", len(five), len(six))
	}
	for id := range five {
		if !six[id] {
			t.Errorf("%s is drawn of 5 and not of 6", id)
		}
	}
	slices.Reverse(changes)
	if d := cmp.Diff(five, draw(changes, 5)); d != "" {
		t.Errorf("the order of the changes decides: %s", d)
	}
}

func TestReject(t *testing.T) {
	c := model.Candidate{ID: "o__r-7", BaseKey: "o/r@c0ffee#recipe", Method: "change", Family: "feature"}
	c.Change = model.Change{ID: "o__r-7", Repo: "o/r", Family: "feature", Language: "go", MergedAt: day("2025-03-04")}
	c.Change.Record.Number = 7
	fault := &model.Fault{Stage: model.StageConstruct, Reason: model.NoParse, Detail: "a.go:1"}
	for name, err := range map[string]error{"plain": fault, "wrapped": fmt.Errorf("construct: %w", fault), "joined": errors.Join(errors.New("close"), fault)} {
		r := Reject(c, err)
		if r.Stage != model.StageConstruct || r.Reason != model.NoParse || r.Detail != "a.go:1" || r.Infrastructure || r.BaseCommit != "c0ffee" || *r.SourcePR != 7 || r.Candidate != "o__r-7" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r := Reject(c, errors.New("engine away"))
	if r.Reason != model.Infrastructure || !r.Infrastructure || r.Detail != "engine away" {
		t.Errorf("%+v", r)
	}
	if r := Reject(model.Candidate{}, &model.Fault{Stage: model.StageLifecycle, Reason: model.Infrastructure}); !r.Infrastructure || r.SourcePR != nil || r.SourceMergedAt != nil || r.BaseCommit != "" {
		t.Errorf("%+v", r)
	}
}

func TestShard(t *testing.T) {
	seen := map[string]int{}
	for i := range 1000 {
		key := fmt.Sprint("key", i)
		if shard(key, 1) != "0" || shard(key, 0) != "0" {
			t.Fatal("one shard is shard 0")
		}
		seen[shard(key, 4)]++
	}
	if len(seen) != 4 || seen["0"] < 150 {
		t.Errorf("%v", seen)
	}
}

// A further variant of a change is no change: neither its task nor its rejection makes a row.
func TestChangeRowOfAVariant(t *testing.T) {
	emit := func(r model.ChangeRow) { t.Errorf("a row: %+v", r) }
	changeRowFn{}.ProcessElement("o__r-3.test_generation", each[model.Change](), each[Planned](), each(model.BaseLevel{BaseCommit: "base"}), each[model.Rejection](), emit)
	changeRowFn{}.ProcessElement("o__r-3.test_generation", each[model.Change](), each[Planned](), each[model.BaseLevel](),
		each(model.Rejection{Candidate: "o__r-3.test_generation", Family: model.FamilyTests}), emit)

}

// What a source tells that is no change has no row: the table is the denominator of every rate.
func TestNoChangeRowOfWhatIsNone(t *testing.T) {
	for _, reason := range []model.Reason{model.NoParse, model.NotMerged} {
		end := model.Rejection{Repo: "o/r", Candidate: "dump.json:7", Stage: model.StageIngest, Reason: reason}
		changeRowFn{}.ProcessElement("dump.json:7", each[model.Change](), each[Planned](), each[model.BaseLevel](), each(end), func(r model.ChangeRow) {
			t.Errorf("%s: a row: %v", reason, r)
		})
	}
}
