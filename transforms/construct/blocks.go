package construct

import (
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
)

// blocks is Change2Task's code mapping: each hunk's block after the change is looked for in the
// file of the same path, indentation aside, must stand there once, and is replaced by the block
// before the change. A file that was added, deleted or renamed whole has no block.
func (u *undoing) blocks(context int) error {
	for _, f := range u.Source.Files {
		if f.Change != patch.Modified || f.Binary {
			one := patch.Patch{Files: []patch.File{f}}
			if err := u.apply(one.Reverse(), one); err != nil {
				return err
			}
			continue
		}
		file, ok, err := readText(u.tree, f.New)
		if err != nil {
			return err
		}
		if !ok {
			return reject(model.StageConstruct, model.DoesNotReverse, "%s: H has no such file", f.New)
		}
		text := string(file.Data)
		for i, h := range f.Hunks {
			var why model.Reason
			if text, why = replaceBlock(text, h, context); why != "" {
				return reject(model.StageConstruct, why, "%s: block of hunk %d of %d", f.New, i+1, len(f.Hunks))
			}
		}
		u.tree = u.tree.With(model.TreeChange{Path: f.New, Mode: file.Mode, Data: []byte(text)})
	}
	return nil
}

// eachBlock reverses each hunk where git would, and looks for the block of those that do not,
// under the paths of H.
func (u *undoing) eachBlock(context int) error {
	return u.each(func(text string, h patch.Hunk) (string, model.Reason) { return replaceBlock(text, h, context) })
}

// eachTokens does the same by the tokens of the block.
func (u *undoing) eachTokens(context int) error {
	return u.each(func(text string, h patch.Hunk) (string, model.Reason) { return replaceTokens(text, h, context) })
}

// some reverses the hunks that git would reverse and leaves the others, and what breaks the rest.
func (u *undoing) some(int) error {
	parts, numbers := u.parts()
	res, refused, err := patch.ApplyEach(parts.Reverse(), u.tree)
	if err != nil {
		return fmt.Errorf("reverse %s: %w", u.Change.ID, err)
	}
	for p := range u.left {
		u.dropped = append(u.dropped, p.String())
	}
	for _, c := range refused {
		p := part{c.Path, whole}
		if i := slices.IndexFunc(parts.Files, func(f patch.File) bool { return f.Old == c.Path || f.New == c.Path }); i >= 0 && c.Hunk >= 0 && c.Hunk < len(numbers[i]) {
			p.hunk = numbers[i][c.Hunk]
		}
		u.dropped = append(u.dropped, p.String())
	}
	slices.Sort(u.dropped)
	u.dropped = slices.Compact(u.dropped)
	u.tree = u.tree.With(res.Changes...)
	u.places = res.Places
	if u.tree.Hash() == u.H.Hash() {
		return reject(model.StageConstruct, model.DoesNotReverse, "no hunk reverses")
	}
	return nil
}

// parts is the source patch under the paths of H without what stays, and for each of its files
// the hunks of the whole patch that it has.
func (u *undoing) parts() (parts patch.Patch, numbers [][]int) {
	for i, f := range u.moved().Files {
		own := u.Source.Files[i].Path()
		if u.left[part{own, whole}] {
			continue
		}
		hunks := f.Hunks
		f.Hunks = nil
		var kept []int
		for n, h := range hunks {
			if !u.left[part{own, n}] {
				f.Hunks, kept = append(f.Hunks, h), append(kept, n)
			}
		}
		switch {
		case len(kept) == len(hunks), len(kept) > 0 && f.Change == patch.Modified, f.Change == patch.Renamed:
			parts.Files, numbers = append(parts.Files, f), append(numbers, kept)
		}
	}
	return parts, numbers
}

// each reverses the source patch hunk by hunk, under the paths of H. place is asked for each hunk
// that does not reverse.
func (u *undoing) each(place func(text string, h patch.Hunk) (string, model.Reason)) error {
	moved := u.moved()
	res, refused, err := patch.ApplyEach(moved.Reverse(), u.tree)
	if err != nil {
		return fmt.Errorf("reverse %s: %w", u.Change.ID, err)
	}
	u.tree = u.tree.With(res.Changes...)
	u.places = append(u.places, res.Places...)
	for _, c := range refused {
		f, ok := fileOf(moved, c)
		if !ok || c.Hunk < 0 || f.Binary {
			return reject(model.StageConstruct, model.DoesNotReverse, "%s", conflictDetail(c, moved))
		}
		file, ok, err := readText(u.tree, f.Old)
		if err != nil {
			return err
		}
		if !ok {
			return reject(model.StageConstruct, model.DoesNotReverse, "%s: hunk %d of %d", f.Path(), c.Hunk+1, len(f.Hunks))
		}
		text, why := place(string(file.Data), f.Hunks[c.Hunk])
		if why != "" {
			return reject(model.StageConstruct, why, "%s: hunk %d of %d", f.Old, c.Hunk+1, len(f.Hunks))
		}
		u.tree = u.tree.With(model.TreeChange{Path: f.Old, Mode: file.Mode, Data: []byte(text)})
	}
	return nil
}

// fileOf is the file of a patch that a conflict of its reverse is about.
func fileOf(p patch.Patch, c patch.Conflict) (patch.File, bool) {
	i := slices.IndexFunc(p.Files, func(f patch.File) bool { return f.Old == c.Path || f.New == c.Path })
	if i < 0 || c.Hunk >= len(p.Files[i].Hunks) {
		return patch.File{}, false
	}
	return p.Files[i], true
}
