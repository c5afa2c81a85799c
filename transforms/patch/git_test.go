package patch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A worktree is a directory under git.
type worktree struct {
	t   *testing.T
	dir string
}

func newWorktree(t *testing.T) worktree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: agreement with git apply is not tested")
	}
	w := worktree{t, t.TempDir()}
	w.git("", "init", "-q", ".")
	return w
}

func (w worktree) try(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

func (w worktree) git(stdin string, args ...string) string {
	w.t.Helper()
	out, err := w.try(stdin, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimRight(out, "\n")
}

// put makes tr the index and returns its id. Contents go in as objects, so that no file system
// gets in the way.
func (w worktree) put(tr *tree.Tree) string {
	w.t.Helper()
	w.git("", "read-tree", "--empty")
	var list strings.Builder
	for _, path := range tr.Paths() {
		e, _ := tr.Entry(path)
		id := string(e.Hash)
		if e.Mode != model.ModeSubmodule {
			f, _, err := tr.Read(path)
			if err != nil {
				w.t.Fatal(err)
			}
			id = w.git(string(f.Data), "hash-object", "-w", "--stdin")
		}
		fmt.Fprintf(&list, "%o %s 0\t%s\x00", e.Mode, id, path)
	}
	w.git(list.String(), "update-index", "-z", "--index-info")
	return w.git("", "write-tree")
}

// edited is a random tree near tr: lines changed, files moved, modes, links, submodules and
// binaries.
func edited(r *rand.Rand, tr *tree.Tree) *tree.Tree {
	var changes []model.TreeChange
	for i, path := range tr.Paths() {
		e, _ := tr.Entry(path)
		f, _, err := tr.Read(path)
		if err != nil {
			panic(err)
		}
		keep := model.TreeChange{Path: path, Mode: e.Mode, Data: f.Data}
		gone := model.TreeChange{Path: path, Delete: true}
		switch n := r.IntN(14); {
		case e.Mode == model.ModeSubmodule:
			keep.Data = fmt.Appendf(nil, "%040x", r.Uint64())
			changes = append(changes, keep)
		case isBinary(string(f.Data)): // git writes a delta
			keep.Data = fmt.Appendf(slices.Clone(f.Data), "%d", r.Uint64())
			changes = append(changes, keep)
		case n < 6:
			keep.Data = editedLines(r, f.Data)
			changes = append(changes, keep)
		case n == 6:
			keep.Path = fmt.Sprintf("moved/%d %s", i, filepath.Base(path))
			keep.Data = editedLines(r, f.Data)
			changes = append(changes, gone, keep)
		case n == 7 && e.Mode != model.ModeSymlink:
			keep.Mode = model.ModeFile ^ model.ModeExecutable ^ e.Mode
			changes = append(changes, keep)
		case n == 8:
			changes = append(changes, gone)
		case n == 9:
			changes = append(changes, gone, model.TreeChange{Path: path, Mode: model.ModeSymlink, Data: []byte("t" + fmt.Sprint(r.IntN(9)))})
		case n == 10:
			keep.Mode, keep.Data = model.ModeFile, fmt.Appendf(nil, "\x00%d\n", r.Uint64())
			changes = append(changes, gone, keep)
		}
	}
	changes = append(changes, model.TreeChange{Path: fmt.Sprintf("n\xc3\xa9w %d", r.IntN(99)), Data: randomLines(r, r.IntN(6))})
	return tr.With(changes...)
}

// randomLines draws from few distinct lines, so that contexts match at several places.
func randomLines(r *rand.Rand, n int) []byte {
	var b []byte
	for i := range n {
		end := "\n"
		if r.IntN(9) == 0 {
			end = "\r\n"
		}
		if i == n-1 && r.IntN(4) == 0 {
			end = ""
		}
		line := ""
		switch r.IntN(3) {
		case 0:
			line = "}"
		case 1:
			line = fmt.Sprint("line ", r.IntN(5))
		}
		b = append(append(b, line...), end...)
	}
	return b
}

func editedLines(r *rand.Rand, data []byte) []byte {
	lines := splitLines(string(data))
	for range 1 + r.IntN(4) {
		at := r.IntN(len(lines) + 1)
		insert := splitLines(string(randomLines(r, r.IntN(4))))
		for i := range insert {
			if at < len(lines) && !strings.HasSuffix(insert[i], "\n") {
				insert[i] += "\n"
			}
		}
		lines = splice(lines, at, min(r.IntN(3), len(lines)-at), insert)
	}
	for i := range lines[:max(len(lines)-1, 0)] {
		if !strings.HasSuffix(lines[i], "\n") {
			lines[i] += "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}

func randomTree(r *rand.Rand) *tree.Tree {
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	files := []model.File{
		{Path: "empty"},
		{Path: "run.sh", Mode: model.ModeExecutable, Data: randomLines(r, 5)},
		{Path: "link", Mode: model.ModeSymlink, Data: []byte("a/0")},
		{Path: "data.bin", Data: append([]byte{0}, noise...)},
	}
	for i := range 8 {
		files = append(files, model.File{Path: fmt.Sprintf("a/%d", i), Data: randomLines(r, r.IntN(60))})
	}
	return tree.Of(files...).With(model.TreeChange{Path: "sub", Mode: model.ModeSubmodule, Data: []byte(strings.Repeat("5", 40))})
}

// TestDiffAndBack draws pairs of trees. The diff of each, ours and git's, must lead from one to
// the other and back, written and read again; git must accept ours.
func TestDiffAndBack(t *testing.T) {
	w := newWorktree(t)
	deltas := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		a := randomTree(r)
		b := edited(r, a)
		ours, err := Diff(a, b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		from, to := w.put(a), w.put(b)
		theirs := parsed(t, w.git("", "diff", "--binary", "--full-index", from, to)+"\n")
		deltas += strings.Count(theirs.String(), "\ndelta ")
		for name, p := range map[string]Patch{"our": ours, "git's": theirs} {
			again := parsed(t, p.String())
			if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("seed %d, %s diff written and read: %s", seed, name, diff)
			}
			leads(t, fmt.Sprintf("seed %d, %s diff", seed, name), again, a, b)
			leads(t, fmt.Sprintf("seed %d, %s diff reversed", seed, name), again.Reverse(), b, a)
		}
		w.git("", "read-tree", from)
		w.git(ours.String(), "apply", "--cached", "--whitespace=nowarn", "-")
		if got := w.git("", "write-tree"); got != to {
			t.Errorf("seed %d: git makes %s of our diff, not %s", seed, got, to)
		}
		sameCounts(t, seed, ours, theirs)
	}
	if deltas == 0 {
		t.Error("git wrote no delta")
	}
}

// sameCounts compares the files that both diffs pair alike. (git before 2.44 leaves a last line
// without line end out of its measure of similarity.)
func sameCounts(t *testing.T, seed uint64, ours, theirs Patch) {
	t.Helper()
	for _, f := range ours.Files {
		i := slices.IndexFunc(theirs.Files, func(g File) bool {
			return f.Change == g.Change && f.Old == g.Old && f.New == g.New
		})
		if i < 0 {
			continue
		}
		_, hunks, lines := Patch{Files: []File{f}}.Profile()
		_, h, l := Patch{Files: theirs.Files[i : i+1]}.Profile()
		if hunks != h || lines != l {
			t.Errorf("seed %d: %s: %d hunks and %d lines, git %d and %d", seed, f.Path(), hunks, lines, h, l)
		}
	}
}

func leads(t *testing.T, what string, p Patch, from, to *tree.Tree) {
	t.Helper()
	res, err := Apply(p, from)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if from.With(res.Changes...).Hash() != to.Hash() {
		t.Errorf("%s leads to another tree", what)
	}
}

// TestAgreesWithGit applies diffs to trees that have gone on since, forwards and in reverse, as
// a whole and hunk by hunk: git must take the same and make the same of it.
func TestAgreesWithGit(t *testing.T) {
	w := newWorktree(t)
	taken := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := randomTree(r)
		b := edited(r, a)
		p, err := Diff(a, b, Options{NoRenames: seed%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		later := edited(r, b)
		if seed%3 == 0 {
			later, p = edited(r, a), p.Reverse()
		}
		base := w.put(later)
		cases := []Patch{p}
		for i, f := range p.Files {
			if f.Binary {
				continue
			}
			for j := range f.Hunks {
				cases = append(cases, p.Hunk(i, j))
			}
		}
		for i, one := range cases[:min(len(cases), 12)] {
			w.git("", "read-tree", base)
			what := fmt.Sprintf("seed %d, part %d", seed, i)
			if w.agrees(what, one, later, "") {
				taken++
			}
			w.git("", "read-tree", base)
			if w.agrees(what+" reversed", one.Reverse(), later, "-R") {
				taken++
			}
		}
	}
	if taken < 20 {
		t.Errorf("only %d patches apply: too few to tell", taken)
	}
}

// agrees applies p to tr, by us and by git from the index; with -R git gets p's reverse.
func (w worktree) agrees(what string, p Patch, tr *tree.Tree, flag string) bool {
	w.t.Helper()
	text, args := p.String(), []string{"apply", "--cached", "--whitespace=nowarn", "-"}
	if flag != "" {
		text, args = p.Reverse().String(), append(args, flag)
	}
	_, gitErr := w.try(text, args...)
	res, err := Apply(p, tr)
	if (err == nil) != (gitErr == nil) {
		if gitErr != nil || !joinsLines(p) {
			w.t.Errorf("%s: git %v, ours %v\n%s", what, gitErr, err, text)
		}
		return false
	}
	if err != nil {
		return false
	}
	got := tr.With(res.Changes...)
	if id := w.git("", "write-tree"); id != string(got.Hash()) && !modesApart(p, tr) {
		w.t.Errorf("%s: git makes %s, we %s\n%s", what, id, got.Hash(), text)
	}
	return true
}

// joinsLines reports whether p has a hunk whose last context line has no line end: git takes it
// also before a line end and further lines, and joins those; we refuse that.
func joinsLines(p Patch) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool {
		return slices.ContainsFunc(f.Hunks, func(h Hunk) bool {
			last := h.Lines[len(h.Lines)-1]
			return last.Op == ' ' && !strings.HasSuffix(last.Text, "\n")
		})
	})
}

// modesApart reports whether p names an unchanged mode that the tree's file does not have: git
// before 2.45 sets the named mode, later git and we leave it.
func modesApart(p Patch, tr *tree.Tree) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool {
		e, ok := tr.Entry(f.Old)
		return ok && f.OldMode == f.NewMode && f.OldMode != 0 && e.Mode != f.OldMode
	})
}
