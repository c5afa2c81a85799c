// Command bench measures what taskmill adds to the tests that it runs, and what a second build
// costs. Each benchmark prints its ratio in one run.
//
//	go run ./scripts/bench [-jobs N] [-sandbox bwrap,docker] [-taskmill FILE] [build|second]
//
// build is the wall time of a build over that of a plain shell loop which runs the same test
// commands at the same width; second is that of a second build over the first. Both build a
// repository made here, whose tests sleep. Without an argument both are measured, in each sandbox
// that this machine has. It needs git, sh and xargs, and no network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/io/sandboxio"
)

func main() {
	jobs := flag.Int("jobs", 8, "test commands at the same time")
	sandboxes := flag.String("sandbox", "bwrap,docker", "`kinds` of sandbox to measure")
	binary := flag.String("taskmill", "", "measure this `binary` (default: it is built from this module)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *jobs, strings.Split(*sandboxes, ","), *binary); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, which []string, jobs int, sandboxes []string, binary string) error {
	if len(which) == 0 {
		which = []string{"build", "second"}
	}
	dir, err := os.MkdirTemp("", "taskmill-bench-")
	if err != nil {
		return err
	}
	defer remove(dir)
	if binary == "" {
		binary = filepath.Join(dir, "taskmill")
		if _, err := output(ctx, "", "go", "build", "-o", binary, "github.com/taskmill/taskmill"); err != nil {
			return err
		}
	}
	repo := filepath.Join(dir, "bench", "naps")
	if err := synthetic(ctx, repo); err != nil {
		return err
	}
	measured := 0
	for _, kind := range sandboxes {
		if err := opens(ctx, kind, dir); err != nil {
			fmt.Fprintf(os.Stderr, "bench: skipped %s: %v\n", kind, err)
			continue
		}
		for _, name := range which {
			measure, ok := map[string]func(context.Context, bench) error{"build": overLoop, "second": overFirst}[name]
			if !ok {
				return fmt.Errorf("no benchmark %q: build or second", name)
			}
			work := filepath.Join(dir, kind+"-"+name)
			if err := measure(ctx, bench{binary: binary, repo: repo, dir: work, sandbox: kind, jobs: jobs}); err != nil {
				return fmt.Errorf("%s in %s: %w", name, kind, err)
			}
			measured++
		}
	}
	if measured == 0 {
		return errors.New("no sandbox to measure")
	}
	return nil
}

// opens says why this machine lacks a sandbox. Docker needs a base image too.
func opens(ctx context.Context, kind, dir string) error {
	for _, f := range sandboxio.Doctor(ctx, sandboxio.Options{Work: dir, Languages: []string{"go"}}) {
		if (f.Name == kind || kind == "docker" && f.Name == "image go") && !f.OK {
			return errors.New(f.Detail)
		}
	}
	p, err := sandboxio.Open(ctx, kind, sandboxio.Options{Work: dir, Languages: []string{"go"}})
	if err != nil {
		return err
	}
	if c, ok := p.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// output runs a command and returns what it printed; its messages are in the error.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// remove deletes a folder that holds read-only folders of prepared environments.
func remove(dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o755)
		}
		return nil
	})
	os.RemoveAll(dir)
}
