// Package sources turns what several sources tell of one pull request or issue into one record.
package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Merge is one record of what several tellings say of the same pull request or issue, of which
// there is at least one. Each field is that of the first telling in model.Precedence that has it;
// of tellings by one source the one updated last, then the later one, comes first. So the result
// does not depend on the order of sources. Exceptions:
//
//   - the commits that a change lies between are told together: by a telling with a patch, else
//     by git;
//   - the author kind goes with the author, a description with whether there is one;
//   - linked issues and the references to them are united;
//   - where a benchmark states the problem, the descriptions of the change are left out: its
//     statement is what its solvers see.
func Merge(told []model.Record) model.Record {
	order := slices.Clone(told)
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b model.Record) int {
		return cmp.Or(cmp.Compare(rank(a.Told), rank(b.Told)), b.UpdatedAt.Compare(a.UpdatedAt))
	})
	out := model.Record{Repo: order[0].Repo, Number: order[0].Number, Kind: order[0].Kind, Told: order[0].Told}
	for _, r := range order {
		out.Sources = append(out.Sources, r.Told)
		if r.Kind == "pr" { // an issue of the same number is the same pull request, seen as one
			out.Kind = "pr"
		}
		texts(&out, r)
		times(&out, r)
		links(&out, r)
	}
	commits(&out, order)
	if slices.ContainsFunc(order, states) {
		out.Body, out.Messages, out.TextSource = "", nil, "api"
	}
	out.Confidence = order[0].Confidence
	if out.Number > 0 && out.Told != model.ToldGit { // it was told, not guessed
		out.Confidence = 1
	}
	return out
}

// states reports whether a telling is a benchmark's with a problem statement.
func states(r model.Record) bool {
	return slices.ContainsFunc(r.Issues, func(i model.Issue) bool { return i.Number == 0 && i.Body != "" })
}

func rank(source string) int {
	if i := slices.Index(model.Precedence, source); i >= 0 {
		return i
	}
	return len(model.Precedence)
}

// texts takes what a person wrote, as far as it is not yet told.
func texts(out *model.Record, r model.Record) {
	out.Title = cmp.Or(out.Title, r.Title)
	if out.Author == "" {
		out.Author, out.AuthorKind = r.Author, r.AuthorKind
	}
	if out.TextSource == "" || out.TextSource == "api" && out.Body == "" && r.TextSource == "api" {
		out.Body, out.TextSource = r.Body, r.TextSource
	}
	if len(out.Messages) == 0 {
		out.Messages = r.Messages
	}
	if len(out.Labels) == 0 {
		out.Labels = r.Labels
	}
	out.Hints = cmp.Or(out.Hints, r.Hints)
	out.State = cmp.Or(merged(out.State, r.State), r.State)
	out.BaseRef = cmp.Or(out.BaseRef, r.BaseRef)
}

// merged is the further one of two states: what was merged stays so, whoever saw it before.
func merged(a, b string) string {
	if b == "merged" {
		return b
	}
	return a
}

func times(out *model.Record, r model.Record) {
	if out.CreatedAt.IsZero() {
		out.CreatedAt = r.CreatedAt
	}
	// When a benchmark's change was merged is not told: only when it was asked for.
	if guess := r.Told == model.ToldSWEBench; !r.MergedAt.IsZero() && (out.MergedAt.IsZero() || !out.TimeCertain && !guess) {
		out.MergedAt, out.TimeCertain = r.MergedAt, !guess
	}
	if out.ClosedAt.IsZero() {
		out.ClosedAt = r.ClosedAt
	}
	if out.VisibleAt.IsZero() {
		out.VisibleAt = r.VisibleAt
	}
	if out.UpdatedAt.IsZero() {
		out.UpdatedAt = r.UpdatedAt
	}
	if out.MergedAt.IsZero() {
		out.TimeCertain = out.TimeCertain || r.TimeCertain
	}
}

