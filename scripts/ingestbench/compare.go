package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
)

// compare prints how many records of each sort there are and in how many their merge base and
// their changed paths are git's; it fails where one differs.
func compare(repo string) error {
	ctx := context.Background()
	r, err := gitio.Open(ctx, model.Source{Location: repo}, gitio.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	var records []model.Record
	rejected := 0
	err = r.Records(ctx, gitio.RecordOptions{Commits: true},
		func(rec model.Record) error { records = append(records, rec); return nil },
		func(model.Rejection) { rejected++ })
	if err != nil {
		return err
	}
	styles, marks := map[string]int{}, map[string]int{}
	bases, sameBases, paths, samePaths := 0, 0, 0, 0
	for _, rec := range records {
		styles[rec.MergeStyle]++
		count(marks, rec)
		if rec.MergeBase != "" && rec.MergeStyle == "merge" {
			bases++
			out, err := git(repo, "merge-base", string(rec.MergeCommit)+"^1", string(rec.MergeCommit)+"^2")
			if err != nil {
				return err
			}
			if strings.TrimSpace(out) == string(rec.MergeBase) {
				sameBases++
			} else {
				fmt.Printf("  merge base of %s: git %s, gitio %s\n", rec.MergeCommit, strings.TrimSpace(out), rec.MergeBase)
			}
		}
	}
	raw, err := rawDiffs(repo, records)
	if err != nil {
		return err
	}
	for k, rec := range records {
		got, err := ourRaw(r, rec)
		if err != nil {
			return err
		}
		paths += len(got)
		want := raw[k]
		if slices.Equal(got, want) {
			samePaths += len(got)
		} else {
			fmt.Printf("  paths of %s: git %d, gitio %d\n", rec.MergeCommit, len(want), len(got))
		}
	}
	fmt.Printf("  records %d %v, rejected %d, %v\n  merge bases as git's %d of %d; paths as git's %d of %d\n",
		len(records), styles, rejected, marks, sameBases, bases, samePaths, paths)
	if bases != sameBases || paths != samePaths {
		return fmt.Errorf("differs from git")
	}
	return nil
}

func count(marks map[string]int, rec model.Record) {
	for word, yes := range map[string]bool{"backport": rec.BackportOf > 0, "revert": rec.Reverts > 0, "closes": len(rec.Closes) > 0,
		"messages": len(rec.Messages) > 0, "bot": rec.AuthorKind == "maintenance_bot", "agent": rec.AuthorKind == "agent",
		"unsure": rec.Number > 0 && rec.Confidence < 0.8} {
		if yes {
			marks[word]++
		}
	}
}

func git(repo string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// ourRaw is a record's change in the form of git's raw lines, renames taken apart.
func ourRaw(r *gitio.Repository, rec model.Record) ([]string, error) {
	changes, err := r.Changes(rec.Before, rec.After)
	if err != nil {
		return nil, err
	}
	var out []string
	line := func(o, n model.TreeEntry, path string) {
		zero := model.Hash(strings.Repeat("0", 40))
		if o.Path == "" {
			o.Hash = zero
		}
		if n.Path == "" {
			n.Hash = zero
		}
		out = append(out, fmt.Sprintf("%06o %06o %s %s %s", o.Mode, n.Mode, o.Hash, n.Hash, path))
	}
	for _, c := range changes {
		if c.Old.Path != "" && c.New.Path != "" && c.Old.Path != c.New.Path {
			line(c.Old, model.TreeEntry{}, c.Old.Path)
			line(model.TreeEntry{}, c.New, c.New.Path)
			continue
		}
		line(c.Old, c.New, c.Path())
	}
	slices.Sort(out)
	return out, nil
}

// rawDiffs is git's raw lines of each record's change, from one process.
func rawDiffs(repo string, records []model.Record) ([][]string, error) {
	const empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	var in bytes.Buffer
	for _, rec := range records {
		before := empty
		if rec.Before != "" {
			before = string(rec.Before) + "^{tree}"
		}
		fmt.Fprintf(&in, "%s\n%s^{tree}\n", before, rec.After)
	}
	names := exec.Command("git", "-C", repo, "cat-file", "--batch-check=%(objectname)")
	names.Stdin = &in
	trees, err := names.Output()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	ids := strings.Fields(string(trees))
	var pairs bytes.Buffer
	for k := 0; k+1 < len(ids); k += 2 {
		fmt.Fprintf(&pairs, "%s %s\n", ids[k], ids[k+1])
	}
	diff := exec.Command("git", "-C", repo, "diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-abbrev")
	diff.Stdin = &pairs
	out, err := diff.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff-tree: %w", err)
	}
	return splitRaw(out, len(records))
}

// splitRaw reads the output of diff-tree -z for pairs of trees: a line `a b` before each.
func splitRaw(out []byte, n int) ([][]string, error) {
	diffs := make([][]string, 0, n)
	s := bufio.NewReader(bytes.NewReader(out))
	for {
		head, err := s.Peek(1)
		if err != nil {
			break
		}
		if head[0] != ':' {
			if _, err := s.ReadString('\n'); err != nil {
				return nil, err
			}
			diffs = append(diffs, nil)
			continue
		}
		meta, err := s.ReadString(0)
		if err != nil {
			return nil, err
		}
		path, err := s.ReadString(0)
		if err != nil {
			return nil, err
		}
		f := strings.Fields(strings.TrimSuffix(meta, "\x00")[1:])
		last := len(diffs) - 1
		diffs[last] = append(diffs[last], strings.Join(f[:4], " ")+" "+strings.TrimSuffix(path, "\x00"))
	}
	for _, d := range diffs {
		slices.Sort(d)
	}
	if len(diffs) != n {
		return nil, fmt.Errorf("git diff-tree: %d of %d diffs", len(diffs), n)
	}
	return diffs, nil
}
