package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
)

// feedsOf are the files and folders of a flag. What is told of places in them begins with their
// last element, so that rows do not depend on where they lie.
func feedsOf(flag string, paths []string, source, repo string) ([]recordio.Feed, error) {
	var out []recordio.Feed
	for _, p := range paths {
		at, err := absolute(flag, p)
		if err != nil {
			return nil, err
		}
		name := path.Base(filepath.ToSlash(at))
		out = append(out, recordio.Feed{Source: source, Path: at, Name: name, Repo: repo})
	}
	return out, nil
}

// digest checks the files of a flag and gives the hash of what they hold.
func digest(ctx context.Context, flag string, feeds []recordio.Feed) (model.Hash, error) {
	if _, err := recordio.Check(ctx, feeds); err != nil {
		return "", feedFault(flag, err)
	}
	h, err := recordio.Digest(ctx, feeds)
	return h, feedFault(flag, err)
}

// feedFault is the error of a file as a fault of the call, since it names the file.
func feedFault(flag string, err error) error {
	var of *recordio.FileError
	if errors.As(err, &of) {
		return usagef("%s: %v", flag, err)
	}
	return err
}

// onDisk is the first feed that is no bucket's.
func onDisk(feeds []recordio.Feed) string {
	for _, f := range feeds {
		if !strings.HasPrefix(f.Path, "gs://") {
			return f.Path
		}
	}
	return ""
}

// tellFeeds refuses feeds that tell nothing of the repositories, and notes what they tell of
// others.
func tellFeeds(ctx context.Context, w io.Writer, cfg build.Config) error {
	others, used, faults := map[string]int{}, 0, 0
	err := recordio.Read(ctx, cfg.Changes, func(e recordio.Entry) error {
		if slices.ContainsFunc(cfg.Sources, func(s model.Source) bool { return strings.EqualFold(s.Repo, e.Record.Repo) }) {
			used++
		} else {
			others[e.Record.Repo]++
		}
		return nil
	}, func(recordio.Fault) { faults++ })
	if err != nil {
		return feedFault("--changes", err)
	}
	n := 0
	for _, k := range others {
		n += k
	}
	names := slices.Sorted(maps.Keys(others))
	if len(names) > 3 {
		names = append(names[:3:3], "…")
	}
	list := printable(strings.Join(names, ", "))
	switch {
	case used == 0 && n > 0:
		return usagef("--changes: it tells only of %s: call the repository so with --name", list)
	case used == 0:
		return usagef("--changes: no record in it: the first of %s is no pull request, issue or row", many(faults, "object"))
	case n > 0:
		fmt.Fprintf(w, "note: %s of other repositories in --changes are not used: %s\n", many(n, "record"), list)
	}
	return nil
}
