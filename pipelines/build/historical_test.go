package build

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
)

// lost is a drawn change on a base of the plan, and its slot when it stands alone.
func lost() (Planned, model.Slot) {
	source := model.Source{Repo: "o/r", Location: "/r"}
	p := Planned{Slot: model.Slot{Repo: "o/r", Source: source, Commit: "newest", Language: "go", Kind: base.Default, Alternates: []model.Hash{"x"}}, Sampled: true, Change: model.Change{ID: "o__r-7"}}
	p.Change.Record.MergeCommit, p.Change.Record.After = "merge", "head"
	return p, model.Slot{Repo: "o/r", Source: source, Commit: "head", Language: "go", Kind: base.Historical}
}

// A change falls back once its last base was at fault or could not take it, if a commit holds it.
func TestFallBack(t *testing.T) {
	p, slot := lost()
	benchmark, _ := lost()
	benchmark.Change.Record.Patch = "patch"
	reached := model.BaseLevel{BaseCommit: "newest", Level: 2, Mapping: "block"}
	early := model.Rejection{Candidate: "o__r-7", Stage: model.StageConstruct, Reason: model.DoesNotReverse, BaseCommit: "newest", Level: 1, Mapping: "reversal"}
	late := model.Rejection{Candidate: "o__r-7", Stage: model.StageLifecycle, Reason: model.RegressionBroken, BaseCommit: "newest", Level: 2, Mapping: "block"}
	machine := early
	machine.Infrastructure = true
	for _, tt := range []struct {
		name    string
		planned []Planned
		end     model.Rejection
		want    []Planned
	}{
		{"nothing reverses", []Planned{p}, early, []Planned{{Slot: slot, Change: p.Change, Sampled: true, Try: 2}}},
		{"undone, and another test broke", []Planned{p}, late, []Planned{{Slot: slot, Change: p.Change, Sampled: true, Try: 2, Reached: reached}}},
		{"the change's own fault", []Planned{p}, model.Rejection{Candidate: "o__r-7", Reason: model.NotDiscriminating}, nil},
		{"the machine's fault", []Planned{p}, machine, nil},
		{"no commit holds it", []Planned{benchmark}, early, nil},
		{"not planned", nil, early, nil},
	} {
		var got []Planned
		var held, final []model.Rejection
		fallBackFn{}.ProcessElement("o__r-7", each(tt.planned...), each(tt.end), func(_ string, p Planned) { got = append(got, p) }, collect(&held), collect(&final))
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if len(held) != len(tt.want) || len(held)+len(final) != 1 {
			t.Errorf("%s: %d held, %d final", tt.name, len(held), len(final))
		}
	}
}

