package python

import (
	"bytes"
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

// unpack reads the hidden functions and the trees "in" and "out" of an archive.
func unpack(a *txtar.Archive) (hidden []model.Surface, in, out *tree.Tree) {
	var before, after []model.File
	for _, f := range a.Files {
		if f.Name == "hidden" {
			for line := range strings.Lines(string(f.Data)) {
				if w := strings.Fields(line); len(w) == 2 {
					hidden = append(hidden, model.Surface{Path: w[0], Function: w[1], Unit: w[0]})
				}
			}
		} else if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			before = append(before, model.File{Path: p, Data: f.Data})
		} else if p, ok := strings.CutPrefix(f.Name, "out/"); ok {
			after = append(after, model.File{Path: p, Data: f.Data})
		}
	}
	return hidden, tree.Of(before...), tree.Of(after...)
}

func text(t *testing.T, files *tree.Tree) string {
	t.Helper()
	var b strings.Builder
	for _, p := range files.Paths() {
		f, _, err := files.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("-- out/" + p + " --\n" + string(f.Data))
	}
	return b.String()
}

func TestHide(t *testing.T) {
	cases, err := filepath.Glob("testdata/hide/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			hidden, in, out := unpack(a)
			changes, err := Language{}.Hide(in, hidden)
			if err != nil {
				t.Fatal(err)
			}
			got := in.With(changes...)
			if *update {
				rewrite(t, name, a, text(t, got))
				return
			}
			if diff := cmp.Diff(text(t, out), text(t, got)); diff != "" {
				t.Errorf("hidden tree (-want +got):\n%s", diff)
			}
			again, err := Language{}.Hide(got, hidden)
			if err != nil || len(again) > 0 {
				t.Errorf("hiding again changes %d files, error %v", len(again), err)
			}
			for _, c := range changes {
				if err := (Language{}).Syntax(c.Path, c.Data); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func rewrite(t *testing.T, name string, a *txtar.Archive, out string) {
	t.Helper()
	var keep []txtar.File
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "out/") {
			keep = append(keep, f)
		}
	}
	a.Files = keep
	if err := os.WriteFile(name, append(txtar.Format(a), out...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Line ends and a last line without one are the file's own.
func TestHideBytes(t *testing.T) {
	src := "import a\r\nfrom b import (c,\r\n    d, e)\r\n\r\n\r\ndef test_x():\r\n    a, d\r\n\r\n\r\ndef test_y():\r\n    c, e"
	want := "from b import (c, e)\r\n\r\n\r\ndef test_y():\r\n    c, e"
	in := files("test_a.py", src)
	changes, err := Language{}.Hide(in, []model.Surface{{Path: "test_a.py", Function: "test_x"}})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	if diff := cmp.Diff(want, string(changes[0].Data)); diff != "" {
		t.Error(diff)
	}
}

// Whatever the source, what is left parses and hiding again changes nothing.
func FuzzHide(f *testing.F) {
	cases, err := filepath.Glob("testdata/hide/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range cases {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if strings.HasSuffix(file.Name, ".py") {
				f.Add(file.Data, uint8(1))
			}
		}
	}
	f.Add([]byte("class TestA:\n  def test_a(self): pass; x = 1\n  def test_b(self):\n    pass\n"), uint8(1))
	f.Add([]byte("if x:\n    def test_a(): pass\nelse:\n    import y\n"), uint8(255))
	f.Fuzz(func(t *testing.T, src []byte, which uint8) {
		in := tree.Of(model.File{Path: "test_a.py", Data: src}, model.File{Path: "test_b.py", Data: []byte("import test_a\n")})
		all, err := Language{}.Surfaces(in, "test_a.py")
		if err != nil {
			return
		}
		var hidden []model.Surface
		for i, s := range all {
			if which>>(i%8)&1 == 1 {
				hidden = append(hidden, s)
			}
		}
		changes, err := Language{}.Hide(in, hidden)
		if err != nil {
			t.Fatalf("hide: %v\n%s", err, src)
		}
		out := in.With(changes...)
		left, ok, _ := out.Read("test_a.py")
		if !ok {
			return
		}
		if err := (Language{}).Syntax("test_a.py", left.Data); err != nil {
			t.Fatalf("%v\n%s\nbecame\n%s", err, src, left.Data)
		}
		again, err := Language{}.Hide(out, hidden)
		if err != nil || len(again) > 0 {
			t.Fatalf("hiding again: %v\n%s\nbecame\n%s", err, left.Data, bytes.Join(datas(again), nil))
		}
	})
}

func datas(changes []model.TreeChange) [][]byte {
	var out [][]byte
	for _, c := range changes {
		out = append(out, c.Data)
	}
	return out
}
