// Package treeio turns the files of a tree into a deterministic archive and back, and lays them
// into a folder.
//
// An archive is a tar in zstd: entries in ascending order of their path, times, owners and
// names zero, the permission bits of the git mode, symlinks as links, a submodule as an empty
// directory with the record TASKMILL.submodule. Directories have no entries of their own.
package treeio

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// submodule is the PAX record of a submodule: its commit, or "-" where it is not known.
const submodule = "TASKMILL.submodule"

// Limits bound what an archive may hold; a zero field takes Default's.
type Limits struct {
	Files      int   // entries
	FileBytes  int64 // of one file
	TotalBytes int64 // of all files together
	PathBytes  int   // of one path, and of a symlink's target
}

// Default limits: larger than any source tree worth testing, small enough for one machine.
var Default = Limits{Files: 1_000_000, FileBytes: 1 << 30, TotalBytes: 4 << 30, PathBytes: 4096}

func (l Limits) orDefault() Limits {
	if l.Files == 0 {
		l.Files = Default.Files
	}
	if l.FileBytes == 0 {
		l.FileBytes = Default.FileBytes
	}
	if l.TotalBytes == 0 {
		l.TotalBytes = Default.TotalBytes
	}
	if l.PathBytes == 0 {
		l.PathBytes = Default.PathBytes
	}
	return l
}

// ErrLimit is in the error of an archive or a tree over its Limits.
var ErrLimit = errors.New("over the limit")

// A guard refuses what no git tree holds, and what is over the limits. Paths come in ascending
// order.
type guard struct {
	limits Limits
	last   string
	files  map[string]bool // paths so far, none of which may be a directory of a later one
	total  int64
}

func newGuard(l Limits) *guard { return &guard{limits: l.orDefault(), files: map[string]bool{}} }

// entry takes one entry before its content is read.
func (g *guard) entry(path string, mode uint32, size int64) error {
	if len(path) > g.limits.PathBytes {
		return fmt.Errorf("path of %d bytes: %w of %d", len(path), ErrLimit, g.limits.PathBytes)
	}
	if err := checkPath(path); err != nil {
		return err
	}
	if path == g.last {
		return fmt.Errorf("%q is there twice", path)
	}
	if path < g.last {
		return fmt.Errorf("%q comes after %q: not in ascending order", path, g.last)
	}
	for i, r := range path {
		if r == '/' && g.files[path[:i]] {
			return fmt.Errorf("%q lies below %q, which is no directory", path, path[:i])
		}
	}
	if mode == model.ModeSymlink && size > int64(g.limits.PathBytes) {
		return fmt.Errorf("symlink %q has a target of %d bytes: %w of %d", path, size, ErrLimit, g.limits.PathBytes)
	}
	g.last, g.files[path] = path, true
	g.total += size
	switch {
	case len(g.files) > g.limits.Files:
		return fmt.Errorf("%w of %d files", ErrLimit, g.limits.Files)
	case size > g.limits.FileBytes:
		return fmt.Errorf("%q has %d bytes: %w of %d", path, size, ErrLimit, g.limits.FileBytes)
	case g.total > g.limits.TotalBytes:
		return fmt.Errorf("%w of %d bytes in all files", ErrLimit, g.limits.TotalBytes)
	}
	return nil
}

// checkPath refuses paths that lead out of a root, that git itself refuses to check out, or
// that a tar cannot hold.
func checkPath(path string) error {
	if path == "" || path[0] == '/' || strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q is no path of a tree", path)
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return fmt.Errorf("%q is no path of a tree", path)
		}
	}
	return nil
}

// checkMode refuses what is no file, symlink or submodule.
func checkMode(f model.File) error {
	switch {
	case f.Mode == model.ModeSymlink && len(f.Data) == 0:
		return fmt.Errorf("symlink %q has no target", f.Path)
	case f.Mode == model.ModeSymlink && strings.ContainsRune(string(f.Data), 0):
		return fmt.Errorf("symlink %q has a target with a zero byte", f.Path)
	case f.Mode == model.ModeSubmodule && strings.Trim(string(f.Data), "0123456789abcdef") != "":
		return fmt.Errorf("submodule %q has content", f.Path)
	case f.Mode == model.ModeSymlink, f.Mode == model.ModeSubmodule:
		return nil
	case f.Mode&^0o777 == 0o100000: // git wrote 100664 once: it is part of the tree's id
		return nil
	}
	return fmt.Errorf("%q has mode %o: no file, symlink or submodule", f.Path, f.Mode)
}

// A budget is a reader that fails when more than n bytes come.
type budget struct {
	r io.Reader
	n int64
}

func (b *budget) Read(p []byte) (int, error) {
	if b.n <= 0 {
		return 0, fmt.Errorf("archive: %w of its unpacked bytes", ErrLimit)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.n)])
	b.n -= int64(n)
	return n, err
}
