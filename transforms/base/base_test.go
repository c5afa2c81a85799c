package base

import (
	"errors"
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
	o := Options{Newest: "new", Older: []model.Hash{"a", "b", "c", "d"}, Covers: func(c model.Change, h model.Hash) (bool, error) {
		for i, id := range order {
			if id == c.ID {
				return i < covers[h], nil
			}
		}
		return false, nil
	}}
	for _, c := range []struct {
		name string
		edit func(*Options)
		want model.Slot
	}{
		{"default branch", func(*Options) {}, model.Slot{Kind: Default, Commit: "new", Alternates: []model.Hash{"b", "c"}}},
		{"declared", func(o *Options) { o.Base, o.Kind = "c", Declared }, model.Slot{Kind: Declared, Commit: "c", Alternates: []model.Hash{"b", "d"}}},
		{"nothing covered", func(o *Options) { o.Covers = func(model.Change, model.Hash) (bool, error) { return false, nil } }, model.Slot{Kind: Default, Commit: "new"}},
		{"no coverage asked", func(o *Options) { o.Covers = nil }, model.Slot{Kind: Default, Commit: "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := o
			c.edit(&o)
			source := model.Source{Repo: "o/r", Location: "/r"}
			c.want.Repo, c.want.Source, c.want.Changes, c.want.Language = "o/r", source, order, "go"
			want := model.Plan{Repo: "o/r", Slots: []model.Slot{c.want}}
			got, err := MakePlan("o/r", source, changes, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMakePlanTellsOfCoverage(t *testing.T) {
	broken := errors.New("missing object")
	_, err := MakePlan("o/r", model.Source{}, []model.Change{change(1, true)}, Options{Base: "new", Covers: func(model.Change, model.Hash) (bool, error) { return false, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("%v: want %v", err, broken)
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

func TestHosts(t *testing.T) {
	history := line{"m1": 1, "base": 3, "m3": 5}
	itself := change(5, true)
	itself.Record.MergeCommit = "base"
	for _, c := range []struct {
		name   string
		change model.Change
		want   model.Reason
	}{
		{"an older merge", change(1, true), ""},
		{"a newer merge", change(3, true), model.NotAncestor},
		{"a merge on another line", change(9, true), model.NotAncestor},
		{"the base itself", itself, model.NotAncestor},
	} {
		err := Hosts(c.change, "base", history)
		var f *model.Fault
		got := model.Reason("")
		if errors.As(err, &f) {
			got = f.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s: reason %q, want %q", c.name, got, c.want)
		}
	}
	var f *model.Fault
	if err := Hosts(change(1, true), "nowhere", history); err == nil || errors.As(err, &f) {
		t.Errorf("unknown base: %v, want the history's error", err)
	}
}
