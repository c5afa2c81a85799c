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

func TestAlternates(t *testing.T) {
	changes := []model.Change{change(1, true), change(2, true), change(3, true), change(4, true), change(5, true)}
	// The older commits cover as many of the five as said.
	covers := map[model.Hash]int{"a": 3, "b": 4, "c": 5, "d": 5}
	ask := func(c model.Change, h model.Hash) (bool, error) { return int(c.Record.Number) <= covers[h], nil }
	older := []model.Hash{"a", "b", "c", "d"}
	for _, tt := range []struct {
		name    string
		covered []model.Change
		older   []model.Hash
		want    []model.Hash
	}{
		{"nearest that cover enough", changes, older, []model.Hash{"b", "c"}},
		{"one", changes, older[3:], []model.Hash{"d"}},
		{"none", changes, older[:1], nil},
		{"nothing covered", nil, older, nil},
	} {
		got, err := Alternates(tt.covered, tt.older, ask)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	broken := errors.New("missing object")
	if _, err := Alternates(changes, older, func(model.Change, model.Hash) (bool, error) { return false, broken }); !errors.Is(err, broken) {
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
