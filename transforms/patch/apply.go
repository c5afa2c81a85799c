package patch

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A Reader is a tree that a patch is applied to; *tree.Tree is one, Dir another. It never
// follows a symlink: below one there is nothing.
type Reader interface {
	// Read returns the file at path; false where there is none.
	Read(path string) (model.File, bool, error)
}

// A Place is where a hunk was applied.
type Place struct {
	Path      string // in the tree before
	Hunk      int    // index in its file
	Line      int    // first line, from 1, in the file as the hunks before had left it
	Ambiguous bool   // another place matches too
	Offset    int    // lines from where the hunk was expected
}

// A Result is what a patch makes of a tree.
type Result struct {
	Changes []model.TreeChange // sorted by path
	Places  []Place
}

// A Conflict says which file and hunk does not apply, and why.
type Conflict struct {
	Path   string
	Hunk   int // index in its file, -1 where the file as a whole is refused
	Detail string
}

func (c Conflict) Error() string {
	if c.Hunk < 0 {
		return fmt.Sprintf("apply patch to %s: %s", c.Path, c.Detail)
	}
	return fmt.Sprintf("apply hunk %d to %s: %s", c.Hunk+1, c.Path, c.Detail)
}

// Apply applies all of p to t as `git apply` does, or nothing: then the error is a Conflict, or
// that of t. It differs from git where git would spoil a file or leave the tree: a hunk whose
// last line has no line end matches only a line without one; paths with control characters
// other than a tab are refused; what a creation would overwrite is refused even if this patch wrote it.
func Apply(p Patch, t Reader) (Result, error) {
	a := newApplier(p, t)
	for _, f := range p.Files {
		if err := a.file(f, nil); err != nil {
			return Result{}, err
		}
	}
	if err := a.nested(); err != nil {
		return Result{}, err
	}
	return a.result(), nil
}

// ApplyEach applies what applies of p, hunk by hunk, each hunk of a modified file on its own;
// refused says what did not. An error is that of t.
func ApplyEach(p Patch, t Reader) (res Result, refused []Conflict, err error) {
	a := newApplier(p, t)
	olds := map[string]string{} // by new path
	for _, f := range p.Files {
		places := len(a.places)
		err := a.file(f, func(c Conflict) { refused = append(refused, c) })
		c, ok := err.(Conflict)
		switch {
		case err == nil:
			olds[f.New] = f.Old
			continue
		case !ok:
			return Result{}, nil, err
		}
		a.places = a.places[:places]
		refused = append(refused, c)
	}
	for {
		err := a.nested()
		c, ok := err.(Conflict)
		switch {
		case err == nil:
			return a.result(), refused, nil
		case !ok:
			return Result{}, nil, err
		}
		delete(a.files, c.Path)
		delete(a.files, olds[c.Path])
		refused = append(refused, c)
	}
}

// An applier holds the files that a patch has written over a tree.
type applier struct {
	tree   Reader
	files  map[string]model.TreeChange
	leaves map[string]bool // paths that some file of the patch removes
	links  map[string]bool // paths that the patch leaves as symlinks
	places []Place
}

func newApplier(p Patch, t Reader) *applier {
	a := &applier{tree: t, files: map[string]model.TreeChange{}, leaves: map[string]bool{}, links: map[string]bool{}}
	for _, f := range p.Files {
		if f.Change == Deleted || f.Change == Renamed {
			a.leaves[f.Old] = true
		}
		if f.New != "" && f.NewMode == model.ModeSymlink {
			a.links[f.New] = true
		}
	}
	return a
}

// current is the content of path as the patch has left it so far, or that of the tree.
func (a *applier) current(path string, inTree bool) (model.TreeChange, bool, error) {
	if c, ok := a.files[path]; ok && !inTree {
		return c, !c.Delete, nil
	}
	f, ok, err := a.tree.Read(path)
	if err != nil {
		return model.TreeChange{}, false, fmt.Errorf("apply patch: %w", err)
	}
	c := model.TreeChange{Path: path, Mode: f.Mode, Data: f.Data}
	if ok && f.Mode == model.ModeSubmodule {
		if e, is := a.tree.(interface {
			Entry(string) (model.TreeEntry, bool)
		}); is {
			entry, _ := e.Entry(path)
			c.Data = []byte(entry.Hash)
		}
	}
	return c, ok, nil
}