// links unites the issues that a record closes, and what is known of them.
func links(out *model.Record, r model.Record) {
	out.BackportOf, out.Reverts = cmp.Or(out.BackportOf, r.BackportOf), cmp.Or(out.Reverts, r.Reverts)
	for _, c := range r.Closes {
		at := slices.IndexFunc(out.Closes, func(o model.Reference) bool { return o.Number == c.Number && strings.EqualFold(o.Repo, c.Repo) })
		if at < 0 {
			out.Closes = append(out.Closes, c)
		} else {
			out.Closes[at].Confidence = max(out.Closes[at].Confidence, c.Confidence)
		}
	}
	slices.SortFunc(out.Closes, func(a, b model.Reference) int {
		return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Number, b.Number))
	})
	for _, i := range r.Issues {
		AddIssue(out, i)
	}
}

// AddIssue adds what is told of an issue to a record, as far as it is not yet known.
func AddIssue(r *model.Record, i model.Issue) {
	at := slices.IndexFunc(r.Issues, func(o model.Issue) bool { return o.Number == i.Number })
	if at < 0 {
		r.Issues = append(slices.Clip(r.Issues), i)
		slices.SortStableFunc(r.Issues, func(a, b model.Issue) int { return cmp.Compare(a.Number, b.Number) })
		return
	}
	r.Issues = slices.Clone(r.Issues)
	o := &r.Issues[at]
	o.Title, o.Body = cmp.Or(o.Title, i.Title), cmp.Or(o.Body, i.Body)
	if len(o.Labels) == 0 {
		o.Labels = i.Labels
	}
}

// commits takes the commits that the change lies between, and the one that holds it.
func commits(out *model.Record, order []model.Record) {
	for _, r := range order {
		if r.Source.Location != "" && out.Source.Location == "" {
			out.Source = r.Source
		}
		if r.Told != model.ToldGit {
			continue
		}
		out.MergeCommit, out.HeadCommit, out.MergeBase, out.MergeStyle = r.MergeCommit, r.HeadCommit, r.MergeBase, r.MergeStyle
		out.Before, out.After, out.Files, out.BaseRef = r.Before, r.After, r.Files, r.BaseRef
		break
	}
	for _, r := range order {
		out.MergeCommit = cmp.Or(out.MergeCommit, r.MergeCommit)
		out.HeadCommit = cmp.Or(out.HeadCommit, r.HeadCommit)
		out.MergeBase, out.MergeStyle = cmp.Or(out.MergeBase, r.MergeBase), cmp.Or(out.MergeStyle, r.MergeStyle)
	}
	for _, r := range order {
		if r.Patch == "" {
			continue
		}
		out.Before, out.After, out.Patch, out.Files = r.Before, "", r.Patch, nil
		out.MergeCommit = cmp.Or(out.MergeCommit, r.Before)
		return
	}
}

// Land says why a merged record of other sources than git is no change of a repository: nil
// where it is one. branch is the repository's default branch.
func Land(r model.Record, branch string) *model.Fault {
	fault := func(reason model.Reason, format string, args ...any) *model.Fault {
		return &model.Fault{Stage: model.StageIngest, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.Kind == "issue":
		return fault(model.NotMerged, "it is an issue")
	case r.State == "open" && r.MergedAt.IsZero():
		return fault(model.NotMerged, "it is open")
	case r.State != "merged" && r.MergedAt.IsZero():
		return fault(model.NotMerged, "it was closed without being merged")
	case r.Patch != "" || slices.Contains(r.Sources, model.ToldGit):
		return nil
	case r.BaseRef != "" && r.BaseRef != branch:
		return fault(model.NotAncestor, "it was merged into %s, not into %s: take that branch too with --branch", r.BaseRef, branch)
	case r.MergeCommit != "":
		return fault(model.NotAncestor, "its commit %s is not on %s", r.MergeCommit.Short(12), branch)
	}
	return fault(model.NotAncestor, "no commit on %s is known to hold it", branch)
}
