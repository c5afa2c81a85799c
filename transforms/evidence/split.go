package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Changed lists the paths in which two trees differ, sorted.
func Changed(a, b *tree.Tree) []string {
	var out []string
	for _, p := range b.Paths() {
		n, _ := b.Entry(p)
		if o, ok := a.Entry(p); !ok || o != n {
			out = append(out, p)
		}
	}
	for _, p := range a.Paths() {
		if _, ok := b.Entry(p); !ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// Diff is the patch from a to b of those of paths that keep accepts. A rename is paired only
// within them, so that a file that moves between kinds is a deletion here and an addition there.
func Diff(a, b *tree.Tree, paths []string, keep func(path string) bool) (patch.Patch, error) {
	p, err := patch.Diff(part(a, paths, keep), part(b, paths, keep), patch.Options{})
	if err != nil {
		return patch.Patch{}, fmt.Errorf("diff trees: %w", err)
	}
	return p, nil
}

// part is the tree of some of a tree's paths.
func part(t *tree.Tree, paths []string, keep func(string) bool) *tree.Tree {
	var entries []model.TreeEntry
	for _, p := range paths {
		if e, ok := t.Entry(p); ok && keep(p) {
			entries = append(entries, e)
		}
	}
	return tree.New(entries, func(e model.TreeEntry) ([]byte, error) {
		f, _, err := t.Read(e.Path)
		return f.Data, err
	})
}

// IsCheck reports whether a path belongs to the checks of a language: test files and their data.
func IsCheck(l lang.Language, path string) bool {
	k := l.Kind(path)
	return k == model.CheckFile || k == model.CheckData
}

// A split is a change cut by the kinds of its paths in one language.
type split struct {
	language             lang.Language
	paths                []string // all that changed
	source, docs, checks patch.Patch
}

// splitFor chooses the language of a change and splits its diff: the language with the most
// changed production lines among those that also have a changed check file; where there is
// none, among all. The first in order wins a tie.
func splitFor(before, after *tree.Tree, paths []string, languages []lang.Language) (split, error) {
	var best split
	most, paired := -1, false
	for _, l := range languages {
		production := func(p string) bool { return l.Kind(p) == model.Production }
		source, err := Diff(before, after, paths, production)
		if err != nil {
			return split{}, err
		}
		_, _, lines := source.Profile()
		checked := lines > 0 && slices.ContainsFunc(paths, func(p string) bool { return l.Kind(p) == model.CheckFile })
		if checked == paired && lines > most || checked && !paired {
			best, most, paired = split{language: l, paths: paths, source: source}, lines, checked
		}
	}
	l := best.language
	if l == nil {
		return best, fmt.Errorf("split change: no language")
	}
	var err error
	if best.docs, err = Diff(before, after, paths, func(p string) bool { return l.Kind(p) == model.Docs }); err != nil {
		return split{}, err
	}
	best.checks, err = Diff(before, after, paths, func(p string) bool { return IsCheck(l, p) })
	return best, err
}

// lfsPointer begins every Git LFS pointer file.
var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// special finds the entries of a change that no patch of lines can hold: a submodule anywhere;
// an LFS pointer or binary content in a production or check file. Check data of such kinds stays
// as in H in every state, so it does no harm.
func (s split) special(before, after *tree.Tree) (submodule, lfs, binary string, err error) {
	for _, p := range s.paths {
		for _, t := range []*tree.Tree{before, after} {
			if e, ok := t.Entry(p); ok && e.Mode == model.ModeSubmodule {
				submodule = first(submodule, p)
			}
		}
	}
	for _, f := range slices.Concat(s.source.Files, s.checks.Files) {
		if s.language.Kind(f.Path()) == model.CheckData {
			continue
		}
		if f.Binary {
			binary = first(binary, f.Path())
		}
		for t, p := range map[*tree.Tree]string{before: f.Old, after: f.New} {
			file, ok, err := t.Read(p)
			if err != nil {
				return "", "", "", err
			}
			if ok && bytes.HasPrefix(file.Data, lfsPointer) {
				lfs = first(lfs, f.Path())
			}
		}
	}
	return submodule, lfs, binary, nil
}

func first(a, b string) string {
	if a == "" || b < a {
		return b
	}
	return a
}

// addedLines are the lines that a patch adds to the files that keep accepts.
func addedLines(p patch.Patch, keep func(path string) bool) []string {
	var out []string
	for _, f := range p.Files {
		if f.Binary || f.New == "" || !keep(f.New) {
			continue
		}
		for _, h := range f.Hunks {
			for _, line := range h.Lines {
				if line.Op == '+' {
					out = append(out, strings.TrimRight(line.Text, "\r\n"))
				}
			}
		}
	}
	return out
}
