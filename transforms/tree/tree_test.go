package tree

import (
	"os"
	"os/exec"
	"path/filepath"
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
