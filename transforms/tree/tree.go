// Package tree turns a listing of files and changes over it into a new tree with its git id,
// reading contents only where they are asked for.
package tree

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A Tree is a set of files by path. It is a value: With returns a new one. Safe for concurrent
// reading where its loader is.
type Tree struct {
	base    model.Hash
	entries map[string]model.TreeEntry
	changes map[string]model.TreeChange
	load    func(model.TreeEntry) ([]byte, error)
}

// New returns the tree of entries; load gives the content of an entry when it is asked for.
func New(entries []model.TreeEntry, load func(model.TreeEntry) ([]byte, error)) *Tree {
	t := &Tree{entries: make(map[string]model.TreeEntry, len(entries)), load: load}
	for _, e := range entries {
		t.entries[e.Path] = e
	}
	t.base = t.Hash()
	return t
}

// Of returns the tree that holds files.
func Of(files ...model.File) *Tree {
	content := make(map[string][]byte, len(files))
	entries := make([]model.TreeEntry, 0, len(files))
	for _, f := range files {
		if f.Mode == 0 {
			f.Mode = model.ModeFile
		}
		content[f.Path] = f.Data
		entries = append(entries, entry(f.Path, f.Mode, f.Data))
	}
	return New(entries, func(e model.TreeEntry) ([]byte, error) { return content[e.Path], nil })
}

// entry is the entry of a content; a submodule's content is the commit id itself.
func entry(path string, mode uint32, data []byte) model.TreeEntry {
	if mode == model.ModeSubmodule {
		return model.TreeEntry{Path: path, Mode: mode, Hash: model.Hash(data)}
	}
	return model.TreeEntry{Path: path, Mode: mode, Hash: BlobHash(data)}
}

// BlobHash is the git id of a blob.
func BlobHash(data []byte) model.Hash { return object("blob", data) }

func object(kind string, data []byte) model.Hash {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return model.Hash(hex.EncodeToString(h.Sum(nil)))
}

// Paths lists the paths of t, sorted.
func (t *Tree) Paths() []string { return slices.Sorted(maps.Keys(t.entries)) }

// Entry is the entry at path.
func (t *Tree) Entry(path string) (model.TreeEntry, bool) {
	e, ok := t.entries[path]
	return e, ok
}

// Read is the file at path; false where there is none.
func (t *Tree) Read(path string) (model.File, bool, error) {
	e, ok := t.entries[path]
	if !ok {
		return model.File{}, false, nil
	}
	if c, ok := t.changes[path]; ok {
		return model.File{Path: path, Mode: e.Mode, Data: c.Data}, true, nil
	}
	if e.Mode == model.ModeSubmodule {
		return model.File{Path: path, Mode: e.Mode, Data: []byte(e.Hash)}, true, nil
	}
	data, err := t.load(e)
	if err != nil {
		return model.File{}, true, fmt.Errorf("read %s: %w", path, err)
	}
	return model.File{Path: path, Mode: e.Mode, Data: data}, true, nil
}

// With is t with changes applied, in order.
func (t *Tree) With(changes ...model.TreeChange) *Tree {
	n := &Tree{base: t.base, entries: maps.Clone(t.entries), changes: maps.Clone(t.changes), load: t.load}
	if n.changes == nil {
		n.changes = map[string]model.TreeChange{}
	}
	for _, c := range changes {
		if c.Delete {
			delete(n.entries, c.Path)
			n.changes[c.Path] = model.TreeChange{Path: c.Path, Delete: true}
			continue
		}
		if c.Mode == 0 {
			c.Mode = model.ModeFile
		}
		n.entries[c.Path] = entry(c.Path, c.Mode, c.Data)
		n.changes[c.Path] = c
	}
	return n
}

// Value names t as its base and the changes over it.
func (t *Tree) Value() model.Tree {
	v := model.Tree{Hash: t.Hash(), Base: t.base}
	if v.Hash == v.Base {
		return v
	}
	for _, p := range slices.Sorted(maps.Keys(t.changes)) {
		v.Changes = append(v.Changes, t.changes[p])
	}
	return v
}

// Hash is the git id of the tree.
func (t *Tree) Hash() model.Hash {
	paths := t.Paths()
	h, _ := t.hash(paths, "")
	return h
}

// hash writes the tree object of the paths below prefix; paths are sorted and all begin with
// prefix.
func (t *Tree) hash(paths []string, prefix string) (model.Hash, bool) {
	type item struct {
		name, key string // key sorts as git does: a directory as if it ended in a slash
		mode      uint32
		hash      model.Hash
	}
	var items []item
	for i := 0; i < len(paths); {
		rest := paths[i][len(prefix):]
		dir, _, nested := strings.Cut(rest, "/")
		if !nested {
			e := t.entries[paths[i]]
			items = append(items, item{rest, rest, e.Mode, e.Hash})
			i++
			continue
		}
		sub := prefix + dir + "/"
		end := i
		for end < len(paths) && strings.HasPrefix(paths[end], sub) {
			end++
		}
		h, ok := t.hash(paths[i:end], sub)
		if ok {
			items = append(items, item{dir, dir + "/", 0o40000, h})
		}
		i = end
	}
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	var b bytes.Buffer
	for _, it := range items {
		raw, err := hex.DecodeString(string(it.hash))
		if err != nil {
			panic("tree: entry " + prefix + it.name + " has no git id")
		}
		fmt.Fprintf(&b, "%o %s\x00", it.mode, it.name)
		b.Write(raw)
	}
	return object("tree", b.Bytes()), len(items) > 0
}

// Diff lists the changes that lead from a to b, sorted by path.
func Diff(a, b *Tree) ([]model.TreeChange, error) {
	var out []model.TreeChange
	for p, e := range b.entries {
		if o, ok := a.entries[p]; ok && o == e {
			continue
		}
		f, _, err := b.Read(p)
		if err != nil {
			return nil, err
		}
		out = append(out, model.TreeChange{Path: p, Mode: e.Mode, Data: f.Data})
	}
	for p := range a.entries {
		if _, ok := b.entries[p]; !ok {
			out = append(out, model.TreeChange{Path: p, Delete: true})
		}
	}
	slices.SortFunc(out, func(x, y model.TreeChange) int { return strings.Compare(x.Path, y.Path) })
	return out, nil
}
