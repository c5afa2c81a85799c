// Package ingest reads records from histories and from files that others keep, and merges what
// they tell of one pull request or issue.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/sources"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A Reading says which merged changes are wanted of a repository, and what files tell of them.
type Reading struct {
	Options gitio.RecordOptions
	Feeds   []recordio.Feed
	Only    bool     // changes that the feeds name, no others
	Repos   []string // all that are read: a fault that names none of them is told with the first
}

// Records emits the merged changes of a repository, newest first where there are feeds: those of
// its history, merged with what the feeds tell, and those that a feed brings with a patch. Feeds
// are read twice, so that what is held is the pull requests wanted and the issues they close, not
// the files. What is no merged change of the repository, or no record at all, goes to reject;
// issues do not: they are text of changes.
func (c Reading) Records(ctx context.Context, shop *execute.Shop, src model.Source, emit func(model.Record) error, reject func(model.Rejection)) error {
	repo, err := shop.Repository(ctx, src)
	if err != nil {
		return err
	}
	if len(c.Feeds) == 0 {
		return repo.Records(ctx, c.Options, emit, reject)
	}
	j := &join{Reading: c, shop: shop, repo: repo, source: src, reject: reject,
		told: map[int64][]model.Record{}, byCommit: map[model.Hash][]model.Record{}}
	if err := j.readFeeds(ctx); err != nil {
		return err
	}
	if err := j.readHistory(ctx); err != nil {
		return err
	}
	found, err := j.changes(ctx)
	if err != nil {
		return err
	}
	if err := j.link(ctx, found); err != nil {
		return err
	}
	for _, r := range found {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// A join is one call of Records: what is told of each pull request, and of each commit where no
// number is known.
type join struct {
	Reading
	shop     *execute.Shop
	repo     *gitio.Repository
	source   model.Source
	reject   func(model.Rejection)
	told     map[int64][]model.Record
	byCommit map[model.Hash][]model.Record
}

// readFeeds keeps what the feeds tell of the repository's pull requests.
func (j *join) readFeeds(ctx context.Context) error {
	return recordio.Read(ctx, j.Feeds, func(e recordio.Entry) error {
		r := e.Record
		if r.Kind == "issue" || !strings.EqualFold(r.Repo, j.source.Repo) || !j.wanted(r.Number) {
			return nil
		}
		r.Repo = j.source.Repo
		if e.Patch != "" {
			var err error
			if r.Patch, err = j.shop.Store.Put(ctx, []byte(e.Patch)); err != nil {
				return err
			}
		}
		if r.Number == 0 {
			j.byCommit[r.MergeCommit] = append(j.byCommit[r.MergeCommit], r)
			return nil
		}
		j.told[r.Number] = append(j.told[r.Number], r)
		return nil
	}, func(f recordio.Fault) {
		if j.owns(f.Repo) && (f.Number == 0 || j.wanted(f.Number)) {
			j.reject(f.Rejection())
		}
	})
}

// owns reports whether a fault is told with this repository.
func (j *join) owns(repo string) bool {
	if repo == "" {
		return len(j.Repos) == 0 || j.Repos[0] == j.source.Repo
	}
	return strings.EqualFold(repo, j.source.Repo)
}

func (j *join) wanted(number int64) bool {
	return len(j.Options.Numbers) == 0 || slices.Contains(j.Options.Numbers, number)
}

// readHistory adds what the history tells. The window and the limit are those of the merged
// records, so the history is read without.
func (j *join) readHistory(ctx context.Context) error {
	o := j.Options
	o.Since, o.Until, o.Limit, o.Known = time.Time{}, time.Time{}, 0, map[model.Hash]int64{}
	for n, told := range j.told {
		if m := sources.Merge(told); m.MergeCommit != "" && m.MergeCommit != m.Before {
			o.Known[m.MergeCommit] = n
		}
	}
	if j.Only && len(j.byCommit) == 0 {
		if o.Numbers = slices.Sorted(maps.Keys(j.told)); len(o.Numbers) == 0 {
			return nil
		}
	}
	o.Commits = o.Commits || j.Only && len(j.byCommit) > 0
	return j.repo.Records(ctx, o, func(r model.Record) error {
		r.Told = model.ToldGit
		if r.Number == 0 {
			j.byCommit[r.MergeCommit] = append(j.byCommit[r.MergeCommit], r)
		} else {
			j.told[r.Number] = append(j.told[r.Number], r)
		}
		return nil
	}, func(r model.Rejection) {
		if !j.Only || r.SourcePR != nil && j.told[*r.SourcePR] != nil {
			j.reject(r)
		}
	})
}

// changes are the merged changes, newest first; what is none is rejected.
func (j *join) changes(ctx context.Context) ([]model.Record, error) {
	branch, _, _, err := j.repo.DefaultBranch()
	if err != nil {
		return nil, err
	}
	var out []model.Record
	held := map[model.Hash]bool{}
	add := func(told []model.Record) error {
		if j.Only && len(told) == 1 && told[0].Told == model.ToldGit {
			return nil
		}
		r := sources.Merge(told)
		r.Source = j.source
		if !j.inWindow(r) {
			return nil
		}
		fault := sources.Land(r, branch)
		if fault == nil && r.Patch != "" {
			if fault, err = Applies(ctx, j.shop, j.repo, r); err != nil {
				return err
			}
		}
		if fault != nil {
			j.reject(rejection(r, fault))
			return nil
		}
		held[r.MergeCommit] = true
		out = append(out, r)
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(j.told)) {
		if err := add(j.told[n]); err != nil {
			return nil, err
		}
	}
	for _, h := range slices.Sorted(maps.Keys(j.byCommit)) {
		if !held[h] {
			if err := add(j.byCommit[h]); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(out, func(a, b model.Record) int {
		return cmp.Or(b.MergedAt.Compare(a.MergedAt), cmp.Compare(b.Number, a.Number))
	})
	if n := j.Options.Limit; n > 0 && n < len(out) {
		out = out[:n]
	}
	return out, nil
}

// inWindow reports whether a record was merged between the dates asked for; one that was not
// merged at all was not.
func (j *join) inWindow(r model.Record) bool {
	o := j.Options
	return (o.Since.IsZero() || !r.MergedAt.Before(o.Since)) && (o.Until.IsZero() || !r.MergedAt.IsZero() && !r.MergedAt.After(o.Until))
}

func rejection(r model.Record, f *model.Fault) model.Rejection {
	out := model.Rejection{Repo: r.Repo, Method: "change", Candidate: r.Key(), Stage: f.Stage, Reason: f.Reason, Detail: f.Detail,
		SourceCommit: string(r.MergeCommit)}
	if r.Number > 0 {
		out.SourcePR = &r.Number
	}
	if !r.MergedAt.IsZero() {
		at := r.MergedAt.UTC()
		out.SourceMergedAt = &at
	}
	return out
}

// link adds to records what the feeds tell of the issues that they close.
func (j *join) link(ctx context.Context, found []model.Record) error {
	closed := map[int64][]*model.Record{}
	for i := range found {
		for _, c := range found[i].Closes {
			if c.Repo == "" {
				closed[c.Number] = append(closed[c.Number], &found[i])
			}
		}
	}
	if len(closed) == 0 {
		return nil
	}
	told := map[int64][]model.Record{}
	err := recordio.Read(ctx, j.Feeds, func(e recordio.Entry) error {
		r := e.Record
		if r.Kind == "issue" && closed[r.Number] != nil && strings.EqualFold(r.Repo, j.source.Repo) {
			told[r.Number] = append(told[r.Number], r)
		}
		return nil
	}, func(recordio.Fault) {})
	if err != nil {
		return err
	}
	for n, all := range told {
		m := sources.Merge(all)
		for _, r := range closed[n] {
			sources.AddIssue(r, model.Issue{Number: n, Title: m.Title, Body: m.Body, Labels: m.Labels})
		}
	}
	return nil
}

// Applies reports the fault of a record whose patch does not make a tree of its base commit.
func Applies(ctx context.Context, shop *execute.Shop, repo *gitio.Repository, r model.Record) (*model.Fault, error) {
	_, _, err := Trees(ctx, shop, repo, r)
	var fault *model.Fault
	if errors.As(err, &fault) {
		return fault, nil
	}
	return nil, err
}

// Trees are the trees that a change lies between. The error is a *model.Fault where a record's
// own patch does not apply to its base commit.
func Trees(ctx context.Context, shop *execute.Shop, repo *gitio.Repository, r model.Record) (before, after *tree.Tree, err error) {
	if r.Patch == "" {
		if before, err = shop.Tree(ctx, repo, r.Before); err == nil {
			after, err = shop.Tree(ctx, repo, r.After)
		}
		return before, after, err
	}
	text, err := shop.Store.Get(ctx, r.Patch)
	if err != nil {
		return nil, nil, fmt.Errorf("read patch %s: %w", r.Patch.Short(12), err)
	}
	return Patched(ctx, shop, repo, r.Before, text)
}

// Patched are the trees of a commit and of the commit with a patch.
func Patched(ctx context.Context, shop *execute.Shop, repo *gitio.Repository, commit model.Hash, text []byte) (before, after *tree.Tree, err error) {
	fault := func(reason model.Reason, format string, args ...any) error {
		return &model.Fault{Stage: model.StageIngest, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
	if _, err := repo.Commit(commit); err != nil {
		return nil, nil, fault(model.NotAncestor, "its base commit %s is not in the clone: fetch the whole history", commit.Short(12))
	}
	if before, err = shop.Tree(ctx, repo, commit); err != nil {
		return nil, nil, err
	}
	p, err := patch.Parse(text)
	if err != nil {
		return nil, nil, fault(model.NoParse, "its patch is none: %v", err)
	}
	res, err := patch.Apply(p, before)
	var conflict patch.Conflict
	if errors.As(err, &conflict) {
		return nil, nil, fault(model.NoParse, "its patch does not apply to its base commit %s: %v", commit.Short(12), err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("apply the patch on %s: %w", commit.Short(12), err)
	}
	return before, before.With(res.Changes...), nil
}
