package treeio

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Lay writes files below root. A file or symlink that has the path is replaced; a directory is
// not. Nothing is written through a symlink, neither one of files nor one that was there: a
// path below one is an error. Modes are 0644 or 0755 whatever the umask says, a submodule is an
// empty directory. Nothing else may write below root at the same time.
func Lay(root *os.Root, files iter.Seq2[model.File, error]) error {
	l := &layer{root: root, real: map[string]bool{".": true}}
	for f, err := range files {
		if err != nil {
			return fmt.Errorf("lay tree: %w", err)
		}
		if err := l.write(f); err != nil {
			return fmt.Errorf("lay tree: %w", err)
		}
	}
	return nil
}

// Change applies changes to a tree that Lay has laid: deletions first, with the directories
// that they leave empty, as git does; then what is written. To delete what is not there is no
// error.
func Change(root *os.Root, changes []model.TreeChange) error {
	l := &layer{root: root, real: map[string]bool{".": true}}
	for _, c := range changes {
		if !c.Delete {
			continue
		}
		if err := l.remove(c.Path); err != nil {
			return fmt.Errorf("change tree: %w", err)
		}
	}
	l.real = map[string]bool{".": true}
	for _, c := range changes {
		if c.Delete {
			continue
		}
		if err := l.write(model.File{Path: c.Path, Mode: c.Mode, Data: c.Data}); err != nil {
			return fmt.Errorf("change tree: %w", err)
		}
	}
	return nil
}

// A layer remembers which directories of root are no symlinks.
type layer struct {
	root *os.Root
	real map[string]bool
}

// directory makes dir and its parents, or finds that they are directories and no symlinks: an
// os.Root follows symlinks that stay inside it.
func (l *layer) directory(dir string) error {
	if l.real[dir] {
		return nil
	}
	if err := l.directory(path.Dir(dir)); err != nil {
		return err
	}
	err := l.root.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		info, err := l.root.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%q is no directory", dir)
		}
	} else if err != nil {
		return err
	} else if err := l.root.Chmod(dir, 0o755); err != nil {
		return err
	}
	l.real[dir] = true
	return nil
}

func (l *layer) write(f model.File) error {
	if f.Mode == 0 {
		f.Mode = model.ModeFile
	}
	if err := errors.Join(checkPath(f.Path), checkMode(f)); err != nil {
		return err
	}
	if err := l.directory(path.Dir(f.Path)); err != nil {
		return err
	}
	if f.Mode == model.ModeSubmodule {
		return l.directory(f.Path)
	}
	info, err := l.root.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a directory", f.Path)
	default:
		if err := l.root.Remove(f.Path); err != nil {
			return err
		}
	}
	if f.Mode == model.ModeSymlink {
		return l.root.Symlink(string(f.Data), f.Path)
	}
	mode := fs.FileMode(0o644)
	if f.Mode&0o100 != 0 {
		mode = 0o755
	}
	// O_EXCL never follows a symlink.
	w, err := l.root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(f.Data)
	return errors.Join(err, w.Chmod(mode), w.Close())
}

// remove deletes one path without following a symlink, then its empty parents.
func (l *layer) remove(name string) error {
	if err := checkPath(name); err != nil {
		return err
	}
	for i, r := range name {
		if r != '/' {
			continue
		}
		info, err := l.root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%q is no directory", name[:i])
		}
	}
	if err := l.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "." && strings.Contains(name, "/"); dir = path.Dir(dir) {
		if l.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}
