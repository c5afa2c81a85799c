package patch

import (
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// checkPath refuses a path that leads out of a tree or into git's own files, and one that no
// line of a report could hold. A tab it may have: trees that git made hold such names.
func checkPath(path string, mode uint32) error {
	for _, c := range []byte(path) {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return fmt.Errorf("path %q holds a control character", path)
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		switch lower := strings.ToLower(part); {
		case part == "", part == ".", part == "..":
			return fmt.Errorf("path %q is not a plain relative path", path)
		case lower == ".git", lower == "git~1":
			return fmt.Errorf("path %q is git's own", path)
		case lower == ".gitmodules" && mode == model.ModeSymlink:
			return fmt.Errorf("path %q may not be a symbolic link", path)
		}
	}
	return nil
}

// parents yields the folders above path, outermost first.
func parents(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
	}
}
