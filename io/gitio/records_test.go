package gitio

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/model"
)

func collect(t *testing.T, r *Repository, o RecordOptions) ([]model.Record, []model.Rejection) {
	t.Helper()
	var records []model.Record
	var rejections []model.Rejection
	err := r.Records(t.Context(), o, func(rec model.Record) error { records = append(records, rec); return nil },
		func(j model.Rejection) { rejections = append(rejections, j) })
	if err != nil {
		t.Fatal(err)
	}
	return records, rejections
}

// line is a record in one line: number, style, range by the names of commits, paths, marks.
func line(r *Repository, rec model.Record) string {
	subject := func(h model.Hash) string {
		c, err := r.Commit(h)
		if err != nil {
			return string(h)
		}
		return strings.ReplaceAll(c.Subject(), " ", "_")
	}
	var s strings.Builder
	s.WriteString(fmt.Sprintf("%d %s %q %s..%s", rec.Number, rec.MergeStyle, rec.Title, subject(rec.Before), subject(rec.After)))
	for _, f := range rec.Files {
		s.WriteString(" " + f.Change + ":" + f.Path)
		if f.OldPath != "" {
			s.WriteString("<" + f.OldPath)
		}
	}
	for _, c := range rec.Closes {
		s.WriteString(fmt.Sprintf(" closes=%d/%v", c.Number, c.Confidence))
	}
	if rec.BackportOf > 0 {
		s.WriteString(fmt.Sprintf(" backport=%d", rec.BackportOf))
	}
	if rec.Reverts > 0 {
		s.WriteString(fmt.Sprintf(" reverts=%d", rec.Reverts))
	}
	if rec.BaseRef != "main" {
		s.WriteString(" on=" + rec.BaseRef)
	}
	return s.String()
}

func lines(r *Repository, records []model.Record) []string {
	var out []string
	for _, rec := range records {
		out = append(out, line(r, rec))
	}
	return out
}

// The base branch moves on after the pull request's branch left it.
func TestChangeIsMergeBaseToHead(t *testing.T) {
	r := open(t, gittest.Repo(t, `
-- @commit main --
A
-- a.txt --
a
-- @commit pr/p from main --
P
-- p.txt --
p
-- test_p.txt --
p
-- @commit main --
B
-- b.txt --
b
-- @commit main --
C
-- c.txt --
c
-- @merge 1 pr/p merge --
Add p
`), Options{})
	got, _ := collect(t, r, RecordOptions{})
	if diff := cmp.Diff([]string{`1 merge "Add p" A..P added:p.txt added:test_p.txt`}, lines(r, got)); diff != "" {
		t.Error(diff)
	}
}

// A branch that took the base branch in twice changes only what it adds to the last of them.
func TestBranchThatMergedItsBase(t *testing.T) {
	r := open(t, gittest.Repo(t, `
-- @commit main --
A
-- a.txt --
a
-- @commit pr/p from main --
P
-- p.txt --
p
-- @commit main --
B
-- b.txt --
b
-- @join pr/p main --
Merge branch 'main' into p
-- @commit main --
C
-- c.txt --
c
-- @join pr/p main --
Merge branch 'main' into p again
-- @commit pr/p --
Q
-- q.txt --
q
-- @commit main --
D
-- d.txt --
d
-- @merge 1 pr/p merge --
Add p and q
`), Options{})
	got, _ := collect(t, r, RecordOptions{})
	if diff := cmp.Diff([]string{`1 merge "Add p and q" C..Q added:p.txt added:q.txt`}, lines(r, got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"P\n", "Q\n"}, got[0].Messages); diff != "" {
		t.Errorf("messages of the branch's own commits: %s", diff)
	}
	// A walk that does not reach the root finds branches another way, and must find the same.
	windowed, _ := collect(t, r, RecordOptions{Since: got[0].MergedAt, Limit: 1})
	if diff := cmp.Diff(got, windowed); diff != "" {
		t.Errorf("(-whole +window):\n%s", diff)
	}
}

const styles = `
-- @commit main --
Start
-- a.txt --
one
two
-- run.sh --
echo
-- @commit 1.x from main --
Open the release branch
-- VERSION --
1
-- @commit pr/squash --
Bump a
-- a.txt --
one
2
-- @merge 2 pr/squash squash --
Correct a

Fixes #1
-- @commit pr/gitea --
Move a
-- b.txt (from=a.txt) --
-- run.sh (mode=755) --
-- @merge 3 pr/gitea gitea --
Move a to b
-- @commit pr/gitlab --
Link
-- link (symlink) --
b.txt
-- sub (submodule) --
0123456789012345678901234567890123456789
-- @merge 4 pr/gitlab gitlab --
Link b

Closes #9
-- @commit pr/rebase --
Add c
-- c.txt --
c
-- @commit pr/rebase --
Add d
-- d.txt --
d
-- @commit main --
Between (#5)
-- between --
x
-- @merge 6 pr/rebase rebase --
-- @commit pr/plain --
Delete d
-- d.txt (deleted) --
-- @merge 7 pr/plain plain --
Delete d for good (#7)
-- @commit main --
Revert "Between (#5)" (#8)
-- between (deleted) --
-- @commit main --
No number here
-- e.txt --
e
-- @commit 1.x --
Correct a (#2)
-- a.txt --
one
2
-- @commit pr/back from 1.x --
Correct rounding
-- r.txt --
r
-- @merge 50 pr/back squash into 1.x --
Backport #7 to 1.x

Fixes #49
`

