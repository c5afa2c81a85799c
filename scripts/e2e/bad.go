package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
)

// badFiles are histories (NAME.txtar, as package sampleio reads them) of pull requests that are
// each bad in a way of its own, and what they are meant to end as (NAME.txt).
//
//go:embed bad
var badFiles embed.FS

// badRepositories are their names, each with the flags that it is built with.
var badRepositories = []struct {
	name  string
	flags []string
}{
	{"go", nil}, {"python", nil},
	// What is as good as certain in so many runs is left to chance in three.
	{"flaky", []string{"--repeats", "20", "--base-repeats", "22"}},
	// The base itself is bad.
	{"copied", nil}, {"shadowed", nil},
}

// rejectsBad builds all bad pull requests and wants each rejected at its stage, for its reason.
func rejectsBad(ctx context.Context, b *bench) (string, error) {
	if err := have(ctx, "bwrap", "python"); err != nil {
		return "", err
	}
	rejected := 0
	var faults []error
	for _, r := range badRepositories {
		want, err := badEnds(r.name)
		if err != nil {
			return "", err
		}
		corpus, err := b.buildBad(ctx, r.name, r.flags)
		if err != nil {
			return "", err
		}
		got, err := endsOf(ctx, corpus)
		if err != nil {
			return "", err
		}
		for _, n := range slices.Sorted(maps.Keys(want)) {
			if want[n] != taskEnd {
				rejected++
			}
			if got[n].end != want[n] {
				faults = append(faults, fmt.Errorf("%s %d is %s, meant to be %s: %s", r.name, n, got[n].end, want[n], got[n].detail))
			}
		}
	}
	return fmt.Sprintf("%d bad pull requests rejected, each for its reason", rejected), errors.Join(faults...)
}

func (b *bench) buildBad(ctx context.Context, name string, flags []string) (string, error) {
	text, err := badFiles.ReadFile("bad/" + name + ".txtar")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, "bad-"+name)
	repository, corpus := filepath.Join(dir, "repository"), filepath.Join(dir, "corpus")
	if err := sampleio.Write(text, repository); err != nil {
		return "", fmt.Errorf("write bad/%s.txtar: %w", name, err)
	}
	_, err = b.taskmill(ctx, append([]string{"build", "--repo", repository, "--name", "taskmill/bad-" + name, "--bases", "newest",
		"--sandbox", "bwrap", "--work", filepath.Join(dir, "work"), "--out", corpus}, flags...)...)
	return corpus, err
}

// An end is what became of a pull request: task, or stage and reason, and what was said of it.
type end struct{ end, detail string }

const taskEnd = "task"

// badEnds are the intended ends of a repository by number: task, or stage and reason.
func badEnds(name string) (map[int64]string, error) {
	text, err := badFiles.ReadFile("bad/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	ends := map[int64]string{}
	for line := range strings.Lines(string(text)) {
		line, _, _ := strings.Cut(line, "#")
		number, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if number == "" {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || !ok || ends[n] != "" {
			return nil, fmt.Errorf("bad/%s.txt: line %q: want NUMBER task or NUMBER STAGE REASON, each number once", name, strings.TrimSpace(line))
		}
		ends[n] = strings.Join(strings.Fields(rest), " ")
	}
	return ends, nil
}

// endsOf are the ends of a corpus by number.
func endsOf(ctx context.Context, corpus string) (map[int64]end, error) {
	details := map[string]string{}
	for r, err := range parquetio.ReadTable[model.Rejection](ctx, corpus, "rejections") {
		if err != nil {
			return nil, err
		}
		details[r.Candidate] = r.Detail
	}
	ends := map[int64]end{}
	for c, err := range parquetio.ReadTable[model.ChangeRow](ctx, corpus, "changes") {
		if err != nil {
			return nil, err
		}
		switch {
		case c.SourcePR == nil:
		case c.End == taskEnd:
			ends[*c.SourcePR] = end{taskEnd, ""}
		default:
			ends[*c.SourcePR] = end{c.EndStage + " " + c.EndReason, details[c.Change]}
		}
	}
	return ends, nil
}
