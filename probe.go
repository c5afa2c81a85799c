package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
)

// probe opens each source before the job starts, so that a wrong one is one clear line, and
// notes pull requests that were asked for and are in none.
func probe(ctx context.Context, cfg build.Config, note io.Writer) error {
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		return err
	}
	missing := slices.Clone(cfg.Numbers)
	for _, src := range cfg.Sources {
		repo, err := shop.Repository(ctx, src)
		if err != nil {
			return err
		}
		if _, _, err := build.BaseRevision(ctx, repo, cfg.Base); err != nil {
			return err
		}
		for _, b := range cfg.Branches {
			if _, err := repo.Resolve(b); err != nil {
				return fmt.Errorf("--branch %s: %w", b, err)
			}
		}
		found, unread, err := first(ctx, repo, cfg, &missing)
		if err != nil {
			return err
		}
		if !found && len(cfg.Changes) == 0 {
			return nothing(src.Repo, repo, cfg, unread)
		}
		if repo.Shallow() {
			if err := tellShallow(ctx, note, src.Repo, repo); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 && len(cfg.Changes) == 0 {
		fmt.Fprintf(note, "note: no merged pull request with the numbers %v: built without\n", missing)
	}
	return nil
}

// nothing says why a repository has no record.
func nothing(name string, repo *gitio.Repository, cfg build.Config, unread []model.Rejection) error {
	for _, r := range unread {
		if r.Infrastructure {
			return fmt.Errorf("no merged pull request of %s%s can be read: %s: %s", name, window(cfg), r.Candidate, r.Detail)
		}
	}
	if repo.Shallow() {
		return fmt.Errorf("no merged pull request in the part of its history that %s has: it is a shallow clone, complete it with git fetch --unshallow", name)
	}
	return fmt.Errorf("no merged pull request in %s%s: widen --since, --until, --limit or --pr, or take plain commits with --commits", name, window(cfg))
}

// maxUnread bounds the lines about changes that cannot be read.
const maxUnread = 10

// tellUnread names the changes that the world kept from being read.
func tellUnread(w io.Writer, rejected []model.Rejection) {
	n := 0
	for _, r := range rejected {
		if !r.Infrastructure {
			continue
		}
		if n++; n <= maxUnread {
			fmt.Fprintln(w, printable(fmt.Sprintf("note: %s cannot be read: %s", r.Candidate, r.Detail)))
		}
	}
	if n > maxUnread {
		fmt.Fprintf(w, "note: %d more cannot be read\n", n-maxUnread)
	}
}

func tellShallow(ctx context.Context, w io.Writer, name string, repo *gitio.Repository) error {
	_, tip, _, err := repo.DefaultBranch()
	if err != nil {
		return err
	}
	line, err := repo.FirstParents(ctx, tip, 0)
	if err != nil && !gitio.Damaged(err) {
		return err
	}
	fmt.Fprintf(w, "note: %s is a shallow clone, its history is cut at %s of the default branch: complete it with git fetch --unshallow\n", name, many(len(line), "commit"))
	return nil
}

var errFound = errors.New("found")

// first reports whether a source has any record, and what it met that cannot be read. Where
// numbers are asked for it goes on until all are seen and takes those from missing.
func first(ctx context.Context, repo *gitio.Repository, cfg build.Config, missing *[]int64) (found bool, unread []model.Rejection, err error) {
	seen := func(number int64) {
		*missing = slices.DeleteFunc(*missing, func(n int64) bool { return n == number })
	}
	err = repo.Records(ctx, cfg.Records(), func(r model.Record) error {
		found = true
		if seen(r.Number); len(*missing) == 0 {
			return errFound
		}
		return nil
	}, func(r model.Rejection) {
		unread = append(unread, r)
		if r.SourcePR != nil {
			seen(*r.SourcePR)
		}
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return found, unread, err
}

func window(cfg build.Config) string {
	var parts []string
	if !cfg.Since.IsZero() {
		parts = append(parts, "from "+cfg.Since.Format(time.DateOnly))
	}
	if !cfg.Until.IsZero() {
		parts = append(parts, "to "+cfg.Until.Add(-time.Second).Format(time.DateOnly))
	}
	if len(cfg.Numbers) > 0 {
		parts = append(parts, fmt.Sprintf("with numbers %v", cfg.Numbers))
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " ")
}
