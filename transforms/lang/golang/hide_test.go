package golang

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

var update = flag.Bool("update", false, "rewrite what is wanted in testdata")

// Each case of testdata/hide is a tree, the keys of what is hidden, and the files that change.
func TestHide(t *testing.T) {
	cases, err := filepath.Glob("testdata/hide/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("cases: %d, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(c), ".txtar"), func(t *testing.T) { hideCase(t, c) })
	}
}

func hideCase(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	var files []model.File
	var hidden []model.Surface
	kept := ar.Files[:0]
	for _, f := range ar.Files {
		name, isWant := strings.CutPrefix(f.Name, "want ")
		switch {
		case isWant:
			want[name] = string(f.Data)
			continue
		case f.Name == "hidden":
			for key := range strings.FieldsSeq(string(f.Data)) {
				p, fn, _ := strings.Cut(key, "::")
				hidden = append(hidden, model.Surface{Path: p, Function: fn})
			}
		default:
			files = append(files, model.File{Path: f.Name, Data: f.Data})
		}
		kept = append(kept, f)
	}
	tr := tree.Of(files...)
	changes, err := Language{}.Hide(tr, hidden)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range changes {
		got[c.Path] = string(c.Data)
		if c.Delete {
			got[c.Path] = "deleted\n"
		}
	}
	if *update {
		ar.Files = kept
		for _, c := range changes {
			ar.Files = append(ar.Files, txtar.File{Name: "want " + c.Path, Data: []byte(got[c.Path])})
		}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	hide(t, tr, hidden)
}

// The trees of testdata compile before and after.
func TestHideCompiles(t *testing.T) {
	for _, name := range []string{"closure", "files"} {
		ar, err := txtar.ParseFile("testdata/hide/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		tr := archive(string(txtar.Format(&txtar.Archive{Files: ar.Files[1:]})))
		for _, p := range tr.Paths() {
			if strings.HasPrefix(p, "want ") {
				tr = tr.With(model.TreeChange{Path: p, Delete: true})
			}
		}
		if out, err := compile(t, tr); err != nil {
			t.Fatalf("%s before: %v\n%s", name, err, out)
		}
		var hidden []model.Surface
		for key := range strings.FieldsSeq(string(ar.Files[0].Data)) {
			p, fn, _ := strings.Cut(key, "::")
			hidden = append(hidden, model.Surface{Path: p, Function: fn})
		}
		if out, err := compile(t, hide(t, tr, hidden)); err != nil {
			t.Errorf("%s after: %v\n%s", name, err, out)
		}
	}
}

// A test that stays and calls a hidden one keeps it from going.
func TestHideEntangled(t *testing.T) {
	tr := archive(`
-- go.mod --
module m
-- a_test.go --
package m

import "testing"

func TestA(t *testing.T) {}

func TestB(t *testing.T) { t.Run("a", TestA) }
`)
	_, err := Language{}.Hide(tr, []model.Surface{{Path: "a_test.go", Function: "TestA"}})
	var f *model.Fault
	if !errors.As(err, &f) || f.Reason != model.TestsEntangled {
		t.Errorf("error %v", err)
	}
	changes, err := Language{}.Hide(tr, []model.Surface{{Path: "a_test.go", Function: "TestA"}, {Path: "a_test.go", Function: "TestB"}})
	if err != nil || len(changes) != 1 || !changes[0].Delete {
		t.Errorf("both hidden: %v, %v", changes, err)
	}
}

// Whatever parses can be hidden from: the result parses, and a second time changes nothing.
func FuzzHide(f *testing.F) {
	cases, err := filepath.Glob("testdata/hide/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		ar, err := txtar.ParseFile(c)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, "_test.go") {
				f.Add(file.Data, uint8(1))
			}
		}
	}
	f.Add([]byte("package m;import\"testing\";func TestA(*testing.T){};func TestB(*testing.T){x()};func x(){};var(a,b=1,2;c=3)"), uint8(2))
	f.Fuzz(func(t *testing.T, src []byte, mask uint8) {
		tr := tree.Of(model.File{Path: "go.mod", Data: []byte("module m\n")}, model.File{Path: "a_test.go", Data: src})
		surfaces, err := Language{}.Surfaces(tr, "a_test.go")
		if err != nil {
			t.Skip("does not parse")
		}
		var hidden []model.Surface
		for i, s := range surfaces {
			if i > 7 || mask&(1<<i) != 0 {
				hidden = append(hidden, s)
			}
		}
		if len(hidden) == 0 {
			return
		}
		changes, err := Language{}.Hide(tr, hidden)
		var fault *model.Fault
		if errors.As(err, &fault) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err := Language{}.Surfaces(tr.With(changes...), "a_test.go")
		deleted := len(changes) == 1 && changes[0].Delete
		if err != nil && !deleted {
			t.Fatal(err)
		}
		for _, h := range hidden {
			for _, s := range left {
				if s.Function == h.Function {
					t.Errorf("%s is still there", s.Function)
				}
			}
		}
		if again, err := (Language{}).Hide(tr.With(changes...), hidden); err != nil || len(again) > 0 {
			t.Errorf("hiding again: %v, %v", again, err)
		}
	})
}
