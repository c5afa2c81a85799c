package gitio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// maxEntries and maxDepth bound a tree that is listed as a whole.
const (
	maxEntries = 2_000_000
	maxDepth   = 512
)

// A treeEntry is one line of a tree object. Its name shares the object's memory.
type treeEntry struct {
	mode uint32
	name []byte
	id   id
}

const modeDir uint32 = 0o040000

func (e treeEntry) dir() bool { return e.mode == modeDir }

// nextEntry cuts the first entry off a tree object. A name that could leave its folder is
// corrupt: git never writes one.
func nextEntry(b []byte) (e treeEntry, rest []byte, err error) {
	k := 0
	for ; k < len(b) && b[k] != ' '; k++ {
		if b[k] < '0' || b[k] > '7' || k > 6 {
			return e, nil, fmt.Errorf("%w: tree entry without a mode", errCorrupt)
		}
		e.mode = e.mode<<3 | uint32(b[k]-'0')
	}
	if k == len(b) {
		return e, nil, fmt.Errorf("%w: truncated tree", errCorrupt)
	}
	b = b[k+1:]
	end := bytes.IndexByte(b, 0)
	if end < 0 || len(b) < end+21 {
		return e, nil, fmt.Errorf("%w: truncated tree", errCorrupt)
	}
	e.name = b[:end]
	copy(e.id[:], b[end+1:])
	if end == 0 || e.name[0] == '.' && escapes(string(e.name)) || bytes.IndexByte(e.name, '/') >= 0 {
		return e, nil, fmt.Errorf("%w: tree entry named %q", errCorrupt, e.name)
	}
	e.mode = canonical(e.mode)
	return e, b[end+21:], nil
}

func escapes(name string) bool {
	return name == "." || name == ".." || strings.EqualFold(name, ".git")
}

// canonical maps the modes of old histories (0664, 0600…) to those git has today.
func canonical(m uint32) uint32 {
	switch m & 0o170000 {
	case 0o040000:
		return modeDir
	case 0o120000:
		return model.ModeSymlink
	case 0o160000:
		return model.ModeSubmodule
	}
	if m&0o100 != 0 {
		return model.ModeExecutable
	}
	return model.ModeFile
}

func (r *Repository) tree(i id) ([]byte, error) {
	if i == (id{}) {
		return nil, nil
	}
	return r.objects.as(treeKind, i, maxObject)
}

func (r *Repository) treeOf(commit model.Hash) (id, error) {
	if commit == "" {
		return id{}, nil
	}
	i, ok := parseID(string(commit))
	if !ok {
		return i, errors.New("not a git id")
	}
	n, err := r.node(i)
	if err != nil {
		return i, err
	}
	if n.tree == (id{}) {
		return i, &ObjectError{commit, fmt.Errorf("%w: commit without a tree", errCorrupt)}
	}
	return n.tree, nil
}

// Tree lists every path of a commit (files, symlinks, submodules), in git's order, and the git
// id of its tree.
func (r *Repository) Tree(ctx context.Context, commit model.Hash) ([]model.TreeEntry, model.Hash, error) {
	root, err := r.treeOf(commit)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", commit, err)
	}
	var out []model.TreeEntry
	if err := r.list(ctx, &out, "", root, 0); err != nil {
		return nil, "", fmt.Errorf("list %s: %w", commit, err)
	}
	return out, root.hash(), nil
}

func (r *Repository) list(ctx context.Context, out *[]model.TreeEntry, dir string, i id, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		return &ObjectError{i.hash(), ErrTooLarge}
	}
	data, err := r.tree(i)
	if err != nil {
		return err
	}
	for len(data) > 0 {
		var e treeEntry
		if e, data, err = nextEntry(data); err != nil {
			return &ObjectError{i.hash(), err}
		}
		if e.dir() {
			if err := r.list(ctx, out, dir+string(e.name)+"/", e.id, depth+1); err != nil {
				return err
			}
			continue
		}
		if len(*out) >= maxEntries {
			return &ObjectError{i.hash(), ErrTooLarge}
		}
		*out = append(*out, model.TreeEntry{Path: dir + string(e.name), Mode: e.mode, Hash: e.id.hash()})
	}
	return nil
}

// Blob is the content of an entry: a file's bytes, a symlink's target, nothing for a submodule.
// It is checked against its id. Larger than the limit is ErrTooLarge. The caller must not
// write to it. Safe for concurrent use.
func (r *Repository) Blob(e model.TreeEntry) ([]byte, error) {
	if e.Mode == model.ModeSubmodule {
		return nil, nil
	}
	i, ok := parseID(string(e.Hash))
	if !ok {
		return nil, fmt.Errorf("read %s: %q is not a git id", e.Path, e.Hash)
	}
	data, err := r.objects.as(blobKind, i, r.maxBlob)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", e.Path, err)
	}
	if objectID(blobKind, data) != i {
		return nil, fmt.Errorf("read %s: %w", e.Path, &ObjectError{e.Hash, errCorrupt})
	}
	return data, nil
}

// IsLFS reports whether a blob's content is a pointer of Git LFS: at most 1,024 bytes that
// begin with its version line (git-lfs, docs/spec.md).
func IsLFS(content []byte) bool {
	return len(content) <= 1024 && (bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/")) ||
		bytes.HasPrefix(content, []byte("version https://hawser.github.com/spec/")))
}

// Entry is the file, symlink or submodule at a path of a commit; false where there is none.
func (r *Repository) Entry(commit model.Hash, path string) (model.TreeEntry, bool, error) {
	i, err := r.treeOf(commit)
	if err != nil {
		return model.TreeEntry{}, false, fmt.Errorf("look for %s in %s: %w", path, commit, err)
	}
	names := strings.Split(path, "/")
	for k, name := range names {
		data, err := r.tree(i)
		if err != nil {
			return model.TreeEntry{}, false, fmt.Errorf("look for %s in %s: %w", path, commit, err)
		}
		var found *treeEntry
		for len(data) > 0 && found == nil {
			var e treeEntry
			if e, data, err = nextEntry(data); err != nil {
				return model.TreeEntry{}, false, &ObjectError{i.hash(), err}
			}
			if string(e.name) == name {
				found = &e
			}
		}
		switch {
		case found == nil, found.dir() != (k+1 < len(names)):
			return model.TreeEntry{}, false, nil
		case !found.dir():
			return model.TreeEntry{Path: path, Mode: found.mode, Hash: found.id.hash()}, true, nil
		}
		i = found.id
	}
	return model.TreeEntry{}, false, nil
}
