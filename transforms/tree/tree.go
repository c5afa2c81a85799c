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
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A Tree is a set of files by path. It is a value: With returns a new one. Safe for concurrent
// reading where its loader is.
type Tree struct {
	base    model.Hash
	entries map[string]model.TreeEntry
	paths   []string              // of entries, sorted
	folders map[string]model.Hash // git ids of all folders, by path with a slash at the end; "" is the root
	changes map[string]model.TreeChange
	load    func(model.TreeEntry) ([]byte, error)
}

// New returns the tree of entries; load gives the content of an entry when it is asked for.
func New(entries []model.TreeEntry, load func(model.TreeEntry) ([]byte, error)) *Tree {
	t := &Tree{
		entries: make(map[string]model.TreeEntry, len(entries)),
		folders: map[string]model.Hash{},
		load:    load,
	}
	for _, e := range entries {
		t.entries[e.Path] = e
	}
	t.paths = slices.Sorted(maps.Keys(t.entries))
	t.hash(t.paths, "")
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

// entry is the entry of a content; a submodule's content is the commit id itself. A submodule
// whose commit is not known is told from another by its content.
func entry(path string, mode uint32, data []byte) model.TreeEntry {
	if _, err := hex.DecodeString(string(data)); mode == model.ModeSubmodule && err == nil && len(data) == 40 {
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
func (t *Tree) Paths() []string { return slices.Clone(t.paths) }

// Under lists the paths below the folder dir, sorted.
func (t *Tree) Under(dir string) []string {
	start, _ := slices.BinarySearch(t.paths, dir+"/")
	return slices.Clone(t.paths[start : start+under(t.paths[start:], dir+"/")])
}

// under counts the paths at the start of the sorted paths that begin with prefix, which ends in
// a slash.
func under(paths []string, prefix string) int {
	after := prefix[:len(prefix)-1] + string(rune('/'+1))
	n, _ := slices.BinarySearch(paths, after)
	return n
}

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
	if e.Mode == model.ModeSubmodule {
		return model.File{Path: path, Mode: e.Mode, Data: []byte(e.Hash)}, true, nil
	}
	if c, ok := t.changes[path]; ok {
		return model.File{Path: path, Mode: e.Mode, Data: c.Data}, true, nil
	}
	data, err := t.load(e)
	if err != nil {
		return model.File{}, true, fmt.Errorf("read %s: %w", path, err)
	}
	return model.File{Path: path, Mode: e.Mode, Data: data}, true, nil
}

// With is t with changes applied, in order. The data of a submodule's change is its commit's
// id, 40 hexadecimal characters. Only the folders above the changes are hashed again.
func (t *Tree) With(changes ...model.TreeChange) *Tree {
	n := &Tree{
		base: t.base, entries: maps.Clone(t.entries), paths: slices.Clone(t.paths),
		folders: maps.Clone(t.folders), changes: maps.Clone(t.changes), load: t.load,
	}
	if n.changes == nil {
		n.changes = map[string]model.TreeChange{}
	}
	for _, c := range changes {
		n.set(c)
		delete(n.folders, "")
		for i := range len(c.Path) {
			if c.Path[i] == '/' {
				delete(n.folders, c.Path[:i+1])
			}
		}
	}
	n.hash(n.paths, "")
	return n
}

func (t *Tree) set(c model.TreeChange) {
	at, found := slices.BinarySearch(t.paths, c.Path)
	if c.Delete {
		if found {
			t.paths = slices.Delete(t.paths, at, at+1)
		}
		delete(t.entries, c.Path)
		t.changes[c.Path] = model.TreeChange{Path: c.Path, Delete: true}
		return
	}
	if !found {
		t.paths = slices.Insert(t.paths, at, c.Path)
	}
	if c.Mode == 0 {
		c.Mode = model.ModeFile
	}
	t.entries[c.Path] = entry(c.Path, c.Mode, c.Data)
	t.changes[c.Path] = c
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
func (t *Tree) Hash() model.Hash { return t.folders[""] }

// hash fills in the ids of the folder prefix and of the folders below that have none. paths are
// those that begin with prefix, sorted.
func (t *Tree) hash(paths []string, prefix string) model.Hash {
	if h, ok := t.folders[prefix]; ok {
		return h
	}
	type item struct {
		key  string // sorts as git does: a directory as if it ended in a slash
		mode uint32
		hash model.Hash
	}
	var items []item
	for i := 0; i < len(paths); {
		name := paths[i][len(prefix):]
		dir, _, nested := strings.Cut(name, "/")
		if !nested {
			e := t.entries[paths[i]]
			items = append(items, item{name, e.Mode, e.Hash})
			i++
			continue
		}
		sub := prefix + dir + "/"
		end := i + under(paths[i:], sub)
		items = append(items, item{dir + "/", 0o40000, t.hash(paths[i:end], sub)})
		i = end
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.key, b.key) })
	var b bytes.Buffer
	for _, it := range items {
		raw, err := hex.DecodeString(string(it.hash))
		if err != nil || len(raw) == 0 {
			panic("tree: entry " + prefix + it.key + " has no git id")
		}
		fmt.Fprintf(&b, "%o %s\x00", it.mode, strings.TrimSuffix(it.key, "/"))
		b.Write(raw)
	}
	h := object("tree", b.Bytes())
	t.folders[prefix] = h
	return h
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
		if e.Mode == model.ModeSubmodule {
			f.Data = []byte(e.Hash)
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
