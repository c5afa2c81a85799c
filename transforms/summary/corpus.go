// Package summary turns the tables of corpora into the figures of a report: what became of the
// eligible changes, at which level, how faithfully, on which bases and at what cost.
package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
)

// A Corpus is what a report reads of one: some columns of its tables.
type Corpus struct {
	Name, Folder string
	ConfigHash   string
	Version      string
	Changes      []Change
	Tasks        []Task
	Rejections   []Rejection
	Attempts     []Attempt
	Runs         []Run
	Bases        []Base
	Costs        []model.Cost
}

// A Change has the columns of model.ChangeRow that figures rest on.
type Change struct {
	Change       string `parquet:"change"`
	SourceCommit string `parquet:"source_commit"`
	Language     string `parquet:"language,optional"`
	Family       string `parquet:"family,optional"`
	Eligible     bool   `parquet:"eligible"`
	Reason       string `parquet:"reason,optional"`
	Planned      bool   `parquet:"planned"`
	Sampled      bool   `parquet:"sampled"`
	End          string `parquet:"end"`
	EndStage     string `parquet:"end_stage,optional"`
	EndReason    string `parquet:"end_reason,optional"`
}

// A Task has the columns of model.Task that figures rest on.
type Task struct {
	InstanceID         string               `parquet:"instance_id"`
	Repo               string               `parquet:"repo"`
	BaseCommit         string               `parquet:"base_commit"`
	RecipeHash         string               `parquet:"recipe_hash"`
	Method             string               `parquet:"method"`
	Family             string               `parquet:"family,optional"`
	Language           string               `parquet:"language"`
	Level              int64                `parquet:"level"`
	Mapping            string               `parquet:"mapping"`
	BaseKind           string               `parquet:"base_kind"`
	BaseDistanceMerge  model.Distance       `parquet:"base_distance_merge"`
	BaseDistanceNewest model.Distance       `parquet:"base_distance_newest"`
	Fidelity           *float64             `parquet:"fidelity,optional"`
	FidelityEqual      *float64             `parquet:"fidelity_equal,optional"`
	FidelityParts      *model.FidelityParts `parquet:"fidelity_parts,optional"`
	SourceCommit       string               `parquet:"source_commit,optional"`
}

// A Rejection has the columns of model.Rejection that figures rest on.
type Rejection struct {
	Candidate string `parquet:"candidate"`
	Method    string `parquet:"method"`
	Stage     string `parquet:"stage"`
	Reason    string `parquet:"reason"`
}

// An Attempt has the columns of model.Attempt that figures rest on.
type Attempt struct {
	Candidate string `parquet:"candidate"`
	Level     int64  `parquet:"level"`
	Mapping   string `parquet:"mapping"`
}

// A Run has the columns of model.RunRow that figures rest on.
type Run struct {
	RunHash    string  `parquet:"run_hash"`
	Repo       string  `parquet:"repo"`
	BaseCommit string  `parquet:"base_commit"`
	LockHash   string  `parquet:"lock_hash"`
	State      string  `parquet:"state"`
	Unit       string  `parquet:"unit"` // empty: the build of a tree
	Seconds    float64 `parquet:"seconds"`
}

// A Base has the columns of model.BaseRow that figures rest on.
type Base struct {
	Repo           string  `parquet:"repo"`
	BaseCommit     string  `parquet:"base_commit"`
	BaseKind       string  `parquet:"base_kind"`
	Language       string  `parquet:"language"`
	RecipeHash     string  `parquet:"recipe_hash,optional"`
	LockHash       string  `parquet:"lock_hash,optional"`
	Prepared       bool    `parquet:"prepared"`
	Healthy        bool    `parquet:"healthy"`
	Reason         string  `parquet:"reason,optional"`
	PrepareSeconds float64 `parquet:"prepare_seconds"`
	Bytes          int64   `parquet:"bytes"`
}

// Ends of a change.
const (
	endTask      = "task"
	endRejection = "rejection"
	endPending   = "pending"
)

// key is one change: two repositories of one name give no equal keys.
func (c Change) key() string { return c.Change + " " + c.SourceCommit }

// key is that of the change which the task undoes.
func (t Task) key() string { return t.InstanceID + " " + t.SourceCommit }

// Modern reports whether the task stands on a descendant of its change; one on the change's own
// revision is counted apart.
func (t Task) modern() bool { return t.BaseKind != base.Historical }

