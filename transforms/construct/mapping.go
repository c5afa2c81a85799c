package construct

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
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
	{Name: "symbol", Context: 3, Level: 2, undo: (*undoing).symbols},
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
	lang    lang.Language
	left    left     // paths of the change that stay as they are, and single hunks of them
	dropped []string // hunks that were left out: "path hunk"
}

// run undoes the source change by a mapping. What cannot be placed is a *model.Fault
// does_not_reverse or ambiguous_block.
func (m Mapping) run(in Input, l lang.Language, stay left) (*undoing, error) {
	u := &undoing{Input: in, tree: in.H, lang: l, left: stay}
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

// A part of a change is a hunk of a path, as the change names it, or the whole path.
type part struct {
	path string
	hunk int // from 0; whole
}

const whole = -1

func (p part) String() string {
	if p.hunk == whole {
		return p.path + " whole"
	}
	return fmt.Sprintf("%s %d", p.path, p.hunk+1)
}

// left are the parts of a change that stay done.
type left map[part]bool

// A culprit is what breaks C: a symbol of a path of H, or the whole path.
type culprit struct{ path, symbol string }

// skip adds the first of culprits that the mapping changed, in the order of paths, to what stays:
// the hunks of its symbol, or the path where there are none. False where nothing is left to add.
func (u *undoing) skip(culprits []culprit, stay left) bool {
	slices.SortFunc(culprits, func(a, b culprit) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.symbol, b.symbol))
	})
	moved := u.moved()
	for _, c := range culprits {
		i := slices.IndexFunc(moved.Files, func(f patch.File) bool { return f.New == c.path || f.Old == c.path })
		if i < 0 || stay[part{u.Source.Files[i].Path(), whole}] {
			continue
		}
		f := u.Source.Files[i]
		added := false
		for _, h := range u.hunksOf(f, c.symbol) {
			p := part{f.Path(), h}
			added = added || !stay[p]
			stay[p] = true
		}
		if !added {
			stay[part{f.Path(), whole}] = true
		}
		return true
	}
	return false
}
