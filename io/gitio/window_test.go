package gitio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/gitio/gittest"
)

// A merge of another branch brings in its pull requests; it is no change of its own. A merge
// without a number and without such is one, and is named by its first commit.
func TestMergesWithoutNumber(t *testing.T) {
	r := open(t, gittest.Repo(t, `
-- @commit main --
Start
-- a --
a
-- @commit 1.x --
Correct it (#2)
-- b --
b
-- @join main 1.x --
Merge branch '1.x'
-- @commit topic --
Add c

Because.
-- c --
c
-- @commit topic --
Mend c
-- c --
C
-- @join main topic --
Merge branch 'topic'
-- @commit main --
End
-- d --
d
`), Options{})
	got, _ := collect(t, r, RecordOptions{Commits: true})
	want := []string{
		`0 commit "End" Merge_branch_'topic'..End added:d`,
		`0 commit "Add c" Merge_branch_'1.x'..Mend_c added:c`,
		`0 commit "Start" ..Start added:a`,
	}
	if diff := cmp.Diff(want, lines(r, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, _ = collect(t, r, RecordOptions{Branches: []string{"1.x"}})
	if diff := cmp.Diff([]string{`2 squash "Correct it" Start..Correct_it_(#2) added:b on=1.x`}, lines(r, got)); diff != "" {
		t.Errorf("with the branch (-want +got):\n%s", diff)
	}
}

// Records must not depend on how far the line was read: a window's are the same as the whole
// history's, though a line without its root is walked by date.
func TestWindowGivesTheSameRecords(t *testing.T) {
	var text strings.Builder
	text.WriteString("step: 1h\n-- @commit main --\nStart\n-- a --\na\n")
	for k := range 300 { // more than the walk reads beyond the window
		text.WriteString(fmt.Sprintf("-- @commit main --\nOld %d\n-- old --\n%d\n", k, k))
	}
	for k := 1; k <= 12; k++ {
		b := fmt.Sprintf("pr/b%d", k)
		text.WriteString(fmt.Sprintf("-- @commit %s --\nFirst of %d\n-- f%d --\n1\n", b, k, k))
		text.WriteString(fmt.Sprintf("-- @commit main --\nBeside %d\n-- main%d --\n1\n", k, k))
		if k%2 == 0 {
			text.WriteString(fmt.Sprintf("-- @join %s main --\nMerge branch 'main'\n", b))
		}
		if k%4 == 0 {
			text.WriteString(fmt.Sprintf("-- @commit side%d from main --\nSide of %d\n-- s%d --\n1\n", k, k, k))
			text.WriteString(fmt.Sprintf("-- @join %s side%d --\nMerge side\n", b, k))
		}
		text.WriteString(fmt.Sprintf("-- @commit %s --\nLast of %d\n-- f%d --\n2\n", b, k, k))
		text.WriteString(fmt.Sprintf("-- @merge %d %s %s --\nTitle %d\n", k, b, []string{"merge", "squash"}[k/2%2], k))
	}
	r := open(t, gittest.Repo(t, text.String()), Options{})
	all, _ := collect(t, r, RecordOptions{})
	if len(all) != 12 {
		t.Fatalf("%d records, want 12", len(all))
	}
	some, _ := collect(t, r, RecordOptions{Since: all[len(all)-1].MergedAt})
	if diff := cmp.Diff(all, some); diff != "" {
		t.Errorf("(-whole +window):\n%s", diff)
	}
}
