// Package patch turns the text of a patch into a value and back, two trees into a patch, and a
// patch and a tree into the changes that it makes, at the places where git would make them.
package patch

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// Kinds of change of a File.
const (
	Added    = "added"
	Deleted  = "deleted"
	Modified = "modified" // content, and perhaps the mode
	Renamed  = "renamed"  // content and mode may change too
	Copied   = "copied"
	Mode     = "mode" // the mode alone
)

// A Patch is the change of some files, in the order in which they are changed.
type Patch struct{ Files []File }

// A File is the change of one file. Paths are slash-separated, relative, decoded bytes.
type File struct {
	Old, New         string // both set unless added or deleted; equal unless renamed or copied
	OldMode, NewMode uint32 // git modes; 0 where the patch does not say
	Change           string
	OldHash, NewHash string // of the index line, perhaps abbreviated; empty without one
	Hunks            []Hunk // in the order of the file

	// Binary says that the content is not given as lines. The contents are nil where the
	// patch does not hold them; a delta (git's pack format) stands instead of a content
	// where the patch holds that.
	Binary               bool
	BinaryOld, BinaryNew []byte
	DeltaOld, DeltaNew   []byte
}

// A Hunk is a run of changed lines with the context around it. Starts count lines from 1; a
// side without lines starts at the line before it, which may be 0.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Section                                string // what follows the second @@
	Lines                                  []Line
}

// A Line is one line of a hunk.
type Line struct {
	Op   byte   // ' ', '-' or '+'
	Text string // with its line end, or without where the file ends there without one
}

// Path is the path that a reader of the patch looks for: the new one, or that of a deletion.
func (f File) Path() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// plain reports whether the file's content is source text: no symlink, submodule or binary.
func (f File) plain() bool {
	special := func(mode uint32) bool { return mode == model.ModeSymlink || mode == model.ModeSubmodule }
	return !f.Binary && !special(f.OldMode) && !special(f.NewMode)
}

// Reverse is the patch that undoes p. Files come in reverse order, as a deletion before an
// addition of the same path must. A copy has no reverse: it is refused when it is applied, as
// git refuses it; Diff makes none.
func (p Patch) Reverse() Patch {
	var out Patch
	for _, f := range slices.Backward(p.Files) {
		out.Files = append(out.Files, f.reverse())
	}
	return out
}

func (f File) reverse() File {
	r := f
	r.Old, r.New = f.New, f.Old
	r.OldMode, r.NewMode = f.NewMode, f.OldMode
	r.OldHash, r.NewHash = f.NewHash, f.OldHash
	r.BinaryOld, r.BinaryNew = f.BinaryNew, f.BinaryOld
	r.DeltaOld, r.DeltaNew = f.DeltaNew, f.DeltaOld
	switch f.Change {
	case Added:
		r.Change = Deleted
	case Deleted:
		r.Change, r.NewMode = Added, orFile(f.OldMode)
	}
	r.Hunks = nil
	for _, h := range f.Hunks {
		r.Hunks = append(r.Hunks, h.reverse())
	}
	return r
}

func (h Hunk) reverse() Hunk {
	r := Hunk{OldStart: h.NewStart, OldLines: h.NewLines, NewStart: h.OldStart, NewLines: h.OldLines, Section: h.Section}
	r.Lines = make([]Line, 0, len(h.Lines))
	// In a run of changes removed lines come first, as in what diff writes.
	var added []Line
	for _, l := range h.Lines {
		switch l.Op {
		case '-':
			added = append(added, Line{'+', l.Text})
		case '+':
			r.Lines = append(r.Lines, Line{'-', l.Text})
		default:
			r.Lines = append(append(r.Lines, added...), l)
			added = added[:0]
		}
	}
	r.Lines = append(r.Lines, added...)
	return r
}

// Select is the patch of those files that keep accepts.
func (p Patch) Select(keep func(File) bool) Patch {
	var out Patch
	for _, f := range p.Files {
		if keep(f) {
			out.Files = append(out.Files, f)
		}
	}
	return out
}

// Hunk is a patch of one hunk alone, by index. Of a renamed, copied or mode-changing file it is
// a modification of the old path, so that hunks may be chosen freely; reverse a patch first,
// then take its hunks. An addition or a deletion is kept whole. Without such a hunk it is empty.
func (p Patch) Hunk(file, hunk int) Patch {
	if file < 0 || file >= len(p.Files) {
		return Patch{}
	}
	f := p.Files[file]
	if hunk < 0 || hunk >= len(f.Hunks) {
		return Patch{}
	}
	if f.Change == Added || f.Change == Deleted {
		return Patch{Files: []File{f}}
	}
	return Patch{Files: []File{{
		Old: f.Old, New: f.Old, OldMode: f.OldMode, NewMode: f.OldMode, Change: Modified,
		Hunks: []Hunk{f.Hunks[hunk]},
	}}}
}

// Paths lists every path that p touches, on either side, sorted, each once.
func (p Patch) Paths() []string {
	var out []string
	for _, f := range p.Files {
		if f.Old != "" && f.Change != Copied {
			out = append(out, f.Old)
		}
		if f.New != "" {
			out = append(out, f.New)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Profile counts files, hunks, and changed lines (added and removed). A symlink, a submodule, a
// binary file or a change of mode is a file without hunks or lines. A path that is deleted and
// added again as another type is one file.
func (p Patch) Profile() (files, hunks, lines int) {
	seen := map[string]bool{}
	for _, f := range p.Files {
		if !seen[f.Path()] {
			files++
		}
		seen[f.Path()] = true
		if !f.plain() {
			continue
		}
		hunks += len(f.Hunks)
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != ' ' {
					lines++
				}
			}
		}
	}
	return files, hunks, lines
}

// Rename is the patch with other paths: to gives both sides of each file anew; the side that a
// creation or deletion lacks stays empty.
func (p Patch) Rename(to func(old, new string) (string, string)) Patch {
	out := Patch{Files: slices.Clone(p.Files)}
	for i, f := range out.Files {
		old, new := to(f.Old, f.New)
		if f.Old != "" {
			out.Files[i].Old = old
		}
		if f.New != "" {
			out.Files[i].New = new
		}
	}
	return out
}
