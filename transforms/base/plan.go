// Package base turns the eligible changes of a repository into a plan of bases, and prepared
// bases into candidates.
package base

import (
	"maps"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Kinds of a base.
const (
	Declared   = "declared"   // named by the user
	Target     = "target"     // the branch that the user named
	Default    = "default"    // the newest commit of the default branch
	Planned    = "planned"    // chosen by coverage
	Historical = "historical" // the change's own commit, never counted as modern
)

// MaxAlternates is how many commits may stand in for a slot's own, ours.
const MaxAlternates = 2

// AlternateCover is the least share of a slot's covered changes that an alternate covers, ours.
const AlternateCover = 0.8

// maxOlder bounds how many commits are asked for coverage in search of alternates.
const maxOlder = 64

// DefaultBranches are tried in order when nothing else names a base, ours.
var DefaultBranches = []string{"origin/HEAD", "main", "master", "trunk", "develop"}

// Options of a plan of one base.
type Options struct {
	Base   model.Hash // the frozen commit; empty: Newest
	Kind   string     // of Base; empty: default
	Newest model.Hash // newest commit of the default branch
	// Older are the first-parent commits before the base, nearest first.
	Older []model.Hash
	// Covers reports whether a change can be constructed on a commit, by git objects alone.
	// nil plans no alternates.
	Covers func(change model.Change, commit model.Hash) (bool, error)
}

// MakePlan is the plan of one repository: for each language a slot with the base, all eligible
// changes of the language, and the nearest older commits that cover at least AlternateCover of
// what the base covers. It runs nothing and reads only what Covers reads; the errors are those of
// Covers.
func MakePlan(repo string, source model.Source, changes []model.Change, o Options) (model.Plan, error) {
	commit, kind := o.Base, o.Kind
	if commit == "" {
		commit, kind = o.Newest, Default
	}
	if kind == "" {
		kind = Default
	}
	byLanguage := map[string][]model.Change{}
	for _, c := range changes {
		if c.Eligible {
			byLanguage[c.Language] = append(byLanguage[c.Language], c)
		}
	}
	p := model.Plan{Repo: repo}
	for _, l := range slices.Sorted(maps.Keys(byLanguage)) {
		slot := model.Slot{Repo: repo, Source: source, Language: l, Kind: kind, Commit: commit}
		own := byLanguage[l]
		slices.SortFunc(own, func(a, b model.Change) int { return strings.Compare(a.ID, b.ID) })
		own = slices.CompactFunc(own, func(a, b model.Change) bool { return a.ID == b.ID })
		for _, c := range own {
			slot.Changes = append(slot.Changes, c.ID)
		}
		var err error
		if slot.Alternates, err = alternates(slot.Commit, own, o); err != nil {
			return p, err
		}
		p.Slots = append(p.Slots, slot)
	}
	return p, nil
}

func alternates(commit model.Hash, changes []model.Change, o Options) ([]model.Hash, error) {
	if o.Covers == nil {
		return nil, nil
	}
	var covered []model.Change
	for _, c := range changes {
		ok, err := o.Covers(c, commit)
		if err != nil {
			return nil, err
		}
		if ok {
			covered = append(covered, c)
		}
	}
	var out []model.Hash
	for i, older := range o.Older {
		if i == maxOlder || len(out) == MaxAlternates || len(covered) == 0 {
			break
		}
		if older == commit {
			continue
		}
		ok, err := coversEnough(older, covered, o.Covers)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, older)
		}
	}
	return out, nil
}

// coversEnough stops as soon as the answer is certain, since each question reads trees.
func coversEnough(commit model.Hash, changes []model.Change, covers func(model.Change, model.Hash) (bool, error)) (bool, error) {
	lost := 0
	for _, c := range changes {
		ok, err := covers(c, commit)
		if err != nil {
			return false, err
		}
		if !ok {
			lost++
		}
		if float64(len(changes)-lost) < AlternateCover*float64(len(changes)) {
			return false, nil
		}
	}
	return true, nil
}
