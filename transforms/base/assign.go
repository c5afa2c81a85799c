package base

import (
	"fmt"

	"github.com/taskmill/taskmill/model"
)

// MethodChange is the method of candidates that come from merged changes.
const MethodChange = "change"

// A History answers about one repository's commits.
type History interface {
	// IsAncestor reports whether a is an ancestor of b or b itself.
	IsAncestor(a, b model.Hash) (bool, error)
}

// Hosts reports a change that a base cannot host: its merge is no strict ancestor of the commit.
// The fault is a *model.Fault; another error is the history's.
func Hosts(c model.Change, commit model.Hash, h History) error {
	merge := c.Record.MergeCommit
	ancestor, err := h.IsAncestor(merge, commit)
	if err != nil {
		return fmt.Errorf("compare merge of %s with base %s: %w", c.ID, commit.Short(12), err)
	}
	if !ancestor || merge == commit {
		return &model.Fault{Stage: model.StageBase, Reason: model.NotAncestor,
			Detail: "the merge " + merge.Short(12) + " is not a strict ancestor of the base"}
	}
	return nil
}

// Assign puts a candidate on a prepared base. ref is the blob of the base.
func Assign(c model.Candidate, b model.Base, ref model.Hash, toMerge, toNewest model.Distance) model.Candidate {
	c.BaseKey, c.Base, c.Merge, c.Newest = b.Key(), ref, toMerge, toNewest
	return c
}
