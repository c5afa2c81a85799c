package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// A bench is one measurement: a binary, a repository, a folder of its own, a sandbox, a width.
type bench struct {
	binary, repo, dir, sandbox string
	jobs                       int
}

func (b bench) corpus() string { return filepath.Join(b.dir, "corpus") }

// taskmill runs a subcommand on the repository and returns its wall time.
func (b bench) taskmill(ctx context.Context, subcommand string, args ...string) (time.Duration, error) {
	begin := time.Now()
	_, err := output(ctx, "", b.binary, append([]string{subcommand, "--repo", b.repo, "--name", "bench/naps",
		"--sandbox", b.sandbox, "--work", filepath.Join(b.dir, "work"), "--jobs", fmt.Sprint(b.jobs)}, args...)...)
	return time.Since(begin), err
}

// overLoop prints the ratio of a build to a plain loop over the commands that it ran. What both
// need once is made before and is in neither time: the environment, and the loop's trees and
// compiled packages of the base.
func overLoop(ctx context.Context, b bench) error {
	if _, err := b.taskmill(ctx, "env"); err != nil {
		return err
	}
	build, err := b.taskmill(ctx, "build", "--out", b.corpus())
	if err != nil {
		return err
	}
	runs, trees, err := b.made(ctx)
	if err != nil {
		return err
	}
	loop, err := b.loop(ctx, runs, trees)
	if err != nil {
		return err
	}
	var inside float64
	for _, r := range runs {
		inside += r.Seconds
	}
	fmt.Printf("build  %-6s %d runs of %.1f s on average, width %d: build %.1f s, plain loop %.1f s, ratio %.3f\n",
		b.sandbox, len(runs), inside/float64(len(runs)), b.jobs, build.Seconds(), loop.Seconds(), build.Seconds()/loop.Seconds())
	return nil
}

// overFirst prints the ratio of a second build to the first, which prepares the environment.
func overFirst(ctx context.Context, b bench) error {
	first, err := b.taskmill(ctx, "build", "--out", b.corpus())
	if err != nil {
		return err
	}
	second, err := b.taskmill(ctx, "build", "--out", b.corpus())
	if err != nil {
		return err
	}
	runs, _, err := b.made(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("second %-6s first build %.1f s, second %.2f s with %d runs made, ratio %.4f\n",
		b.sandbox, first.Seconds(), second.Seconds(), len(runs), second.Seconds()/first.Seconds())
	return nil
}

// made are the runs that the build made, and the patches from the base to each tree by its hash.
func (b bench) made(ctx context.Context) ([]model.RunRow, map[string][]string, error) {
	trees := map[string][]string{}
	for t, err := range parquetio.ReadTable[model.Task](ctx, b.corpus(), "tasks") {
		if err != nil {
			return nil, nil, err
		}
		trees[t.TreeH] = nil
		trees[t.TreeS] = []string{t.TaskPatch}
		trees[t.TreeC] = []string{t.TaskPatch, t.TestPatch}
	}
	var runs []model.RunRow
	for r, err := range parquetio.ReadTable[model.RunRow](ctx, b.corpus(), "runs") {
		if err != nil {
			return nil, nil, err
		}
		if r.FromLedger || r.Unit == "" {
			continue
		}
		if _, ok := trees[r.TreeHash]; !ok {
			return nil, nil, fmt.Errorf("a run of %s on %s is in no task's tree: the synthetic repository gave a rejection", r.Unit, r.State)
		}
		runs = append(runs, r)
	}
	return runs, trees, nil
}

// loop lays the trees and runs the commands in them, jobs at a time.
func (b bench) loop(ctx context.Context, runs []model.RunRow, trees map[string][]string) (time.Duration, error) {
	if len(runs) == 0 {
		return 0, errors.New("the build made no run")
	}
	folder, base := map[string]string{}, ""
	for hash, patches := range trees {
		dir := filepath.Join(b.dir, "trees", hash)
		if _, err := output(ctx, "", "git", "clone", "-q", b.repo, dir); err != nil {
			return 0, err
		}
		for _, p := range patches {
			if err := apply(ctx, dir, p); err != nil {
				return 0, err
			}
		}
		if folder[hash] = dir; len(patches) == 0 {
			base = dir
		}
	}
	cache := filepath.Join(b.dir, "go-build")
	var lines strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&lines, "cd '%s' && GOCACHE='%s' %s >/dev/null 2>&1; true\n", folder[r.TreeHash], cache, r.Command)
	}
	list := filepath.Join(b.dir, "commands")
	if err := os.WriteFile(list, []byte(lines.String()), 0o644); err != nil {
		return 0, err
	}
	warm := fmt.Sprintf("cd '%s' && GOCACHE='%s' go test -count=1 -vet=off -gcflags=example.com/naps/...=-e -run='^$' ./...", base, cache)
	if _, err := output(ctx, "", "sh", "-c", warm); err != nil {
		return 0, err
	}
	begin := time.Now()
	_, err := output(ctx, "", "xargs", "-a", list, "-P", fmt.Sprint(b.jobs), "-d", `\n`, "-n", "1", "sh", "-c")
	return time.Since(begin), err
}

// apply applies a patch to a work tree; an empty one changes nothing.
func apply(ctx context.Context, dir, patch string) error {
	if patch == "" {
		return nil
	}
	file := dir + ".patch"
	if err := os.WriteFile(file, []byte(patch), 0o644); err != nil {
		return err
	}
	_, err := output(ctx, dir, "git", "apply", file)
	return err
}
