package gitio

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taskmill/taskmill/io/gitio/gittest"
	"github.com/taskmill/taskmill/model"
)

// Histories that crossed have two best common ancestors; the newer one is taken.
func TestMergeBaseOfCrossedHistories(t *testing.T) {
	dir := gittest.Repo(t, `
-- @commit main --
Start
-- s --
s
-- @commit left --
L
-- l --
l
-- @commit right from main --
R
-- r --
r
-- @tag L left --
-- @tag R right --
-- @join left R --
Merge right into left
-- @join right L --
Merge left into right
`)
	r := open(t, dir, Options{})
	a, b := resolve(t, r, "left"), resolve(t, r, "right")
	got, err := r.MergeBase(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if want := resolve(t, r, "R"); got != want {
		t.Errorf("merge base %s, want %s", got, want)
	}
	if want := runGit(t, dir, "merge-base", "left", "right"); string(got) != want {
		t.Errorf("merge base %s, git's %s", got, want)
	}
}

func resolve(t *testing.T, r *Repository, rev string) model.Hash {
	t.Helper()
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Random graphs, with equal and with wrong clocks: merge bases and ancestry are git's.
func TestGraphIsGits(t *testing.T) {
	for seed := range uint64(6) {
		dir := filepath.Join(t.TempDir(), "g.git")
		n := randomGraph(t, dir, seed)
		r := open(t, dir, Options{})
		random := rand.New(rand.NewPCG(seed, 7))
		for range 40 {
			a, b := fmt.Sprintf("c%d", random.IntN(n)), fmt.Sprintf("c%d", random.IntN(n))
			x, y := resolve(t, r, a), resolve(t, r, b)
			all, err := exec.Command("git", "-C", dir, "merge-base", "--all", a, b).Output()
			if err != nil && len(all) > 0 {
				t.Fatal(err)
			}
			got, err := r.MergeBase(x, y)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(all), "\n")
			if string(got) != first {
				t.Errorf("seed %d: merge base of %s and %s is %q, git's are %q", seed, a, b, got, all)
			}
			is, err := r.IsAncestor(x, y)
			if err != nil {
				t.Fatal(err)
			}
			if want := exec.Command("git", "-C", dir, "merge-base", "--is-ancestor", a, b).Run() == nil; is != want {
				t.Errorf("seed %d: %s before %s is %v, git says %v", seed, a, b, is, want)
			}
			i, _ := parseID(string(x))
			j, _ := parseID(string(y))
			own, err := r.only(i, j)
			if err != nil {
				t.Fatal(err)
			}
			if want := runGit(t, dir, "rev-list", "--count", a, "^"+b); want != fmt.Sprint(len(own)) {
				t.Errorf("seed %d: %s has %d commits that %s lacks, git says %s", seed, a, len(own), b, want)
			}
		}
	}
}

func randomGraph(t *testing.T, dir string, seed uint64) int {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	const n = 60
	random := rand.New(rand.NewPCG(seed, seed))
	var b strings.Builder
	for k := range n {
		when := 1_600_000_000 + 100*k
		if seed%2 == 1 {
			when = 1_600_000_000 + 100*(k/8) // many commits in one second
		}
		fmt.Fprintf(&b, "commit refs/tags/c%d\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", k, k+1, when)
		if k > 0 {
			from := 1 + max(0, k-1-random.IntN(6))
			fmt.Fprintf(&b, "from :%d\n", from)
			if other := 1 + random.IntN(k); random.IntN(3) == 0 && other != from {
				fmt.Fprintf(&b, "merge :%d\n", other)
			}
		}
		fmt.Fprintf(&b, "M 644 inline f%d\ndata 1\nx\n\n", k)
	}
	b.WriteString("reset refs/heads/main\nfrom :60\n\n")
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v: %s", err, out)
	}
	return n
}

func TestDistance(t *testing.T) {
	r := open(t, gittest.Repo(t, `
step: 36h

-- @commit main --
0
-- a --
0
-- @commit main --
1
-- a --
1
-- @commit main --
2
-- a --
2
-- @commit side from main~1 --
beside
-- b --
b
-- @commit main --
3
-- a --
3
`), Options{})
	merge, base, newest := resolve(t, r, "main~3"), resolve(t, r, "main~1"), resolve(t, r, "main")
	toMerge, toNewest, err := r.Distance(t.Context(), merge, base, newest)
	if err != nil {
		t.Fatal(err)
	}
	if (toMerge != model.Distance{Days: 3, Commits: 2}) || (toNewest != model.Distance{Days: 3, Commits: 1}) {
		t.Errorf("distances %v and %v, want 3 days, 2 commits and 3 days, 1 commit", toMerge, toNewest)
	}
	// A commit beside the line counts from where the line was at its date.
	toMerge, toNewest, err = r.Distance(t.Context(), merge, resolve(t, r, "side"), newest)
	if err != nil {
		t.Fatal(err)
	}
	if toMerge.Commits != 2 || toNewest.Commits != 1 {
		t.Errorf("beside the line: %v and %v, want 2 and 1 commits", toMerge, toNewest)
	}
}
