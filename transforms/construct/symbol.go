package construct

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// symbols reverses each hunk where git would. The symbols that the other hunks lie in are undone
// whole: one that the change edited gets the text it had before, one that the change added is taken
// away. H must have a symbol of the same name and signature, and a symbol that was edited must have
// kept its signature. A file that the change added goes whole, whatever became of it since.
func (u *undoing) symbols(int) error {
	moved := u.moved()
	res, refused, err := patch.ApplyEach(moved.Reverse(), u.tree)
	if err != nil {
		return fmt.Errorf("reverse %s: %w", u.Change.ID, err)
	}
	u.tree = u.tree.With(res.Changes...)
	u.places = append(u.places, res.Places...)
	byFile := map[int][]int{}
	for _, c := range refused {
		i := slices.IndexFunc(moved.Files, func(f patch.File) bool { return f.Old == c.Path || f.New == c.Path })
		if i < 0 || moved.Files[i].Binary || c.Hunk >= len(moved.Files[i].Hunks) {
			return reject(model.StageConstruct, model.DoesNotReverse, "%s", conflictDetail(c, moved))
		}
		byFile[i] = append(byFile[i], c.Hunk)
	}
	for i := range moved.Files {
		hunks, ok := byFile[i]
		if !ok {
			continue
		}
		if err := u.transplant(u.Source.Files[i], moved.Files[i], hunks); err != nil {
			return err
		}
	}
	return nil
}

// transplant undoes the symbols that hunks of a file lie in; f has the change's own paths, to those
// of H.
func (u *undoing) transplant(f, to patch.File, hunks []int) error {
	lost := func(format string, args ...any) error {
		return reject(model.StageConstruct, model.DoesNotReverse, "%s: %s", to.Path(), fmt.Sprintf(format, args...))
	}
	if f.Change == patch.Added {
		if _, ok := u.tree.Entry(to.New); !ok {
			return lost("H has no such file")
		}
		u.tree = u.tree.With(model.TreeChange{Path: to.New, Delete: true})
		return nil
	}
	at := to.New // a renamed file still has its new name where its hunks were refused
	file, ok, err := readText(u.tree, at)
	if err == nil && !ok {
		at = to.Old
		file, ok, err = readText(u.tree, at)
	}
	if err != nil {
		return err
	}
	if f.Change == patch.Deleted || !ok || slices.Contains(hunks, -1) {
		return lost("H has no such file")
	}
	was, err := u.symbolsOf(u.Before, f.Old)
	if err != nil {
		return err
	}
	is, err := u.symbolsOf(u.After, f.New)
	if err != nil {
		return err
	}
	now, err := u.symbolsOf(u.tree, at)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	var outside []patch.Hunk // of imports and the like
	for _, h := range hunks {
		inside, rest := split(f.Hunks[h], was, is)
		for _, name := range inside {
			names[name] = true
		}
		outside = append(outside, rest...)
	}
	old, _, err := readText(u.Before, f.Old)
	if err != nil {
		return err
	}
	oldLines, lines := splitLines(string(old.Data)), splitLines(string(file.Data))
	type cut struct {
		start, end int // lines of H, from 0, end exclusive
		with       []string
	}
	var cuts []cut
	for _, name := range slices.Sorted(keysOf(names)) {
		b, inBefore := one(was, name)
		a, inAfter := one(is, name)
		h, inH := one(now, name)
		switch {
		case !inAfter || !inH || a.Signature != h.Signature:
			return lost("H has no %s of the same signature", name)
		case inBefore && b.Signature != a.Signature:
			return lost("the change gave %s another signature", name)
		case inBefore:
			cuts = append(cuts, cut{h.Start - 1, h.End, shifted(oldLines[b.Start-1:b.End], lines[h.Start-1])})
		default:
			start := h.Start - 1
			for start > 0 && strings.TrimSpace(lines[start-1]) == "" {
				start--
			}
			cuts = append(cuts, cut{start, h.End, nil})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(b.start, a.start) })
	for i, c := range cuts {
		if i > 0 && c.end > cuts[i-1].start {
			return lost("a symbol lies in another")
		}
		lines = slices.Concat(lines[:c.start], c.with, lines[c.end:])
	}
	text := strings.Join(lines, "")
	for _, h := range outside {
		var why model.Reason
		if text, why = replaceBlock(text, h, 0); why != "" {
			return reject(model.StageConstruct, why, "%s: lines outside of symbols near line %d", to.Path(), h.NewStart)
		}
	}
	changes := []model.TreeChange{{Path: to.Old, Mode: file.Mode, Data: []byte(text)}}
	if at != to.Old {
		changes = append(changes, model.TreeChange{Path: at, Delete: true})
	}
	u.tree = u.tree.With(changes...)
	return nil
}