// A change has one end, whatever its own revision gave.
func TestSettle(t *testing.T) {
	before := model.Rejection{Candidate: "o__r-7", Reason: model.DoesNotReverse}
	after := model.Rejection{Candidate: "o__r-7", Reason: model.EnvironmentFailed}
	machine := model.Rejection{Candidate: "o__r-7", Reason: model.Infrastructure, Infrastructure: true}
	for _, tt := range []struct {
		name        string
		held, ended []model.Rejection
		tasks       []model.BaseLevel
		want        []model.Rejection
	}{
		{"a task", []model.Rejection{before}, nil, []model.BaseLevel{{BaseCommit: "head"}}, nil},
		{"lost there too", []model.Rejection{before}, []model.Rejection{after}, nil, []model.Rejection{before}},
		{"no verdict there", []model.Rejection{before}, []model.Rejection{machine}, nil, []model.Rejection{machine}},
		{"a variant of one", nil, []model.Rejection{after}, nil, []model.Rejection{after}},
	} {
		var got []model.Rejection
		settleFn{}.ProcessElement("", each(tt.held...), each(tt.tasks...), each(tt.ended...), collect(&got))
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// The row of a change tells the bases that it was undone on, the plan's and its own.
func TestChangeRowOfAChangeOnItsOwnRevision(t *testing.T) {
	first, slot := lost()
	second := Planned{Slot: model.Slot{Commit: "older"}, Sampled: true, Try: 1}
	alone := Planned{Slot: slot, Sampled: true, Try: 2}
	late := alone
	late.Reached = model.BaseLevel{BaseCommit: "older", Level: 2, Mapping: "block"}
	task := model.BaseLevel{BaseCommit: "head", Level: 1, Mapping: "reversal"}
	end := model.Rejection{Candidate: "o__r-7", Stage: model.StageLifecycle, Reason: model.RegressionBroken, BaseCommit: "older", Level: 2, Mapping: "block"}
	for _, tt := range []struct {
		name    string
		planned []Planned
		tasks   []model.BaseLevel
		ends    []model.Rejection
		want    []model.BaseLevel
	}{
		{"never undone before", []Planned{alone, first}, []model.BaseLevel{task}, nil, []model.BaseLevel{task}},
		{"after two bases", []Planned{first, late, second}, []model.BaseLevel{task}, nil, []model.BaseLevel{{BaseCommit: "newest", Level: 1, Mapping: "reversal"}, late.Reached, task}},
		{"lost in the end", []Planned{first, late, second}, nil, []model.Rejection{end}, []model.BaseLevel{{BaseCommit: "newest", Level: 1, Mapping: "reversal"}, late.Reached}},
	} {
		var got []model.ChangeRow
		changeRowFn{}.ProcessElement("o__r-7", each(first.Change), each(tt.planned...), each(tt.tasks...), each(tt.ends...), collect(&got))
		if d := cmp.Diff(tt.want, got[0].Bases); d != "" || len(got) != 1 {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	var rows []model.ChangeRow
	changeRowFn{}.ProcessElement("", each[model.Change](), each[Planned](), each[model.BaseLevel](), each(model.Rejection{Candidate: model.TwinID("o__r-7")}), collect(&rows))
	if len(rows) > 0 {
		t.Errorf("a lost twin has a row of changes: %v", rows)
	}
}

// A commit that is a base of the plan and a change's own revision is told as the plan's.
func TestBaseRowOfTwoKinds(t *testing.T) {
	var got []model.BaseRow
	baseRowFn{}.ProcessElement("", each(model.BaseRow{BaseKind: base.Historical, Healthy: true, ChangesPlanned: 9}, model.BaseRow{BaseKind: base.Planned, Healthy: true, ChangesPlanned: 1}), each("a"), each[model.UnstableCheck](), collect(&got))
	if len(got) != 1 || got[0].BaseKind != base.Planned || got[0].ChangesPlanned != 10 {
		t.Errorf("%+v", got)
	}
}

func TestTwins(t *testing.T) {
	p, slot := lost()
	var got []Planned
	twinFn{}.ProcessElement("o__r-7", each(p), each("o__r-7"), func(_ string, p Planned) { got = append(got, p) })
	twinFn{}.ProcessElement("o__r-8", each(p), each[string](), func(_ string, p Planned) { t.Errorf("a twin of no task: %v", p) })
	twinFn{}.ProcessElement("o__r-7.test_generation", each[Planned](), each("x"), func(_ string, p Planned) { t.Errorf("a twin of a variant alone: %v", p) })
	if d := cmp.Diff([]Planned{{Slot: slot, Change: p.Change, Sampled: true, Try: 2, Twin: true}}, got); d != "" {
		t.Fatal(d)
	}
	if c := got[0].candidate(); c.ID != "o__r-7.historical" || c.Change.ID != "o__r-7" || c.Try != 2 {
		t.Errorf("candidate %s of %s, try %d", c.ID, c.Change.ID, c.Try)
	}
	var keys []string
	for _, kind := range []string{base.Planned, base.Historical} {
		modernFn{}.ProcessElement(model.Task{InstanceID: kind, BaseKind: kind}, func(k, v string) { keys = append(keys, fmt.Sprint(k, v)) })
	}
	if d := cmp.Diff([]string{"plannedplanned"}, keys); d != "" {
		t.Error(d)
	}
}

func TestPairs(t *testing.T) {
	got := pairsOf([]string{"o__r-9", "o__r-7.historical", "o__r-7.test_generation", "o__r-7", "o__r-7.historical.test_generation", "o__r-8.historical"})
	want := "# the task on the original branch, the task on a base of the plan\na\tb\n" +
		"o__r-7.historical\to__r-7\no__r-7.historical.test_generation\to__r-7.test_generation\n"
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}