// file applies one file's change. Hunks that do not apply go to refuse; without it the first is
// the error.
func (a *applier) file(f File, refuse func(Conflict)) error {
	conflict := func(format string, args ...any) error {
		return Conflict{Path: f.Path(), Hunk: -1, Detail: fmt.Sprintf(format, args...)}
	}
	for _, side := range []struct {
		path string
		mode uint32
	}{{f.Old, f.OldMode}, {f.New, f.NewMode}} {
		if side.path == "" {
			continue
		}
		if err := checkPath(side.path, side.mode); err != nil {
			return conflict("%v", err)
		}
		if link, err := a.belowLink(side.path); err != nil || link != "" {
			return cmpError(err, conflict("lies below the symbolic link %s", link))
		}
	}
	old, err := a.old(f, conflict)
	if err != nil {
		return err
	}
	if f, err = a.target(f, old, conflict); err != nil {
		return err
	}
	was := len(a.places)
	content, err := a.content(f, old, refuse)
	if err != nil {
		return err
	}
	if f.Change == Deleted {
		if len(content) > 0 {
			return conflict("deletion leaves contents")
		}
		a.files[f.Old] = model.TreeChange{Path: f.Old, Delete: true}
		return nil
	}
	if f.Change == Modified && refuse != nil && len(a.places) == was && len(f.Hunks) > 0 {
		return nil // every hunk was refused
	}
	data, ok := fromText(f.NewMode, content)
	if !ok {
		return conflict("not a submodule's commit")
	}
	// Of two files that swap their names the first has already written the second's old one.
	if c, written := a.files[f.Old]; f.Change == Renamed && (!written || c.Delete) {
		a.files[f.Old] = model.TreeChange{Path: f.Old, Delete: true}
	}
	a.files[f.New] = model.TreeChange{Path: f.New, Mode: f.NewMode, Data: data}
	return nil
}

func cmpError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// old is the file that f changes; the zero value for an addition.
func (a *applier) old(f File, conflict func(string, ...any) error) (model.TreeChange, error) {
	if f.Old == "" {
		return model.TreeChange{}, nil
	}
	// git takes the source of a rename or copy from the tree, whatever the order of files.
	old, ok, err := a.current(f.Old, f.Change == Renamed || f.Change == Copied)
	switch {
	case err != nil:
		return old, err
	case !ok && f.creates():
		return model.TreeChange{}, nil
	case !ok:
		return old, conflict("%s does not exist", f.Old)
	case f.OldMode != 0 && (old.Mode^f.OldMode)&0o170000 != 0:
		return old, conflict("%s has mode %o, not %o", f.Old, old.Mode, f.OldMode)
	}
	return old, nil
}

// creates reports whether f, of a plain patch that does not say so, may create its file.
func (f File) creates() bool {
	return f.Change == Modified && f.OldMode == 0 && f.OldHash == "" && !f.Binary &&
		len(f.Hunks) == 1 && f.Hunks[0].OldLines == 0
}

// target checks the place where f puts its file and completes f's new mode.
func (a *applier) target(f File, old model.TreeChange, conflict func(string, ...any) error) (File, error) {
	if f.Change == Modified && old.Mode == 0 {
		f.Change, f.Old = Added, ""
	}
	if f.Change == Added || f.Change == Renamed && f.Old != f.New || f.Change == Copied {
		c, written := a.files[f.New]
		_, exists, err := a.current(f.New, false)
		if err != nil {
			return f, err
		}
		if exists && (written && !c.Delete || !a.leaves[f.New]) {
			return f, conflict("already exists")
		}
	}
	if f.Change == Deleted {
		return f, nil
	}
	if f.NewMode == 0 || f.Old != "" && f.OldMode == f.NewMode {
		f.NewMode = old.Mode // an unchanged mode stays as the tree has it
	}
	if f.NewMode == 0 {
		f.NewMode = model.ModeFile
	}
	switch f.NewMode & 0o170000 {
	case 0o100000:
		if f.NewMode&0o100 != 0 {
			f.NewMode = model.ModeExecutable
		} else {
			f.NewMode = model.ModeFile
		}
	case model.ModeSymlink, model.ModeSubmodule:
	default:
		return f, conflict("mode %o is no file's", f.NewMode)
	}
	if f.Old != "" && (old.Mode^f.NewMode)&0o170000 != 0 {
		return f, conflict("mode %o becomes %o without a deletion", old.Mode, f.NewMode)
	}
	return f, nil
}

// result lists what differs from the tree.
func (a *applier) result() Result {
	r := Result{Places: a.places}
	for _, path := range slices.Sorted(maps.Keys(a.files)) {
		r.Changes = append(r.Changes, a.files[path])
	}
	return r
}

var _ Reader = (*tree.Tree)(nil)
