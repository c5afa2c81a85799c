package gitio

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// A Change is one path that differs between two commits. Old or New is zero where the path does
// not exist on that side. A rename has both, with different paths and equal hashes.
type Change struct{ Old, New model.TreeEntry }

// Path is the path after the change; of a deletion, before it.
func (c Change) Path() string { return cmp.Or(c.New.Path, c.Old.Path) }

// Word says what happened: added, deleted, renamed, mode, symlink, submodule or modified.
// Symlink and submodule win over the rest when either side is one.
func (c Change) Word() string {
	either := func(m uint32) bool { return c.Old.Mode == m || c.New.Mode == m }
	switch {
	case either(model.ModeSubmodule):
		return "submodule"
	case either(model.ModeSymlink):
		return "symlink"
	case c.Old.Path == "":
		return "added"
	case c.New.Path == "":
		return "deleted"
	case c.Old.Path != c.New.Path:
		return "renamed"
	case c.Old.Hash == c.New.Hash:
		return "mode"
	}
	return "modified"
}

// maxChanges bounds the paths of one change.
const maxChanges = 200_000

// Changes lists the paths that differ between two commits, sorted by path, with renames of
// equal content paired. An empty before is the empty tree.
func (r *Repository) Changes(before, after model.Hash) ([]Change, error) {
	a, err := r.treeOf(before)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", before, after, err)
	}
	b, err := r.treeOf(after)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", before, after, err)
	}
	changes, err := r.changes(a, b)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", before, after, err)
	}
	return changes, nil
}

func (r *Repository) changes(a, b id) ([]Change, error) {
	var out []Change
	if err := r.differ("", a, b, 0, &out); err != nil {
		return nil, err
	}
	out = pairRenames(out)
	slices.SortStableFunc(out, func(x, y Change) int { return cmp.Compare(x.Path(), y.Path()) })
	return out, nil
}

// differ walks two trees side by side. An equal subtree is never read.
func (r *Repository) differ(dir string, a, b id, depth int, out *[]Change) error {
	if a == b {
		return nil
	}
	if depth > maxDepth || len(*out) > maxChanges {
		return &ObjectError{b.hash(), ErrTooLarge}
	}
	olds, err := r.tree(a)
	if err != nil {
		return err
	}
	news, err := r.tree(b)
	if err != nil {
		return err
	}
	olds, news = skipEqual(olds, news)
	left, right := cursor{i: a, rest: olds}, cursor{i: b, rest: news}
	if err := cmp.Or(left.next(), right.next()); err != nil {
		return err
	}
	for left.ok || right.ok {
		if left.ok && right.ok && left.e.id == right.e.id && bytes.Equal(left.e.name, right.e.name) && left.e.mode == right.e.mode {
			left.rest, right.rest = skipEqual(left.rest, right.rest)
			if err := cmp.Or(left.next(), right.next()); err != nil {
				return err
			}
			continue
		}
		order := compareEntries(left, right)
		var o, n treeEntry
		if order <= 0 {
			o = left.e
			err = left.next()
		}
		if order >= 0 {
			n = right.e
			err = cmp.Or(err, right.next())
		}
		if err != nil {
			return err
		}
		if err := r.pair(dir, o, n, depth, out); err != nil {
			return err
		}
	}
	return nil
}

// skipEqual cuts the entries off that two tree objects begin with alike. Most of what two
// neighbours in a history hold is alike, and need not be decoded.
func skipEqual(a, b []byte) ([]byte, []byte) {
	for {
		end := bytes.IndexByte(a, 0) + 21
		if end < 21 || end > len(a) || end > len(b) || !bytes.Equal(a[:end], b[:end]) {
			return a, b
		}
		a, b = a[end:], b[end:]
	}
}

// pair handles one name; either side may be absent, and both are of the same sort (folder or
// not), since a folder sorts apart from a file of its name.
func (r *Repository) pair(dir string, o, n treeEntry, depth int, out *[]Change) error {
	if o.id == n.id && o.mode == n.mode {
		return nil
	}
	name := dir + string(n.name)
	if n.name == nil {
		name = dir + string(o.name)
	}
	if o.dir() || n.dir() {
		return r.differ(name+"/", o.id, n.id, depth+1, out)
	}
	*out = append(*out, Change{o.at(name), n.at(name)})
	return nil
}

func (e treeEntry) at(path string) model.TreeEntry {
	if e.name == nil {
		return model.TreeEntry{}
	}
	return model.TreeEntry{Path: path, Mode: e.mode, Hash: e.id.hash()}
}

// A cursor reads a tree object entry by entry.
type cursor struct {
	i    id
	rest []byte
	e    treeEntry
	ok   bool
}

func (c *cursor) next() error {
	if c.ok = len(c.rest) > 0; !c.ok {
		return nil
	}
	var err error
	if c.e, c.rest, err = nextEntry(c.rest); err != nil {
		return &ObjectError{c.i.hash(), err}
	}
	return nil
}

// compareEntries orders as git does: a folder as if its name ended in a slash. An exhausted
// cursor comes last.
func compareEntries(a, b cursor) int {
	if !a.ok || !b.ok {
		if a.ok {
			return -1
		}
		return 1
	}
	x, y := a.e.name, b.e.name
	n := min(len(x), len(y))
	if c := bytes.Compare(x[:n], y[:n]); c != 0 {
		return c
	}
	return cmp.Compare(after(a.e, n), after(b.e, n))
}

func after(e treeEntry, n int) byte {
	if n < len(e.name) {
		return e.name[n]
	}
	if e.dir() {
		return '/'
	}
	return 0
}

// pairRenames joins a deletion and an addition of the same content, first those that keep their
// file name, then in order. Empty files are alike by chance and stay apart.
func pairRenames(changes []Change) []Change {
	const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	file := func(e model.TreeEntry) bool {
		return e.Path != "" && e.Mode != model.ModeSubmodule && e.Hash != empty
	}
	kind := func(e model.TreeEntry) string {
		return string(e.Hash) + map[bool]string{true: "l"}[e.Mode == model.ModeSymlink]
	}
	deleted := map[string][]int{}
	for k, c := range changes {
		if c.New.Path == "" && file(c.Old) {
			deleted[kind(c.Old)] = append(deleted[kind(c.Old)], k)
		}
	}
	if len(deleted) == 0 {
		return changes
	}
	gone := map[int]bool{}
	for _, sameName := range []bool{true, false} {
		for k, c := range changes {
			if c.Old.Path != "" || !file(c.New) {
				continue
			}
			for _, d := range deleted[kind(c.New)] {
				if gone[d] || sameName && path.Base(changes[d].Old.Path) != path.Base(c.New.Path) {
					continue
				}
				changes[k].Old = changes[d].Old
				gone[d] = true
				break
			}
		}
	}
	out := changes[:0]
	for k, c := range changes {
		if !gone[k] {
			out = append(out, c)
		}
	}
	return out
}
