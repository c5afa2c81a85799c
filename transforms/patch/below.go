package patch

import (
	"fmt"

	"github.com/taskmill/taskmill/model"
)

// belowLink is the symlink above path that remains after the patch; empty where there is none.
func (a *applier) belowLink(path string) (string, error) {
	for dir := range parents(path) {
		if a.links[dir] {
			return dir, nil
		}
		c, ok, err := a.current(dir, false)
		if err != nil {
			return "", err
		}
		if ok && c.Mode == model.ModeSymlink && !a.leaves[dir] {
			return dir, nil
		}
	}
	return "", nil
}

// nested refuses a written file that lies below another file, or that is a folder of others.
func (a *applier) nested() error {
	folders := map[string]bool{}
	for path, c := range a.files {
		if c.Delete {
			continue
		}
		for dir := range parents(path) {
			if folders[dir] {
				continue
			}
			folders[dir] = true
			if _, ok, err := a.current(dir, false); err != nil || ok {
				return cmpError(err, Conflict{Path: path, Hunk: -1, Detail: fmt.Sprintf("%s is a file", dir)})
			}
		}
	}
	for path, c := range a.files {
		if c.Delete {
			continue
		}
		if folders[path] || a.holdsFiles(path) {
			return Conflict{Path: path, Hunk: -1, Detail: "is a folder"}
		}
	}
	return nil
}

// holdsFiles reports whether the tree has files below path that the patch leaves there.
func (a *applier) holdsFiles(path string) bool {
	t, ok := a.tree.(interface{ Under(dir string) []string })
	if !ok {
		return false
	}
	for _, p := range t.Under(path) {
		if !a.files[p].Delete {
			return true
		}
	}
	return false
}
