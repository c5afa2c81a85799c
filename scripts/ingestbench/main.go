// Command ingestbench measures how long gitio takes to read the changes and the records of a
// whole history, against `git log --first-parent -m --raw` over the same commits, and prints the ratio; with
// -check it also compares merge bases and changed paths with git's, one by one.
//
//	go run ./scripts/ingestbench [-check] [-runs N] [REPOSITORY...]
//
// Without a repository it builds one of 10,000 commits with `git fast-import`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

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

// measure prints git's time, and the ratios of ours to it: for the changes of the same commits,
// and for whole records, which hold more than git's output. Ours includes opening the
// repository.
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
	if err := r.Close(); err != nil {
		return err
	}
	var commits, records int
	theirs, changes, whole := worst, worst, worst
	for range runs {
		if err := theirs.git(repo, tip); err != nil {
			return err
		}
		if err := changes.ours(repo, func(r *gitio.Repository) (err error) { commits, err = walk(ctx, r, tip); return }); err != nil {
			return err
		}
		if err := whole.ours(repo, func(r *gitio.Repository) (err error) { records, err = ingest(ctx, r); return }); err != nil {
			return err
		}
	}
	fmt.Printf("%s: branch %s (%s), %d commits, %d records\n  git log --raw  %v\n  changes        %v, %s\n  records        %v, %s\n",
		repo, name, how, commits, records, theirs, changes, changes.over(theirs), whole, whole.over(theirs))
	return nil
}

// walk compares each commit of the first-parent line with its parent, as git log does.
func walk(ctx context.Context, r *gitio.Repository, tip model.Hash) (int, error) {
	line, err := r.FirstParents(ctx, tip, 0)
	if err != nil {
		return 0, err
	}
	for k, h := range line {
		parent := model.Hash("")
		if k+1 < len(line) {
			parent = line[k+1]
		}
		if _, err := r.Changes(parent, h); err != nil {
			return 0, err
		}
	}
	return len(line), nil
}

func ingest(ctx context.Context, r *gitio.Repository) (int, error) {
	n := 0
	err := r.Records(ctx, gitio.RecordOptions{Commits: true}, func(model.Record) error { n++; return nil },
		func(j model.Rejection) { fmt.Fprintln(os.Stderr, "rejected:", j.Candidate, j.Detail) })
	return n, err
}
