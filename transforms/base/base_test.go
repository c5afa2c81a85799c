package base

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func change(n int64, eligible bool) model.Change {
	r := model.Record{Repo: "o/r", Number: n, MergeCommit: model.Hash(fmt.Sprintf("m%d", n))}
	return model.Change{ID: r.Key(), Record: r, Repo: "o/r", Family: "bug_fix", Language: "go",
		Eligible: eligible, MergedAt: time.Date(2025, 1, int(n), 0, 0, 0, 0, time.UTC)}
}

func TestMakePlan(t *testing.T) {
	changes := []model.Change{change(3, true), change(1, true), change(2, false), change(4, true), change(5, true), change(6, true), change(7, true)}
	// The base covers the first five of six, the older commits as many as said.
	covers := map[model.Hash]int{"new": 5, "a": 3, "b": 4, "c": 5, "d": 5}
	order := []string{"o__r-1", "o__r-3", "o__r-4", "o__r-5", "o__r-6", "o__r-7"}
	o := Options{Newest: "new", Older: []model.Hash{"a", "b", "c", "d"}, Covers: func(c model.Change, h model.Hash) bool {
		for i, id := range order {
			if id == c.ID {
				return i < covers[h]
			}
		}
		return false
	}}
	for _, c := range []struct {
		name string
		edit func(*Options)
		want model.Slot
	}{
		{"default branch", func(*Options) {}, model.Slot{Kind: Default, Commit: "new", Alternates: []model.Hash{"b", "c"}}},
		{"declared", func(o *Options) { o.Base, o.Kind = "c", Declared }, model.Slot{Kind: Declared, Commit: "c", Alternates: []model.Hash{"b", "d"}}},
		{"nothing covered", func(o *Options) { o.Covers = func(model.Change, model.Hash) bool { return false } }, model.Slot{Kind: Default, Commit: "new"}},
		{"no coverage asked", func(o *Options) { o.Covers = nil }, model.Slot{Kind: Default, Commit: "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := o
			c.edit(&o)
			source := model.Source{Repo: "o/r", Location: "/r"}
			c.want.Repo, c.want.Source, c.want.Changes = "o/r", source, order
			want := model.Plan{Repo: "o/r", Slots: []model.Slot{c.want}}
			if diff := cmp.Diff(want, MakePlan("o/r", source, changes, o)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// line is a history in which commits are numbered in order.
type line map[model.Hash]int

func (l line) IsAncestor(a, b model.Hash) (bool, error) {
	if _, ok := l[b]; !ok {
		return false, fmt.Errorf("no commit %s", b)
	}
	i, ok := l[a]
	return ok && i <= l[b], nil
}

func (l line) Distance(a, b model.Hash) (int, int, error) {
	return 10 * (l[b] - l[a]), l[b] - l[a], nil
}

func TestAssign(t *testing.T) {
	history := line{"m1": 1, "m2": 2, "base": 3, "m3": 5, "new": 9}
	itself := change(5, true)
	itself.Record.MergeCommit = "base"
	changes := []model.Change{change(1, true), change(2, true), change(3, true), itself}
	plan := MakePlan("o/r", model.Source{}, changes, Options{Base: "base", Kind: Declared})
	b := model.Base{Repo: "o/r", Commit: "base"}

	candidates, rejections, err := Assign(plan, []Filled{{Slot: "base", Base: b}}, changes, "new", history)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][4]int{}
	for _, c := range candidates {
		got[c.ID] = [4]int{c.DistanceMergeDays, c.DistanceMergeCommits, c.DistanceNewestDays, c.DistanceNewestCommits}
	}
	if diff := cmp.Diff(map[string][4]int{"o__r-1": {20, 2, 60, 6}, "o__r-2": {10, 1, 60, 6}}, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	reasons := map[string]model.Reason{}
	for _, r := range rejections {
		reasons[r.Candidate] = r.Reason
	}
	if diff := cmp.Diff(map[string]model.Reason{"o__r-3": model.NotAncestor, "o__r-5": model.NotAncestor}, reasons); diff != "" {
		t.Errorf("rejections (-want +got):\n%s", diff)
	}
}

func TestAssignToNoHealthyBase(t *testing.T) {
	changes := []model.Change{change(1, true)}
	plan := MakePlan("o/r", model.Source{}, changes, Options{Newest: "new"})
	fault := &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: "no module"}
	for name, filled := range map[string][]Filled{
		"failed":   {{Slot: "new", Base: model.Base{Commit: "alt"}, Fault: fault}},
		"unfilled": nil,
	} {
		_, rejections, err := Assign(plan, filled, changes, "new", line{})
		if err != nil || len(rejections) != 1 {
			t.Fatalf("%s: %v, %v", name, rejections, err)
		}
		want := model.BaseUnhealthy
		if filled != nil {
			want = model.EnvironmentFailed
		}
		if r := rejections[0]; r.Reason != want || *r.SourcePR != 1 {
			t.Errorf("%s: %+v, want reason %s", name, r, want)
		}
	}
}

func TestHealthy(t *testing.T) {
	obs := func(unit string, verdicts ...model.Verdict) model.Observation {
		o := model.Observation{Run: model.Run{Unit: unit}}
		for i, v := range verdicts {
			o.Checks = append(o.Checks, model.Check{ID: fmt.Sprintf("%s::%d", unit, i), Verdict: v})
		}
		return o
	}
	for _, c := range []struct {
		name string
		obs  []model.Observation
		want bool
	}{
		{"half holds", []model.Observation{obs("a", model.Pass, model.Fail), obs("b", model.XFail, model.Error)}, true},
		{"under half", []model.Observation{obs("a", model.Pass, model.Fail), obs("b", model.Fail)}, false},
		{"skipped checks do not count", []model.Observation{obs("a", model.Pass, model.Skip, model.Skip), obs("b", model.Pass)}, true},
		{"flips do not hold", []model.Observation{obs("a", model.Pass), obs("a", model.Fail), obs("b", model.Pass), obs("b", model.Fail)}, false},
		{"missing in one run does not hold", []model.Observation{obs("a", model.Pass), obs("a"), obs("b", model.Fail)}, false},
		{"an unbuilt unit counts", []model.Observation{obs("a", model.Pass)}, true},
		{"nothing observed", nil, false},
	} {
		if got := Healthy([]string{"a", "b"}, c.obs) == nil; got != c.want {
			t.Errorf("%s: healthy %v, want %v", c.name, got, c.want)
		}
	}
}
