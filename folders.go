package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// A folder is one that a flag names to be written to: an absolute path or a gs:// prefix.
type folder struct{ flag, path string }

// checkFolders refuses folders that the sources or each other would be damaged by, and warns of
// one inside a source's work tree, which the user's own tools then see.
func checkFolders(warn io.Writer, folders []folder, sources []model.Source) error {
	for i, f := range folders {
		for _, other := range folders[:i] {
			if f.path == other.path {
				return usagef("%s and %s are both %s: give each a folder of its own", other.flag, f.flag, f.path)
			}
		}
		for _, src := range sources {
			tree, objects := gitFolders(src.Location)
			switch {
			case objects != "" && inside(f.path, objects):
				return usagef("%s %s: inside the git folder of --repo %s, which is only read: choose another folder", f.flag, f.path, src.Location)
			case tree != "" && inside(f.path, tree):
				fmt.Fprintf(warn, "note: %s %s is inside the work tree of %s: git will show it as untracked\n", f.flag, f.path, src.Location)
			}
		}
	}
	return nil
}

// gitFolders are the work tree and the folder of objects of a repository at a path; empty where
// there is none.
func gitFolders(location string) (tree, objects string) {
	if !filepath.IsAbs(location) {
		return "", ""
	}
	dot := filepath.Join(location, ".git")
	info, err := os.Stat(dot)
	switch {
	case err == nil && info.IsDir():
		return location, dot
	case err == nil:
		return location, ""
	}
	if _, err := os.Stat(filepath.Join(location, "HEAD")); err == nil {
		return "", location
	}
	return "", ""
}

// inside reports whether path is dir or below it, symbolic links of what exists resolved.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(existing(dir), existing(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// existing is path with the links of its longest existing part resolved.
func existing(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(existing(parent), filepath.Base(path))
}