func TestStyles(t *testing.T) {
	r := open(t, gittest.Repo(t, styles), Options{})
	got, rejections := collect(t, r, RecordOptions{Branches: []string{"1.x"}})
	want := []string{
		`8 squash "Revert \"Between (#5)\"" Delete_d_for_good_(#7)..Revert_"Between_(#5)"_(#8) deleted:between reverts=5`,
		`7 merge "Delete d for good" Add_d..Delete_d deleted:d.txt`,
		`6 rebase "Add c" Between_(#5)..Add_d added:c.txt added:d.txt`,
		`5 squash "Between" Merge_branch_'pr/gitlab'_into_'main'..Between_(#5) added:between`,
		`4 merge "Link b" Merge_pull_request_'Move_a_to_b'_(#3)_from_pr/gitea_into_main..Link symlink:link submodule:sub closes=9/0.8`,
		`3 merge "Move a to b" Correct_a_(#2)..Move_a renamed:b.txt<a.txt mode:run.sh`,
		`2 squash "Correct a" Start..Correct_a_(#2) modified:a.txt closes=1/0.8`,
		`50 squash "Backport #7 to 1.x" Correct_a_(#2)..Backport_#7_to_1.x_(#50) added:r.txt closes=49/0.8 backport=7 on=1.x`,
	}
	if diff := cmp.Diff(want, lines(r, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(rejections) > 0 {
		t.Errorf("rejected: %v", rejections)
	}
	for _, rec := range got {
		if rec.Number == 6 && (rec.Confidence != surePatch || len(rec.Messages) != 2) {
			t.Errorf("rebase: confidence %v, messages %q", rec.Confidence, rec.Messages)
		}
		if rec.Repo != "example/sample" || rec.TextSource != "git" || rec.MergedAt.IsZero() || rec.CreatedAt.After(rec.MergedAt) {
			t.Errorf("record %d: %+v", rec.Number, rec)
		}
	}
}

func TestOptions(t *testing.T) {
	r := open(t, gittest.Repo(t, styles), Options{})
	all, _ := collect(t, r, RecordOptions{Commits: true})
	numbers := func(o RecordOptions) []int64 {
		var out []int64
		records, _ := collect(t, r, o)
		for _, rec := range records {
			out = append(out, rec.Number)
		}
		return out
	}
	at := func(n int64) time.Time {
		k := slices.IndexFunc(all, func(r model.Record) bool { return r.Number == n })
		return all[k].MergedAt
	}
	tests := []struct {
		name string
		o    RecordOptions
		want []int64
	}{
		{"all", RecordOptions{}, []int64{8, 7, 6, 5, 4, 3, 2}},
		{"commits", RecordOptions{Commits: true}, []int64{0, 8, 7, 6, 5, 4, 3, 2, 0}},
		{"limit", RecordOptions{Limit: 2}, []int64{8, 7}},
		{"numbers", RecordOptions{Numbers: []int64{3, 6, 99}}, []int64{6, 3}},
		{"since", RecordOptions{Since: at(7)}, []int64{8, 7}},
		{"until", RecordOptions{Until: at(3)}, []int64{3, 2}},
		{"window", RecordOptions{Since: at(3), Until: at(4)}, []int64{4, 3}},
		{"no such", RecordOptions{Since: at(8).AddDate(1, 0, 0)}, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, numbers(tt.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The number in `Fix it (#9)` is an issue's where the repository has references of pull
// requests up to 10, but none for 9.
func TestNumberWithoutReferenceIsUnsure(t *testing.T) {
	r := open(t, gittest.Repo(t, `
-- @commit main --
Start
-- a --
a
-- @commit main --
Fix it (#9)
-- a --
b
-- @commit pr/x --
x
-- x --
x
-- @merge 10 pr/x squash --
Add x
`), Options{})
	got, _ := collect(t, r, RecordOptions{})
	if len(got) != 2 || got[0].Confidence != knownSquash || got[1].Confidence != noSuchPull {
		t.Errorf("records %v", got)
	}
}

// A change of more files than any service pages through is whole, from the objects.
func TestManyFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("-- @commit main --\nStart\n-- a --\na\n-- @commit main --\nAdd many (#1)\n")
	for k := range 35 {
		text.WriteString(fmt.Sprintf("-- f%02d --\n%d\n", k, k))
	}
	text.WriteString("-- @commit main --\nAdd more (#2)\n")
	for k := range 301 {
		text.WriteString(fmt.Sprintf("-- d%d/g%03d --\n%s", k%7, k, strings.Repeat("line\n", 70)))
	}
	got, _ := collect(t, open(t, gittest.Repo(t, text.String()), Options{}), RecordOptions{})
	if len(got) != 2 || len(got[1].Files) != 35 || len(got[0].Files) != 301 {
		t.Errorf("files %d and %d, want 35 and 301", len(got[1].Files), len(got[0].Files))
	}
}
