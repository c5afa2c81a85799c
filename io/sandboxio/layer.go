package sandboxio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

// A laid tree is a base tree with changes: what differs from the base, and the entries of the
// whole.
type laid struct {
	base    *baseTree
	entries []onecommit.Entry // sorted
	written map[string]model.TreeChange
	deleted []string
}

// plan applies the changes of t to the entries of its base and checks the result's id.
func plan(base *baseTree, t model.Tree) (*laid, error) {
	l := &laid{base: base, written: map[string]model.TreeChange{}}
	gone := map[string]bool{}
	for _, c := range t.Changes {
		if err := checkPath(c.Path); err != nil {
			return nil, err
		}
		if c.Delete {
			delete(l.written, c.Path)
			gone[c.Path] = true
			continue
		}
		switch c.Mode {
		case 0:
			c.Mode = model.ModeFile
		case model.ModeFile, model.ModeExecutable, model.ModeSymlink, model.ModeSubmodule:
		default:
			return nil, treeFault(fmt.Sprintf("%q has mode %o", c.Path, c.Mode))
		}
		l.written[c.Path] = c
	}
	for _, e := range base.entries {
		if _, ok := l.written[e.Path]; !ok && !gone[e.Path] {
			l.entries = append(l.entries, e.Entry)
		} else if !ok {
			l.deleted = append(l.deleted, e.Path)
		}
	}
	loose := base.loose
	for p, c := range l.written {
		e, known := entryOf(p, c.Mode, c.Data)
		l.entries = append(l.entries, e)
		loose = loose || !known
	}
	onecommit.Sort(l.entries)
	hash, err := onecommit.TreeHash(l.entries)
	if err != nil {
		return nil, treeFault(err.Error())
	}
	if hash != t.Hash && !loose {
		return nil, fmt.Errorf("lay tree %s: base and changes make tree %s", t.Hash, hash)
	}
	return l, nil
}

// overlay writes into dir what must lie over the base's files: changed files, whiteouts of
// deleted ones, and the repository.
func (l *laid) overlay(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("lay tree: %w", err)
	}
	defer root.Close()
	if err := l.write(root); err != nil {
		return err
	}
	for _, p := range l.whiteouts() {
		if err := os.MkdirAll(filepath.Join(dir, path.Dir(p)), 0o755); err != nil {
			return wrapLay(p, err)
		}
		if err := mknod(filepath.Join(dir, p)); err != nil {
			return wrapLay(p, fmt.Errorf("hide: %w", err))
		}
	}
	return l.repository(root)
}

// whiteouts lists the deleted paths that nothing written hides, a folder in place of its files
// where all of them are gone: git keeps no empty folders.
func (l *laid) whiteouts() []string {
	dirs := map[string]bool{}
	files := map[string]bool{}
	for _, e := range l.entries {
		files[e.Path] = true
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	seen := map[string]bool{}
	var out []string
	for _, p := range l.deleted {
		hidden := p
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if !dirs[d] {
				hidden = d
			}
		}
		if !files[hidden] && !dirs[hidden] && !seen[hidden] {
			seen[hidden] = true
			out = append(out, hidden)
		}
	}
	return out
}

// copy writes the whole tree into dir, which is empty.
func (l *laid) copy(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("lay tree: %w", err)
	}
	defer root.Close()
	from, err := os.OpenRoot(l.base.files())
	if err != nil {
		return fmt.Errorf("lay tree: %w", err)
	}
	defer from.Close()
	for _, e := range l.entries {
		if _, ok := l.written[e.Path]; ok {
			continue
		}
		data, err := readEntry(from, e)
		if err != nil {
			return wrapLay(e.Path, err)
		}
		if err := layFile(root, e, data); err != nil {
			return err
		}
	}
	if err := l.write(root); err != nil {
		return err
	}
	return l.repository(root)
}

func readEntry(from *os.Root, e onecommit.Entry) ([]byte, error) {
	switch e.Mode {
	case model.ModeSymlink:
		target, err := from.Readlink(e.Path)
		return []byte(target), err
	case model.ModeSubmodule:
		return nil, nil
	}
	return from.ReadFile(e.Path)
}

func (l *laid) write(root *os.Root) error {
	for _, e := range l.entries {
		if c, ok := l.written[e.Path]; ok {
			if err := layFile(root, e, c.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// repository writes .git: one commit of exactly these entries, with no object of the base that
// the tree does not hold.
func (l *laid) repository(root *os.Root) error {
	blobs, err := os.Open(filepath.Join(l.base.dir, "blobs"))
	if err != nil {
		return fmt.Errorf("lay repository: %w", err)
	}
	defer blobs.Close()
	return onecommit.Write(root, l.entries, func(e onecommit.Entry) ([]byte, error) {
		if c, ok := l.written[e.Path]; ok {
			return onecommit.Pack(c.Data)
		}
		at := l.base.byPath[e.Path]
		packed := make([]byte, at.Length)
		_, err := blobs.ReadAt(packed, at.Offset)
		return packed, err
	})
}

// layFiles writes files of a recipe below dir.
func layFiles(dir string, files []model.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("lay files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("lay files: %w", err)
	}
	defer root.Close()
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		if f.Mode == 0 {
			f.Mode = model.ModeFile
		}
		if err := root.RemoveAll(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrapLay(f.Path, err)
		}
		e := onecommit.Entry{Path: strings.TrimPrefix(f.Path, "./"), Mode: f.Mode, Hash: onecommit.BlobHash(f.Data), Size: int64(len(f.Data))}
		if err := layFile(root, e, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// mknod makes the whiteout that hides a path of the layers below.
func mknod(name string) error { return syscall.Mknod(name, syscall.S_IFCHR, 0) }
