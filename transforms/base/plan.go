// Package base turns the eligible changes of a repository into a plan of bases, and prepared
// bases into candidates.
package base

import (
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

// DefaultBranches are tried in order when nothing else names a base, ours.
var DefaultBranches = []string{"origin/HEAD", "main", "master", "trunk", "develop"}

// Alternates are the commits that may stand in for a base: of older, nearest first, the first
// MaxAlternates that cover at least AlternateCover of the changes that the base covers. It asks
// covers no more than is needed, since each question reads git objects; the errors are its.
func Alternates(covered []model.Change, older []model.Hash, covers func(model.Change, model.Hash) (bool, error)) ([]model.Hash, error) {
	if len(covered) == 0 {
		return nil, nil
	}
	var out []model.Hash
	for _, commit := range older {
		ok, err := coversEnough(commit, covered, covers)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if out = append(out, commit); len(out) == MaxAlternates {
			break
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
