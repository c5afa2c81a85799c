package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
)

// gitCells is the time that git takes to say of each change whether it reverses on each of n
// commits, spread over the first-parent line: an index a commit, which is counted whole, and one
// process a cell, of which one in sampled is asked and the sum scaled.
func gitCells(ctx context.Context, shop *execute.Shop, repo, dir string, changes []model.Change, n int) (took time.Duration, asked int, err error) {
	out, err := exec.CommandContext(ctx, "git", "-C", repo, "rev-list", "--first-parent", "HEAD").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("git rev-list: %w", err)
	}
	line := strings.Fields(string(out))
	index := filepath.Join(dir, "index")
	git := func(args ...string) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", repo}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		begin := time.Now()
		err := cmd.Run()
		return time.Since(begin), err
	}
	var indexes, cells time.Duration
	for i := range n {
		d, err := git("read-tree", line[i*(len(line)-1)/max(n-1, 1)])
		if err != nil {
			return 0, 0, fmt.Errorf("git read-tree: %w", err)
		}
		indexes += d
		for k := i % sampled; k < len(changes); k += sampled {
			text, err := shop.Store.Get(ctx, changes[k].SourcePatch)
			if err != nil {
				return 0, 0, err
			}
			file := filepath.Join(dir, "change.patch")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				return 0, 0, err
			}
			d, err := git("apply", "--cached", "--check", "--reverse", file)
			if _, refused := err.(*exec.ExitError); err != nil && !refused {
				return 0, 0, fmt.Errorf("git apply: %w", err)
			}
			cells += d
			asked++
		}
	}
	if asked == 0 {
		return 0, 0, fmt.Errorf("no eligible change to ask for")
	}
	return indexes + cells*time.Duration(len(changes)*n)/time.Duration(asked), asked, nil
}
