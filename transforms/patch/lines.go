package patch

import (
	"bytes"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// DiffFiles is the change from old to new, which lie at the same path or at two; false where
// nothing differs. An empty path on one side is an addition or a deletion. The types of both
// (file, symlink, submodule) must be the same. The data of a submodule is its commit's id.
func DiffFiles(old, new model.File) (File, bool) { return diffFiles(old, new, 3) }

func diffFiles(old, new model.File, context int) (File, bool) {
	f := File{Old: old.Path, New: new.Path, OldMode: old.Mode, NewMode: new.Mode, OldHash: none, NewHash: none, Change: Modified}
	switch {
	case old.Path == "":
		f.Change, f.OldMode = Added, 0
	case new.Path == "":
		f.Change, f.NewMode = Deleted, 0
	case old.Path != new.Path:
		f.Change = Renamed
	}
	if old.Path != "" {
		f.OldHash = blobID(old)
	}
	if new.Path != "" {
		f.NewHash = blobID(new)
	}
	before := toText(model.TreeChange{Mode: old.Mode, Data: old.Data})
	after := toText(model.TreeChange{Mode: new.Mode, Data: new.Data})
	if old.Path == "" {
		before = ""
	}
	if new.Path == "" {
		after = ""
	}
	switch {
	case before == after:
	case isBinary(before) || isBinary(after):
		f.Binary, f.BinaryOld, f.BinaryNew = true, []byte(before), []byte(after)
	default:
		f.Hunks = hunks(before, after, context)
	}
	if before == after && f.Change != Added && f.Change != Deleted {
		// git's header of such a change has no index line.
		f.OldHash, f.NewHash = "", ""
		switch {
		case f.Change == Renamed:
		case f.OldMode == f.NewMode:
			return File{}, false
		default:
			f.Change = Mode
		}
	}
	return f, true
}

// none is git's id of a file that is not there.
var none = strings.Repeat("0", 40)

func blobID(f model.File) string {
	if f.Mode == model.ModeSubmodule {
		return string(f.Data)
	}
	return string(tree.BlobHash(f.Data))
}

// isBinary is git's rule: a NUL in the first 8000 bytes.
func isBinary(s string) bool {
	return strings.IndexByte(s[:min(len(s), 8000)], 0) >= 0
}

// hunks are the hunks that lead from before to after.
func hunks(before, after string, context int) []Hunk {
	m := &image{known: map[string]int{}}
	a, b := splitLines(before), splitLines(after)
	ia, ib := make([]int, len(a)), make([]int, len(b))
	for i, l := range a {
		ia[i] = m.id(l)
	}
	for i, l := range b {
		ib[i] = m.id(l)
	}
	groups := script(ia, ib, a, b)
	var out []Hunk
	for i := 0; i < len(groups); {
		j := i + 1
		for j < len(groups) && groups[j].a0-groups[j-1].a1 <= 2*context {
			j++
		}
		out = append(out, hunk(a, b, groups[i:j], context))
		i = j
	}
	sections(a, out)
	return out
}

// A group is a run of lines a0..a1 of a that becomes b0..b1 of b.
type group struct{ a0, a1, b0, b1 int }

// script is the list of changed runs, each slid along equal lines to where git puts it.
func script(a, b []int, textA, textB []string) []group {
	removed, added := edits(a, b)
	slide(a, textA, removed, b, added)
	slide(b, textB, added, a, removed)
	var out []group
	for i, j := 0, 0; i < len(a) || j < len(b); {
		g := group{i, i, j, j}
		for g.a1 < len(a) && removed[g.a1] {
			g.a1++
		}
		for g.b1 < len(b) && added[g.b1] {
			g.b1++
		}
		if g.a1 > i || g.b1 > j {
			out = append(out, g)
		}
		i, j = g.a1+1, g.b1+1
	}
	return out
}

// hunk renders groups with context around them.
func hunk(a, b []string, groups []group, context int) Hunk {
	first, last := groups[0], groups[len(groups)-1]
	lead := min(context, first.a0)
	trail := min(context, len(a)-last.a1)
	h := Hunk{OldStart: first.a0 - lead + 1, NewStart: first.b0 - lead + 1}
	at := first.a0 - lead
	for _, g := range groups {
		h.context(a[at:g.a0])
		for _, l := range a[g.a0:g.a1] {
			h.Lines = append(h.Lines, Line{'-', l})
			h.OldLines++
		}
		for _, l := range b[g.b0:g.b1] {
			h.Lines = append(h.Lines, Line{'+', l})
			h.NewLines++
		}
		at = g.a1
	}
	h.context(a[at : at+trail])
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
	return h
}

func (h *Hunk) context(lines []string) {
	for _, l := range lines {
		h.Lines = append(h.Lines, Line{' ', l})
	}
	h.OldLines += len(lines)
	h.NewLines += len(lines)
}

// sections names for each hunk the last line before it that begins like a declaration, at most
// 80 bytes of it, as git does without a rule for the language.
func sections(a []string, hunks []Hunk) {
	at, name := 0, ""
	for i := range hunks {
		start := hunks[i].OldStart - 1
		if hunks[i].OldLines == 0 {
			start++
		}
		for ; at < min(start, len(a)); at++ {
			c := a[at][0]
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' {
				name = a[at]
			}
		}
		hunks[i].Section = strings.TrimRight(string(bytes.ToValidUTF8([]byte(name[:min(len(name), 80)]), nil)), " \t\r\n\v\f")
	}
}