// symbolsOf are the symbols of a file that is code; parameters and fields are parts of others.
func (u *undoing) symbolsOf(t *tree.Tree, p string) ([]model.Symbol, error) {
	found, err := u.lang.Symbols(t, p)
	if err != nil {
		return nil, reject(model.StageConstruct, model.DoesNotReverse, "%s: its symbols cannot be read", p)
	}
	return slices.DeleteFunc(found, func(s model.Symbol) bool {
		return s.Kind == "parameter" || s.Kind == "field" || s.Start < 1 || s.End < s.Start
	}), nil
}

// split says in which symbols the changed lines of a hunk lie, on both sides, and gives the runs of
// changed lines that lie in none. Blank lines belong to nothing.
func split(h patch.Hunk, was, is []model.Symbol) (names []string, outside []patch.Hunk) {
	old, now, open := h.OldStart, h.NewStart, false
	for _, l := range h.Lines {
		s, ok := model.Symbol{}, false
		switch l.Op {
		case '+':
			s, ok = innermost(is, now)
		case '-':
			s, ok = innermost(was, old)
		}
		switch {
		case l.Op == ' ' || strings.TrimSpace(l.Text) == "":
			open = false
		case ok:
			names, open = append(names, s.Name), false
		default:
			if !open {
				outside, open = append(outside, patch.Hunk{OldStart: old, NewStart: now}), true
			}
			run := &outside[len(outside)-1]
			run.Lines = append(run.Lines, l)
		}
		if l.Op != '+' {
			old++
		}
		if l.Op != '-' {
			now++
		}
	}
	return names, outside
}

// innermost is the smallest symbol that a line lies in.
func innermost(symbols []model.Symbol, line int) (model.Symbol, bool) {
	best, ok := model.Symbol{}, false
	for _, s := range symbols {
		if s.Start <= line && line <= s.End && (!ok || s.End-s.Start < best.End-best.Start) {
			best, ok = s, true
		}
	}
	return best, ok
}

// one is the symbol of a name; false where there is none, or several.
func one(symbols []model.Symbol, name string) (model.Symbol, bool) {
	var found []model.Symbol
	for _, s := range symbols {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return model.Symbol{}, false
	}
	return found[0], true
}

// shifted are lines with the indentation that there has.
func shifted(lines []string, there string) []string {
	was, is := "", indentation(there)
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			was = indentation(l)
			break
		}
	}
	if was == is {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l
		if rest, ok := strings.CutPrefix(l, was); ok && strings.TrimSpace(l) != "" {
			out[i] = is + rest
		}
	}
	return out
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// hunksOf are the hunks of a source file that add lines to a symbol of a name, as After holds it.
func (u *undoing) hunksOf(f patch.File, name string) []int {
	symbols, err := u.lang.Symbols(u.After, f.New)
	if err != nil || name == "" {
		return nil
	}
	own := slices.DeleteFunc(symbols, func(s model.Symbol) bool { return evidence.LastName(s.Name) != evidence.LastName(name) })
	var out []int
	for i, h := range f.Hunks {
		now := h.NewStart
		for _, l := range h.Lines {
			if _, in := innermost(own, now); in && l.Op == '+' {
				out = append(out, i)
				break
			}
			if l.Op != '-' {
				now++
			}
		}
	}
	return out
}
