package golang

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// TestTrees tries everything on real source trees: TASKMILL_GO_TREES is a list of folders, each
// a module at its root whose dependencies the machine has. Every file must have surfaces and
// symbols; hiding a random set of tests must leave a tree whose tests compile, and hiding again
// must change nothing.
func TestTrees(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("TASKMILL_GO_TREES"))
	if len(dirs) == 0 {
		t.Skip("TASKMILL_GO_TREES names no source trees")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { tryTree(t, readTree(t, dir)) })
	}
}

func tryTree(t *testing.T, tr *tree.Tree) {
	var l Language
	var surfaces []model.Surface
	symbols, kinds := 0, map[model.Kind]int{}
	for _, p := range tr.Paths() {
		kinds[l.Kind(p)]++
		switch l.Kind(p) {
		case model.CheckFile:
			s, err := l.Surfaces(tr, p)
			if err != nil {
				t.Error(err)
			}
			surfaces = append(surfaces, s...)
		case model.Production:
			s, err := l.Symbols(tr, p)
			if err != nil {
				t.Error(err)
			}
			symbols += len(s)
		}
	}
	t.Logf("%d surfaces, %d symbols, %v", len(surfaces), symbols, kinds)
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 12
	for i := range rounds {
		n := 1 + rng.IntN(4)
		if i%3 == 2 {
			n = len(surfaces) * (1 + rng.IntN(9)) / 10
		}
		var hidden []model.Surface
		for _, j := range rng.Perm(len(surfaces))[:n] {
			hidden = append(hidden, surfaces[j])
		}
		after := hide(t, tr, hidden)
		if out, err := compile(t, after); err != nil {
			t.Errorf("hiding %d: %v\n%s", n, err, out)
			for _, h := range hidden[:min(n, 5)] {
				t.Log(h.Key())
			}
		}
	}
}

// TestTreesDiagnostics removes single symbols that only tests name, and demands that each error
// of the compiler is a follow-up or names what was removed.
func TestTreesDiagnostics(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("TASKMILL_GO_TREES"))
	if len(dirs) == 0 {
		t.Skip("TASKMILL_GO_TREES names no source trees")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tr := readTree(t, dir)
			removed, errors := 0, 0
			m := newMachine(t).share()
			cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
			if err != nil {
				t.Fatal(err)
			}
			m.extra = append(m.extra, "GOMODCACHE="+strings.TrimSpace(string(cache)))
			for _, s := range testOnly(t, tr) {
				if removed == 12 {
					break
				}
				f, _, _ := tr.Read(s.Path)
				lines := strings.SplitAfter(string(f.Data), "\n")
				text := strings.Join(slices.Concat(lines[:s.Start-1], lines[s.End:]), "")
				unit, _ := unitOf(tr, parent(s.Path))
				got := m.run(tr.With(model.TreeChange{Path: s.Path, Data: []byte(text)}), model.Run{Unit: unit, Only: []string{"-"}})
				if !got.BuildError {
					continue
				}
				removed++
				for _, d := range got.Diagnostics {
					errors++
					if !d.FollowUp && len(lang.Named(d.Names, []model.Symbol{s})) == 0 {
						t.Errorf("%s: %s: %v", s.Name, d.Message, d.Names)
					}
				}
			}
			t.Logf("%d symbols removed, %d errors", removed, errors)
		})
	}
}

// testOnly lists functions, methods and fields that only check files name, in a random order.
func testOnly(t *testing.T, tr *tree.Tree) []model.Symbol {
	var l Language
	var all []model.Symbol
	named := map[string]int{}
	for _, kind := range []model.Kind{model.Production, model.CheckFile} {
		for _, p := range tr.Paths() {
			if l.Kind(p) != kind {
				continue
			}
			if kind == model.Production {
				s, err := l.Symbols(tr, p)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, s...)
			}
		}
		for _, p := range tr.Paths() {
			if l.Kind(p) != kind {
				continue
			}
			s, err := l.Names(tr, p, all)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range s {
				if kind == model.Production {
					named[s.Name] = -1
				} else if named[s.Name] >= 0 {
					named[s.Name]++
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(s model.Symbol) bool { return named[s.Name] <= 0 || s.Kind == "type" })
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// hide hides, and checks what holds of every hiding: it parses, and again changes nothing.
func hide(t *testing.T, tr *tree.Tree, hidden []model.Surface) *tree.Tree {
	t.Helper()
	var l Language
	changes, err := l.Hide(tr, hidden)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if err := l.Syntax(c.Path, c.Data); err != nil && !c.Delete {
			t.Error(err)
		}
		if strings.Contains(string(c.Data), "\n\n\n") {
			f, _, _ := tr.Read(c.Path)
			if !strings.Contains(string(f.Data), "\n\n\n") {
				t.Errorf("%s: two blank lines", c.Path)
			}
		}
	}
	after := tr.With(changes...)
	again, err := l.Hide(after, hidden)
	if err != nil || len(again) > 0 {
		t.Errorf("hiding again: %d changes, %v", len(again), err)
	}
	return after
}

// compile builds all tests of a tree at the machine's own settings, without running any.
func compile(t *testing.T, tr *tree.Tree) (string, error) {
	t.Helper()
	dir := t.TempDir()
	writeTree(t, tr, dir)
	cmd := exec.Command("go", "test", "-vet=off", "-run=^$", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func writeTree(t *testing.T, tr *tree.Tree, dir string) {
	t.Helper()
	for _, p := range tr.Paths() {
		f, _, err := tr.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readTree(t *testing.T, dir string) *tree.Tree {
	t.Helper()
	var files []model.File
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		files = append(files, model.File{Path: filepath.ToSlash(rel), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b model.File) int { return strings.Compare(a.Path, b.Path) })
	return tree.Of(files...)
}
