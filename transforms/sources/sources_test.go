package sources

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func day(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }

var (
	git = model.Record{Told: model.ToldGit, Repo: "o/r", Number: 1, Kind: "pr", State: "merged", Title: "git", Body: "squashed", TextSource: "git",
		Messages: []string{"m"}, Author: "A Person", AuthorKind: "person", MergedAt: day(3), Before: "b", After: "a", MergeCommit: "c", BaseRef: "main",
		MergeStyle: "squash", TimeCertain: true, Confidence: 0.8, Source: model.Source{Repo: "o/r", Location: "/x"},
		Files: []model.PathChange{{Path: "p"}}, Closes: []model.Reference{{Number: 7, Confidence: 0.8}}}
	dump = model.Record{Told: model.ToldDump, Repo: "o/r", Number: 1, Kind: "pr", State: "merged", Title: "dump", Body: "told", TextSource: "api",
		Author: "login", AuthorKind: "agent", MergedAt: day(4), MergeCommit: "x", TimeCertain: true, Labels: []model.Label{{Name: "bug"}},
		Closes: []model.Reference{{Number: 7, Confidence: 1}, {Number: 8, Confidence: 1}}, UpdatedAt: day(5)}
	bench = model.Record{Told: model.ToldSWEBench, Repo: "o/r", Number: 1, Kind: "pr", State: "merged", MergedAt: day(1), Before: "base", Patch: "hash",
		Issues: []model.Issue{{Body: "it fails"}}, Hints: "look there"}
	row = model.Record{Told: model.ToldJSONL, Repo: "o/r", Number: 1, Kind: "pr", State: "merged", Labels: []model.Label{{Name: "security"}}}
)

func with(r model.Record, edit func(*model.Record)) model.Record {
	edit(&r)
	return r
}

func TestMerge(t *testing.T) {
	joined := with(git, func(r *model.Record) {
		r.Told, r.Sources = model.ToldDump, []string{"dump", "git"}
		r.Title, r.Body, r.TextSource, r.Author, r.AuthorKind = "dump", "told", "api", "login", "agent"
		r.MergedAt, r.Labels, r.Closes, r.UpdatedAt, r.Confidence = day(4), dump.Labels, dump.Closes, day(5), 1
	})
	for _, c := range []struct {
		name string
		told []model.Record
		want model.Record
	}{
		{"git alone", []model.Record{git}, with(git, func(r *model.Record) { r.Sources = []string{"git"} })},
		{"a service's text, git's commits", []model.Record{git, dump}, joined},
		{"an empty description is told, too", []model.Record{git, with(dump, func(r *model.Record) { r.Body = "" })}, with(joined, func(r *model.Record) { r.Body = "" })},
		{"no description told is git's", []model.Record{git, with(dump, func(r *model.Record) { r.Body, r.TextSource = "", "" })},
			with(joined, func(r *model.Record) { r.Body, r.TextSource = "squashed", "git" })},
		{"a deleted author is git's", []model.Record{git, with(dump, func(r *model.Record) { r.Author, r.AuthorKind = "", "" })},
			with(joined, func(r *model.Record) { r.Author, r.AuthorKind = "A Person", "person" })},
		{"our own row before the service's", []model.Record{git, dump, row}, with(joined, func(r *model.Record) {
			r.Told, r.Sources, r.Labels = model.ToldJSONL, []string{"jsonl", "dump", "git"}, row.Labels
		})},
		{"a benchmark's change and problem", []model.Record{git, dump, bench}, with(joined, func(r *model.Record) {
			r.Told, r.Sources = model.ToldSWEBench, []string{"swebench", "dump", "git"}
			r.Before, r.After, r.Patch, r.Files = "base", "", "hash", nil
			r.Issues, r.Hints, r.Body, r.Messages = bench.Issues, "look there", "", nil
		})},
		{"a benchmark alone stands on its base", []model.Record{bench}, with(bench, func(r *model.Record) {
			r.Sources, r.MergeCommit, r.TextSource, r.Confidence = []string{"swebench"}, "base", "api", 1
		})},
		{"seen open, then merged", []model.Record{dump, with(dump, func(r *model.Record) {
			r.Title, r.State, r.MergedAt, r.UpdatedAt, r.MergeCommit, r.Author = "older", "open", time.Time{}, day(2), "", ""
		})}, with(dump, func(r *model.Record) { r.Sources, r.Confidence = []string{"dump", "dump"}, 1 })},
	} {
		if d := cmp.Diff(c.want, Merge(c.told)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		slices.Reverse(c.told)
		if d := cmp.Diff(c.want, Merge(c.told)); d != "" {
			t.Errorf("%s, told in another order: %s", c.name, d)
		}
	}
}

func TestLand(t *testing.T) {
	for _, c := range []struct {
		name string
		in   model.Record
		want model.Reason
	}{
		{"in the history", Merge([]model.Record{git, dump}), ""},
		{"with a patch", Merge([]model.Record{bench}), ""},
		{"an issue", model.Record{Kind: "issue"}, model.NotMerged},
		{"open", model.Record{Kind: "pr", State: "open"}, model.NotMerged},
		{"closed", model.Record{Kind: "pr", State: "closed"}, model.NotMerged},
		{"on another branch", model.Record{Kind: "pr", State: "merged", MergedAt: day(1), BaseRef: "v1"}, model.NotAncestor},
		{"a commit elsewhere", model.Record{Kind: "pr", State: "merged", MergedAt: day(1), MergeCommit: "c"}, model.NotAncestor},
		{"no commit known", model.Record{Kind: "pr", State: "merged", MergedAt: day(1)}, model.NotAncestor},
	} {
		got := model.Reason("")
		if f := Land(c.in, "main"); f != nil {
			got = f.Reason
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
