package model

import "time"

// Sources of records. Where several tell of one record, each field is that of the first in
// Precedence that tells it.
const (
	ToldJSONL    = "jsonl"    // rows of our own tables as lines of JSON: what somebody wrote on purpose
	ToldParquet  = "parquet"  // the same as Parquet
	ToldSWEBench = "swebench" // rows of a benchmark: base commit, patch and problem statement
	ToldDump     = "dump"     // objects of a service as others keep them
	ToldGit      = "git"      // the history
)

// Precedence is the fixed order of sources, surest first.
var Precedence = []string{ToldJSONL, ToldParquet, ToldSWEBench, ToldDump, ToldGit}

// Row is the record as a row; patch is the text of its Patch.
func (r Record) Row(patch string) RecordRow {
	row := RecordRow{
		Repo: r.Repo, Number: r.Number, Kind: r.Kind, Title: r.Title, Labels: labelRows(r.Labels),
		Author: r.Author, AuthorKind: r.AuthorKind, CreatedAt: moment(r.CreatedAt), MergedAt: moment(r.MergedAt), ClosedAt: moment(r.ClosedAt),
		State: r.State, BaseRef: r.BaseRef, HeadCommit: string(r.HeadCommit), MergeCommit: string(r.MergeCommit),
		MergeBase: string(r.MergeBase), MergeStyle: r.MergeStyle, BackportOf: r.BackportOf, Reverts: r.Reverts,
		Source: r.Told, Sources: r.Sources, VisibleAt: moment(r.VisibleAt), TimeCertain: r.TimeCertain, Confidence: r.Confidence,
		Patch: patch, HintsText: r.Hints,
	}
	if patch != "" {
		row.BaseCommit = string(r.Before)
	}
	if r.TextSource != "" {
		row.Body = &r.Body
	}
	for _, c := range r.Closes {
		row.Closes = append(row.Closes, ClosesRow{c.Number, c.Confidence, c.Repo})
	}
	for _, f := range r.Files {
		row.Files = append(row.Files, PathRow{f.Path, string(f.Kind), f.Change})
	}
	for _, i := range r.Issues {
		row.Issues = append(row.Issues, IssueRow{i.Number, i.Title, i.Body, labelRows(i.Labels)})
	}
	return row
}

// Record is the row as a record that told tells; what is known of its files is left to git.
func (r RecordRow) Record(told string) Record {
	rec := Record{
		Repo: r.Repo, Number: r.Number, Kind: r.Kind, Title: r.Title, Labels: labels(r.Labels),
		Author: r.Author, AuthorKind: r.AuthorKind, CreatedAt: at(r.CreatedAt), MergedAt: at(r.MergedAt), ClosedAt: at(r.ClosedAt),
		State: r.State, BaseRef: r.BaseRef, HeadCommit: Hash(r.HeadCommit), MergeCommit: Hash(r.MergeCommit),
		MergeBase: Hash(r.MergeBase), MergeStyle: r.MergeStyle, BackportOf: r.BackportOf, Reverts: r.Reverts,
		VisibleAt: at(r.VisibleAt), TimeCertain: r.TimeCertain, Confidence: r.Confidence, Before: Hash(r.BaseCommit),
		Hints: r.HintsText, Told: told,
	}
	if r.Body != nil {
		rec.Body, rec.TextSource = *r.Body, "api"
		if r.Source == ToldGit {
			rec.TextSource = "git"
		}
	}
	for _, c := range r.Closes {
		rec.Closes = append(rec.Closes, Reference{c.Repo, c.Number, c.Confidence})
	}
	for _, i := range r.Issues {
		rec.Issues = append(rec.Issues, Issue{i.Number, i.Title, i.Body, labels(i.Labels)})
	}
	return rec
}

func labelRows(in []Label) []LabelRow {
	var out []LabelRow
	for _, l := range in {
		out = append(out, LabelRow{l.Name, moment(l.AddedAt)})
	}
	return out
}

func labels(in []LabelRow) []Label {
	var out []Label
	for _, l := range in {
		out = append(out, Label{l.Name, at(l.AddedAt)})
	}
	return out
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func at(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