// variant reports a further task of a change that has one.
func (t Task) variant() bool { return t.Family == model.FamilyTests }

// single reports whether the base is one that Change2Task chooses: declared, or the newest commit.
func (t Task) single() bool {
	switch t.BaseKind {
	case base.Declared, base.Target:
		return true
	case base.Default:
		return t.BaseDistanceNewest.Commits == 0 // an alternate keeps its slot's kind
	}
	return false
}

func (b Base) key() string { return b.Repo + "@" + b.BaseCommit + "#" + b.RecipeHash }

// notDrawn reports a change that the sample left out.
func (c Change) notDrawn() bool { return c.Eligible && c.Planned && !c.Sampled }

// Check reports tables that contradict each other: figures of such a corpus would be wrong.
func (c Corpus) Check() error {
	tasks, lost := map[string]bool{}, map[string]Rejection{}
	for _, t := range c.Tasks {
		tasks[t.key()] = true
	}
	for _, r := range c.Rejections {
		lost[r.Candidate] = r
	}
	seen := map[string]bool{}
	for _, ch := range c.Changes {
		r := lost[ch.Change]
		switch {
		case seen[ch.key()]:
			return fmt.Errorf("the table changes has %s twice", ch.Change)
		case ch.End == endTask && !tasks[ch.key()]:
			return fmt.Errorf("the table changes says that %s is a task, the table tasks lacks it", ch.Change)
		case ch.End != endTask && tasks[ch.key()]:
			return fmt.Errorf("the table tasks has %s, the table changes says that it is none", ch.Change)
		case ch.End == endRejection && (r.Stage != ch.EndStage || r.Reason != ch.EndReason):
			return fmt.Errorf("the table changes says that %s ended at %s as %s, the table rejections does not", ch.Change, ch.EndStage, ch.EndReason)
		case ch.End != endTask && ch.End != endRejection && ch.End != endPending:
			return fmt.Errorf("the table changes says that %s ended as %q: want task, rejection or pending", ch.Change, ch.End)
		}
		seen[ch.key()] = true
	}
	return nil
}

// Union is all corpora as one. A change, run or base that several hold is there once: a change
// with the end that came furthest, of equal ones that of the corpus named first.
func Union(corpora []Corpus) Corpus {
	u := Corpus{Name: "union"}
	costs := map[string]bool{}
	for _, c := range corpora {
		u.Changes = append(u.Changes, c.Changes...)
		u.Tasks = append(u.Tasks, c.Tasks...)
		u.Rejections = append(u.Rejections, c.Rejections...)
		u.Attempts = append(u.Attempts, c.Attempts...)
		u.Runs = append(u.Runs, c.Runs...)
		u.Bases = append(u.Bases, c.Bases...)
		own := map[string]bool{} // two recipes of one commit have one key
		for _, cost := range c.Costs {
			if !costs[cost.RowKey()] {
				own[cost.RowKey()] = true
				u.Costs = append(u.Costs, cost)
			}
		}
		for k := range own {
			costs[k] = true
		}
	}
	slices.SortStableFunc(u.Changes, func(a, b Change) int { return cmp.Compare(b.reach(), a.reach()) })
	u.Changes = once(u.Changes, Change.key)
	u.Rejections = once(u.Rejections, func(r Rejection) string { return r.Method + " " + r.Candidate })
	return u
}

// reach orders what became of a change; of rejections the later stage came further.
func (c Change) reach() int {
	switch {
	case c.End == endTask:
		return 4 + len(Stages)
	case c.Eligible && c.End == endRejection:
		return 3 + place(model.Stage(c.EndStage))
	case c.Eligible && !c.notDrawn():
		return 2
	case c.Eligible || c.End == endRejection:
		return 1
	}
	return 0
}

// once keeps the first of the rows with one key.
func once[T any](rows []T, key func(T) string) []T {
	seen, out := map[string]bool{}, make([]T, 0, len(rows))
	for _, r := range rows {
		if k := key(r); !seen[k] {
			seen[k] = true
			out = append(out, r)
		}
	}
	return out
}

// modern are the corpus's tasks on modern bases, one a change: further variants are left out.
func (c Corpus) modern() []Task {
	out := slices.DeleteFunc(slices.Clone(c.Tasks), func(t Task) bool { return !t.modern() || t.variant() })
	return once(out, Task.key)
}
