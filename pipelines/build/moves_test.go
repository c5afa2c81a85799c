package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/model"
)

const movesHistory = `repo: o/r
-- @commit main --
start
-- a.go --
package a

func A() int { return 1 }

func B() int { return 2 }
-- b.go --
package a

var first = "one"

var second = "two"
-- gone.go --
package a

func Gone() {}
-- @commit main --
move a, unchanged
-- sub/a.go --
package a

func A() int { return 1 }

func B() int { return 2 }
-- a.go (deleted) --
-- @commit main --
move b and edit it
-- c.go --
package a

var first = "one"

var second = "two"

var third = "three"
-- other.go --
package a

func Unlike() string { return "nothing of it" }
-- b.go (deleted) --
-- gone.go (deleted) --
-- @commit main --
move a again
-- deep/er/a.go --
package a

func A() int { return 10 }

func B() int { return 2 }
-- sub/a.go (deleted) --
`

func TestMoves(t *testing.T) {
	repo, err := gitio.Open(t.Context(), model.Source{Location: gittest.Repo(t, movesHistory)}, gitio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	_, newest, _, err := repo.DefaultBranch()
	if err != nil {
		t.Fatal(err)
	}
	line, err := repo.FirstParents(t.Context(), newest, 0)
	if err != nil || len(line) != 4 {
		t.Fatalf("%v, %v", line, err)
	}
	c := model.Change{ID: "o__r-1", Record: model.Record{MergeCommit: line[3]}}
	got, err := moves(t.Context(), repo, c, newest, []string{"a.go", "b.go", "gone.go", "never.go", "other.go"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.go": "deep/er/a.go", "b.go": "c.go"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for path, want := range map[string]bool{"deep/er/a.go": true, "deep/er": false, "deep/er/a.go/x": false, "a.go": false, "": false} {
		if _, ok, err := repo.Entry(newest, path); ok != want || err != nil {
			t.Errorf("%q: %v, %v; want %v", path, ok, err, want)
		}
	}
}
