package construct

import (
	"bytes"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// merged undoes each file by a three-way merge: from After to Before, taken over to what H has.
func (u *undoing) merged(int) error {
	moved := u.moved()
	for i, f := range u.Source.Files {
		to := moved.Files[i]
		if f.Binary || f.Change == patch.Mode || f.Change == patch.Copied {
			if err := u.apply(patch.Patch{Files: []patch.File{to}}.Reverse(), patch.Patch{Files: []patch.File{to}}); err != nil {
				return err
			}
			continue
		}
		if err := u.mergeFile(f, to); err != nil {
			return err
		}
	}
	return nil
}

// mergeFile undoes one file; f has the change's own paths, to those of H.
func (u *undoing) mergeFile(f, to patch.File) error {
	lost := func(detail string) error {
		return reject(model.StageConstruct, model.DoesNotReverse, "%s: %s", to.Path(), detail)
	}
	was, _, err := readText(u.Before, f.Old)
	if err != nil {
		return err
	}
	is, _, err := readText(u.After, f.New)
	if err != nil {
		return err
	}
	ours, there, err := readText(u.tree, to.New)
	if err != nil {
		return err
	}
	switch {
	case f.Change == patch.Deleted:
		if _, taken, err := readText(u.tree, to.Old); err != nil || taken {
			return lost("H has a file in its place")
		}
		u.tree = u.tree.With(model.TreeChange{Path: to.Old, Mode: was.Mode, Data: was.Data})
	case !there:
		return lost("H has no such file")
	case f.Change == patch.Added:
		if !bytes.Equal(ours.Data, is.Data) {
			return lost("the file that the change added was changed since")
		}
		u.tree = u.tree.With(model.TreeChange{Path: to.New, Delete: true})
	default:
		text, clean := patch.Merge(string(is.Data), string(ours.Data), string(was.Data))
		if !clean {
			return lost("the three-way merge has a conflict")
		}
		changes := []model.TreeChange{{Path: to.Old, Mode: ours.Mode, Data: []byte(text)}}
		if to.Old != to.New {
			changes = append(changes, model.TreeChange{Path: to.New, Delete: true})
		}
		u.tree = u.tree.With(changes...)
	}
	return nil
}

// readText reads a regular file; what is none counts as absent.
func readText(t *tree.Tree, path string) (model.File, bool, error) {
	if path == "" {
		return model.File{}, false, nil
	}
	f, ok, err := t.Read(path)
	if err != nil || !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
		return model.File{}, false, err
	}
	return f, true, nil
}
