package tree

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestHashIsGits(t *testing.T) {
	dir := t.TempDir()
	tr := Of(
		model.File{Path: "a.txt", Data: []byte("one\n")},
		model.File{Path: "a/b.txt", Data: []byte("two\n")},
		model.File{Path: "a-b/c", Data: []byte("x"), Mode: model.ModeExecutable},
		model.File{Path: "z", Data: []byte("a.txt"), Mode: model.ModeSymlink},
	)
	for _, p := range tr.Paths() {
		f, _, err := tr.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		full := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if f.Mode == model.ModeSymlink {
			if err := os.Symlink(string(f.Data), full); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(full, f.Data, os.FileMode(f.Mode&0o777)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("sh", "-c", "cd '"+dir+"' && git init -q . && git add -A && git write-tree").CombinedOutput()
	if err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(out)), string(tr.Hash())); diff != "" {
		t.Errorf("tree id (-git +ours):\n%s", diff)
	}
}

func TestWithAndBackIsTheSameTree(t *testing.T) {
	a := Of(model.File{Path: "x/y", Data: []byte("1")}, model.File{Path: "k", Data: []byte("2")})
	b := a.With(model.TreeChange{Path: "x/y", Delete: true}, model.TreeChange{Path: "n", Data: []byte("3")})
	if a.Hash() == b.Hash() {
		t.Fatal("changed tree has the same id")
	}
	back, err := Diff(b, a)
	if err != nil {
		t.Fatal(err)
	}
	c := b.With(back...)
	if c.Hash() != a.Hash() || len(c.Value().Changes) != 0 {
		t.Errorf("back: %+v, want %s without changes", c.Value(), a.Hash())
	}
}

func TestWithHashesAsANewTreeDoes(t *testing.T) {
	files := map[string]model.File{}
	for _, p := range []string{"a", "a.b", "a/b", "a/b.c", "a/c/d", "z/y/x"} {
		if p != "a" {
			files[p] = model.File{Path: p, Data: []byte(p)}
		}
	}
	tr := Of(slices.Collect(maps.Values(files))...)
	for _, c := range []model.TreeChange{
		{Path: "a/c/d", Delete: true}, {Path: "a/c/e/f", Data: []byte("1")}, {Path: "none", Delete: true},
		{Path: "z/y/x", Data: []byte("2"), Mode: model.ModeExecutable}, {Path: "a/b", Delete: true},
		{Path: "a/b.c", Delete: true}, {Path: "a/c/e/f", Delete: true}, {Path: "a", Data: []byte("3")},
	} {
		tr = tr.With(c)
		files[c.Path] = model.File{Path: c.Path, Mode: c.Mode, Data: c.Data}
		if c.Delete {
			delete(files, c.Path)
		}
		if want := Of(slices.Collect(maps.Values(files))...); tr.Hash() != want.Hash() {
			t.Errorf("after %s: %v is %s, want %s", c.Path, tr.Paths(), tr.Hash(), want.Hash())
		}
	}
}

func TestUnder(t *testing.T) {
	tr := Of(model.File{Path: "a-b"}, model.File{Path: "a/b"}, model.File{Path: "a/c/d"}, model.File{Path: "a0"})
	if diff := cmp.Diff([]string{"a/b", "a/c/d"}, tr.Under("a")); diff != "" {
		t.Error(diff)
	}
	if got := tr.Under("a/b"); len(got) > 0 {
		t.Errorf("below a file: %v", got)
	}
}

func large() []model.File {
	var files []model.File
	for i := range 20000 {
		files = append(files, model.File{Path: fmt.Sprintf("d%d/e%d/f%d.go", i%40, i%700, i), Data: fmt.Append(nil, i)})
	}
	return files
}

// BenchmarkNew hashes a tree of 20,000 files.
func BenchmarkNew(b *testing.B) {
	files := large()
	for b.Loop() {
		Of(files...)
	}
}

// BenchmarkWith changes 5 of 20,000 files.
func BenchmarkWith(b *testing.B) {
	tr := Of(large()...)
	var changes []model.TreeChange
	for _, p := range tr.Paths()[:5] {
		changes = append(changes, model.TreeChange{Path: p, Data: []byte("x")})
	}
	for b.Loop() {
		tr.With(changes...)
	}
}
