package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// hunks collects single hunks and gives them to one `git apply --reject`, each with a copy of
// its file, so that thousands cost one process.
type hunks struct {
	tree    *tree.Tree
	reverse bool
	scratch string
	all     []hunk
}

type hunk struct {
	commit string
	index  int
	file   model.File  // as the tree holds it
	patch  patch.Patch // of that one hunk
}

// add takes the hunks of p's text files whose file the tree still has as text. One whose file is
// gone both sides refuse.
func (h *hunks) add(commit string, p patch.Patch) {
	for i, f := range p.Files {
		if f.Binary || f.Change == patch.Added || f.Change == patch.Deleted {
			continue
		}
		path := f.Old
		if h.reverse {
			path = f.New
		}
		file, ok, err := h.tree.Read(path)
		if err != nil || !ok || file.Mode&0o170000 != 0o100000 || f.OldMode == model.ModeSymlink {
			continue
		}
		for j := range f.Hunks {
			h.all = append(h.all, hunk{commit: commit, index: j, file: file, patch: p.Hunk(i, j)})
		}
	}
}

func (h *hunks) run(t *tally) error {
	defer func() { h.all = nil }()
	if len(h.all) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp(h.scratch, "hunks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var text strings.Builder
	for i := range h.all {
		one := &h.all[i]
		name := fmt.Sprintf("%d/file", i)
		one.patch.Files[0].Old, one.patch.Files[0].New = name, name
		text.WriteString(one.patch.String())
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), one.file.Data, os.FileMode(one.file.Mode&0o777)); err != nil {
			return err
		}
	}
	args := []string{"apply", "--reject", "--whitespace=nowarn", "-"}
	if h.reverse {
		args = append(args, "-R")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+h.scratch)
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		return fmt.Errorf("git apply: %w: %.2000s", err, out)
	}
	for i := range h.all {
		if err := h.compare(t, i, dir); err != nil {
			return err
		}
	}
	return nil
}

// compare holds what git left of hunk i against what we make of it.
func (h *hunks) compare(t *tally, i int, dir string) error {
	one := h.all[i]
	name := filepath.Join(dir, fmt.Sprint(i), "file")
	theirs, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, err = os.Stat(name + ".rej")
	taken := err != nil
	p := one.patch
	if h.reverse {
		p = p.Reverse()
	}
	file := one.file
	file.Path = p.Files[0].Old
	res, err := patch.Apply(p, tree.Of(file))
	h.count(t, taken, res)
	where := fmt.Sprintf("%.12s hunk %d of %s (reverse %v)", one.commit, one.index+1, one.file.Path, h.reverse)
	switch {
	case taken != (err == nil):
		t.apart = append(t.apart, fmt.Sprintf("%s: git takes it: %v, ours: %v", where, taken, err))
	case taken && !bytes.Equal(res.Changes[0].Data, theirs):
		t.apart = append(t.apart, where+": the bytes differ")
	}
	return nil
}

func (h *hunks) count(t *tally, taken bool, res patch.Result) {
	if !h.reverse {
		t.forward++
		if taken {
			t.forwardTaken++
		}
		return
	}
	t.hunks++
	if taken {
		t.hunksTaken++
	}
	for _, p := range res.Places {
		if p.Ambiguous {
			t.ambiguous++
		}
		if p.Offset != 0 {
			t.moved++
		}
	}
}
