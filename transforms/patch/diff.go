package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Options of Diff. The zero value is git's default.
type Options struct {
	Context   int  // lines around a change; 0 is 3
	NoRenames bool // a rename is a deletion and an addition
}

// A side is a file that only one of two trees holds.
type side struct {
	entry model.TreeEntry
	data  []byte
}

func (s side) regular() bool { return s.entry.Mode&0o170000 == 0o100000 }

func (s side) file() model.File {
	return model.File{Path: s.entry.Path, Mode: s.entry.Mode, Data: s.data}
}

// Diff is the patch from a to b, complete: applied to a it gives b's tree id. Files come sorted
// by path. A path that changes its type (file, symlink, submodule) is deleted, then added.
func Diff(a, b *tree.Tree, opt Options) (Patch, error) {
	if opt.Context <= 0 {
		opt.Context = 3
	}
	var gone, come []side
	var out []File
	for _, path := range union(a.Paths(), b.Paths()) {
		old, inA := a.Entry(path)
		new, inB := b.Entry(path)
		if old == new {
			continue
		}
		var x, y side
		var err error
		if x, err = read(a, old, inA); err != nil {
			return Patch{}, err
		}
		if y, err = read(b, new, inB); err != nil {
			return Patch{}, err
		}
		switch {
		case inA && inB && (old.Mode^new.Mode)&0o170000 == 0:
			if f, ok := diffFiles(x.file(), y.file(), opt.Context); ok {
				out = append(out, f)
			}
		case inA && inB:
			out = append(out, alone(x, true, opt), alone(y, false, opt))
		case inA:
			gone = append(gone, x)
		default:
			come = append(come, y)
		}
	}
	out = append(out, moves(gone, come, opt)...)
	slices.SortStableFunc(out, func(x, y File) int { return strings.Compare(x.Path(), y.Path()) })
	return Patch{Files: out}, nil
}

// alone is the deletion or addition of a file.
func alone(s side, gone bool, opt Options) File {
	old, new := model.File{}, s.file()
	if gone {
		old, new = new, old
	}
	f, _ := diffFiles(old, new, opt.Context)
	return f
}

// moves are the changes of files that one tree alone has.
func moves(gone, come []side, opt Options) []File {
	var found map[int]int
	if !opt.NoRenames {
		found = renames(gone, come)
	}
	var out []File
	moved := map[int]bool{}
	for i, c := range come {
		from, ok := found[i]
		if !ok {
			out = append(out, alone(c, false, opt))
			continue
		}
		moved[from] = true
		f, _ := diffFiles(gone[from].file(), c.file(), opt.Context)
		out = append(out, f)
	}
	for i, g := range gone {
		if !moved[i] {
			out = append(out, alone(g, true, opt))
		}
	}
	return out
}

func read(t *tree.Tree, e model.TreeEntry, ok bool) (side, error) {
	if !ok {
		return side{}, nil
	}
	if e.Mode == model.ModeSubmodule {
		return side{e, []byte(e.Hash)}, nil
	}
	f, _, err := t.Read(e.Path)
	if err != nil {
		return side{}, fmt.Errorf("diff trees: %w", err)
	}
	return side{e, f.Data}, nil
}

// union merges two sorted lists.
func union(a, b []string) []string {
	out := make([]string, 0, max(len(a), len(b)))
	out = append(append(out, a...), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
