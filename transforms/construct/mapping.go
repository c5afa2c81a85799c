package construct

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A Mapping is one deterministic way to find the place of a change on H and undo it there. Level
// 1 and the first mapping of level 2 are Change2Task's; the rest, tried after it in this order,
// is ours and counts as level 2.
type Mapping struct {
	Name    string // as in the rows: reversal, block, rename, merge3, tokens, symbol, partial
	Context int    // lines of context around a block
	Level   int
	Strict  bool // Change2Task's own

	partial bool // parts of the change may stay done
	undo    func(u *undoing, context int) error
}

// Mappings is the ladder without a model, in order.
var Mappings = []Mapping{
	{Name: MappingReversal, Context: 3, Level: 1, Strict: true, undo: (*undoing).reversal},
	{Name: "block", Context: 3, Level: 2, Strict: true, undo: (*undoing).blocks},
	{Name: "rename", Context: 3, Level: 2, undo: (*undoing).renamed},
	{Name: "merge3", Context: 3, Level: 2, undo: (*undoing).merged},
	{Name: "block", Context: 1, Level: 2, undo: (*undoing).eachBlock},
	{Name: "block", Context: 0, Level: 2, undo: (*undoing).eachBlock},
	{Name: "tokens", Context: 3, Level: 2, undo: (*undoing).eachTokens},
	{Name: "partial", Context: 3, Level: 2, partial: true, undo: (*undoing).some},
}

// Partial reports whether parts of the change may stay done.
func (m Mapping) Partial() bool { return m.partial }

// An Input is what a change is undone from: its patches, and the trees around it.
type Input struct {
	Change        model.Change
	Source, Docs  patch.Patch
	H             *tree.Tree
	Before, After *tree.Tree        // around the source change
	Moves         map[string]string // paths of After that H has under another path
}

// An undoing is one mapping at work: the tree so far, where production is already undone.
type undoing struct {
	Input
	tree    *tree.Tree
	places  []patch.Place
	left    map[string]bool // paths of H that stay as they are
	dropped []string        // hunks that were left out: "path hunk"
}

// run undoes the source change by a mapping. What cannot be placed is a *model.Fault
// does_not_reverse or ambiguous_block.
func (m Mapping) run(in Input, left map[string]bool) (*undoing, error) {
	u := &undoing{Input: in, tree: in.H, left: left}
	if err := m.undo(u, m.Context); err != nil {
		return nil, err
	}
	return u, nil
}

// apply applies a patch to the tree so far.
func (u *undoing) apply(p patch.Patch, source patch.Patch) error {
	undone, err := patch.Apply(p, u.tree)
	var conflict patch.Conflict
	if errors.As(err, &conflict) {
		return reject(model.StageConstruct, model.DoesNotReverse, "%s", conflictDetail(conflict, source))
	}
	if err != nil {
		return fmt.Errorf("reverse %s: %w", u.Change.ID, err)
	}
	u.tree = u.tree.With(undone.Changes...)
	u.places = append(u.places, undone.Places...)
	return nil
}

// reversal applies the source patch reversed, as git does.
func (u *undoing) reversal(int) error { return u.apply(u.Source.Reverse(), u.Source) }

// renamed is reversal under the paths that H has.
func (u *undoing) renamed(int) error {
	moved := u.moved()
	if len(u.Moves) == 0 {
		return reject(model.StageConstruct, model.DoesNotReverse, "no path of the change was moved since")
	}
	return u.apply(moved.Reverse(), moved)
}

// moved is the source patch under the paths that H has. A path that the change itself renamed
// keeps its old name.
func (u *undoing) moved() patch.Patch {
	return u.Source.Rename(func(old, new string) (string, string) {
		to, ok := u.Moves[new]
		if !ok {
			return old, new
		}
		if old == new {
			old = to
		}
		return old, to
	})
}

// skip adds the first of culprits that the mapping changed to the paths that stay; false where
// there is none.
func (u *undoing) skip(culprits []string, left map[string]bool) bool {
	slices.Sort(culprits)
	for _, p := range culprits {
		if !left[p] {
			left[p] = true
			return true
		}
	}
	return false
}
