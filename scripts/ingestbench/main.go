// Command ingestbench measures how long gitio takes to read the records of a whole history,
// against `git log --first-parent -m --raw` over the same commits, and prints the ratio; with
// -check it also compares merge bases and changed paths with git's, one by one.
//
//	go run ./scripts/ingestbench [-check] [-runs N] [-pulls=false] [REPOSITORY...]
//
// Without a repository it builds one of 10,000 commits with `git fast-import`.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
)

func main() {
	check := flag.Bool("check", false, "compare merge bases and changed paths with git's")
	runs := flag.Int("runs", 3, "the best of `N` runs counts")
	profile := flag.String("cpuprofile", "", "write a CPU profile of our runs to `FILE`")
	flag.Parse()
	if err := run(flag.Args(), *check, *runs, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "ingestbench:", err)
		os.Exit(1)
	}
}

func run(repos []string, check bool, runs int, profile string) (err error) {
	if len(repos) == 0 {
		dir, err := os.MkdirTemp("", "ingestbench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		repo := filepath.Join(dir, "synthetic.git")
		if err := synthetic(repo, 10_000); err != nil {
			return err
		}
		repos = []string{repo}
	}
	stop, err := startProfile(profile)
	if err != nil {
		return err
	}
	defer func() {
		if serr := stop(); err == nil {
			err = serr
		}
	}()
	for _, repo := range repos {
		if err := measure(repo, runs); err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		if check {
			if err := compare(repo); err != nil {
				return fmt.Errorf("%s: %w", repo, err)
			}
		}
	}
	return nil
}

// measure prints git's time, ours and their ratio. Ours includes opening the repository.
func measure(repo string, runs int) error {
	ctx := context.Background()
	r, err := gitio.Open(ctx, model.Source{Location: repo}, gitio.Options{})
	if err != nil {
		return err
	}
	name, tip, how, err := r.DefaultBranch()
	if err != nil {
		return err
	}
	line, err := r.FirstParents(ctx, tip, 0)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	var records int
	theirs, ours := cost{1 << 62, 1 << 62}, cost{1 << 62, 1 << 62}
	for range runs {
		begin := time.Now()
		git := exec.Command("git", "-C", repo, "log", "--first-parent", "-m", "--raw", string(tip))
		git.Stdout, git.Stderr = io.Discard, os.Stderr
		if err := git.Run(); err != nil {
			return fmt.Errorf("git log: %w", err)
		}
		theirs = theirs.best(cost{time.Since(begin), git.ProcessState.UserTime() + git.ProcessState.SystemTime()})
		before := cpu()
		begin = time.Now()
		if records, err = ingest(ctx, repo); err != nil {
			return err
		}
		ours = ours.best(cost{time.Since(begin), cpu() - before})
	}
	fmt.Printf("%s: branch %s (%s), %d commits, %d records: git %.3f s, gitio %.3f s, ratio %.2f (processor time %.3f s, %.3f s, ratio %.2f)\n",
		repo, name, how, len(line), records, theirs.wall.Seconds(), ours.wall.Seconds(), ours.wall.Seconds()/theirs.wall.Seconds(),
		theirs.cpu.Seconds(), ours.cpu.Seconds(), ours.cpu.Seconds()/theirs.cpu.Seconds())
	return nil
}

// A cost is what one run took.
type cost struct{ wall, cpu time.Duration }

func (c cost) best(d cost) cost { return cost{min(c.wall, d.wall), min(c.cpu, d.cpu)} }

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ingest(ctx context.Context, repo string) (int, error) {
	r, err := gitio.Open(ctx, model.Source{Location: repo}, gitio.Options{})
	if err != nil {
		return 0, err
	}
	n := 0
	err = r.Records(ctx, gitio.RecordOptions{Commits: true}, func(model.Record) error { n++; return nil },
		func(j model.Rejection) { fmt.Fprintln(os.Stderr, "rejected:", j.Candidate, j.Detail) })
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	return n, err
}
