package construct

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// kinds knows paths by their folder and nothing else: what the patches of a task rest on.
type kinds struct{ lang.Language }

func (kinds) Kind(p string) model.Kind {
	switch {
	case strings.HasPrefix(p, "test/data/"):
		return model.CheckData
	case strings.HasPrefix(p, "test/"):
		return model.CheckFile
	case strings.HasPrefix(p, "docs/"):
		return model.Docs
	case strings.HasPrefix(p, "src/"):
		return model.Production
	}
	return model.Other
}

// randomTree draws files of few distinct lines, so that hunks have many places.
func randomTree(r *rand.Rand) *tree.Tree {
	var files []model.File
	for _, dir := range []string{"src", "test", "test/data", "docs"} {
		for i := range 4 {
			if r.IntN(4) > 0 {
				files = append(files, model.File{Path: fmt.Sprintf("%s/f%d", dir, i), Data: randomLines(r)})
			}
		}
	}
	return tree.Of(files...)
}

func randomLines(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(30) {
		fmt.Fprintf(&b, "line %d\n", r.IntN(8))
	}
	if r.IntN(4) == 0 {
		b.WriteString("no end")
	}
	return b.Bytes()
}

// edit changes, adds, deletes and renames random files that keep accepts.
func edit(r *rand.Rand, t *tree.Tree, keep func(string) bool) *tree.Tree {
	for _, p := range t.Paths() {
		if !keep(p) || r.IntN(2) == 0 {
			continue
		}
		f, _, _ := t.Read(p)
		lines := slices.Collect(strings.Lines(string(f.Data)))
		switch r.IntN(8) {
		case 0:
			t = t.With(model.TreeChange{Path: p, Delete: true})
		case 1:
			t = t.With(model.TreeChange{Path: p, Delete: true}, model.TreeChange{Path: p + "n", Mode: f.Mode, Data: f.Data})
		case 2:
			t = t.With(model.TreeChange{Path: p, Mode: model.ModeExecutable, Data: f.Data})
		case 3:
			t = t.With(model.TreeChange{Path: p + "x", Data: randomLines(r)})
		default:
			at := r.IntN(len(lines) + 1)
			end := min(len(lines), at+r.IntN(4))
			lines = slices.Replace(slices.Clone(lines), at, end, string(randomLines(r)))
			t = t.With(model.TreeChange{Path: p, Mode: f.Mode, Data: []byte(strings.Join(lines, ""))})
		}
	}
	return t
}

func TestPatchesLeadBackToH(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		h := randomTree(r)
		check := func(p string) bool { return strings.HasPrefix(p, "test/") }
		c := edit(r, h, func(p string) bool { return !check(p) })
		s := edit(r, c, check)
		task, test, fix, err := Patches(h, s, c, kinds{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, p := range test.Paths() {
			if !check(p) || slices.Contains(fix.Paths(), p) {
				t.Fatalf("seed %d: test_patch holds %s", seed, p)
			}
		}
		if n := len(test.Files) + len(fix.Files); n != len(task.Files) {
			t.Fatalf("seed %d: %d files in both patches, %d in task_patch", seed, n, len(task.Files))
		}
	}
}

func TestPatchesRefuseAnotherTree(t *testing.T) {
	h := tree.Of(model.File{Path: "src/a", Data: []byte("1\n")}, model.File{Path: "test/a", Data: []byte("1\n")})
	s := h.With(model.TreeChange{Path: "src/a", Data: []byte("2\n")}, model.TreeChange{Path: "test/a", Delete: true})
	other := h.With(model.TreeChange{Path: "src/a", Data: []byte("3\n")})
	var f *model.Fault
	if _, _, _, err := Patches(h, s, other, kinds{}); !errors.As(err, &f) || f.Reason != model.NotRestored {
		t.Errorf("got %v, want %s", err, model.NotRestored)
	}
}

func TestSolverCommitIsGits(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: the commit id is not compared with git's")
	}
	dir := t.TempDir()
	at := time.Date(2025, 3, 4, 5, 6, 7, 8, time.FixedZone("x", 3600))
	when := fmt.Sprintf("%d +0000", at.Unix())
	run := func(args ...string) string {
		cmd := exec.Command(git, append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME="+SolverName, "GIT_AUTHOR_EMAIL="+SolverEmail, "GIT_AUTHOR_DATE="+when,
			"GIT_COMMITTER_NAME="+SolverName, "GIT_COMMITTER_EMAIL="+SolverEmail, "GIT_COMMITTER_DATE="+when)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	if err := os.WriteFile(dir+"/a", []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("add", "a")
	id := run("write-tree")
	want := run("commit-tree", "-m", "o__r-7", id)
	if got := SolverCommit(model.Hash(id), at, "o__r-7"); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
