package patch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

func parsed(t *testing.T, text string) Patch {
	t.Helper()
	p, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlace holds positions against what git apply does with the same input.
func TestPlace(t *testing.T) {
	const middle = "@@ -5,3 +5,3 @@\n k\n-a\n+b\n k\n"
	tests := []struct {
		name, file, hunk, want string
		place                  Place // of a success
	}{
		{"where it says", "1\n2\n3\n4\nk\na\nk\n8\n", middle, "1\n2\n3\n4\nk\nb\nk\n8\n", Place{Line: 5}},
		{"further down", "1\n2\n3\n4\n5\n6\nk\na\nk\n8\n", middle, "1\n2\n3\n4\n5\n6\nk\nb\nk\n8\n", Place{Line: 7, Offset: 2}},
		{"forwards first at equal distance", "1\nk\na\nk\n5\n6\n7\nk\na\nk\n", middle, "1\nk\na\nk\n5\n6\n7\nk\nb\nk\n", Place{Line: 8, Offset: 3, Ambiguous: true}},
		{"nearer backwards", "1\n2\nk\na\nk\n6\n7\nk\na\nk\n", middle, "1\n2\nk\nb\nk\n6\n7\nk\na\nk\n", Place{Line: 3, Offset: -2, Ambiguous: true}},
		{"start is anchored", "0\na\nk\n", "@@ -1,2 +1,2 @@\n-a\n+b\n k\n", "", Place{}},
		{"end is anchored", "1\n2\nk\na\n5\n", "@@ -3,2 +3,2 @@\n k\n-a\n+b\n", "", Place{}},
		{"end moves with the file", "1\n2\n3\n4\nk\na\n", "@@ -3,2 +3,2 @@\n k\n-a\n+b\n", "1\n2\n3\n4\nk\nb\n", Place{Line: 5, Offset: 2}},
		{"no fuzz", "1\n2\n3\n4\nK\na\nk\n", middle, "", Place{}},
		{"white space counts", "1\n2\n3\n4\nk \na\nk\n", middle, "", Place{}},
		{"carriage return counts", "1\n2\n3\n4\nk\r\na\r\nk\r\n", middle, "", Place{}},
		{"line end at the end counts", "1\n2\n3\n4\nk\na\nk", middle, "", Place{}},
		{"a last line without end is no line with one", "a\nk\nx\n", "@@ -1,2 +1,2 @@\n-a\n+b\n k\n\\ No newline at end of file\n", "", Place{}},
		{"line end removed", "a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a", Place{Line: 1}},
		{"into an empty file", "", "@@ -0,0 +1 @@\n+b\n", "b\n", Place{Line: 1}},
		{"empty hunk place taken", "a\n", "@@ -0,0 +1 @@\n+b\n", "", Place{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := tree.Of(model.File{Path: "f", Data: []byte(tt.file)})
			res, err := Apply(parsed(t, "--- a/f\n+++ b/f\n"+tt.hunk), before)
			if tt.place == (Place{}) {
				if c := (Conflict{}); !errors.As(err, &c) || c.Path != "f" || c.Hunk != 0 {
					t.Fatalf("got %v and %+v, want a conflict of the hunk", err, res)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			tt.place.Path = "f"
			if diff := cmp.Diff([]Place{tt.place}, res.Places); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want, string(res.Changes[0].Data)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrittenLinesMatchNoFurtherHunk(t *testing.T) {
	p := parsed(t, "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n k\n-a\n+b\n k\n@@ -6,3 +6,3 @@\n k\n-b\n+c\n k\n")
	_, err := Apply(p, tree.Of(model.File{Path: "f", Data: []byte("1\nk\na\nk\n5\n6\n")}))
	if c := (Conflict{}); !errors.As(err, &c) || c.Hunk != 1 {
		t.Errorf("got %v, want a conflict of the second hunk", err)
	}
}

var refusals = []struct{ name, patch, detail string }{
	{"parent", "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+b\n", "not a plain relative path"},
	{"absolute", "diff --git a//etc/passwd b//etc/passwd\nnew file mode 100644\n", "not a plain relative path"},
	{"dot", "--- /dev/null\n+++ b/./x\n@@ -0,0 +1 @@\n+b\n", "not a plain relative path"},
	{"git's own", "--- /dev/null\n+++ b/d/.GIT/hooks/x\n@@ -0,0 +1 @@\n+b\n", "is git's own"},
	{"control", "diff --git \"a/x\\001\" \"b/x\\001\"\nnew file mode 100644\n", "control character"},
	{"newline in a name", "diff --git \"a/x\\n\" \"b/x\\n\"\nnew file mode 100644\n", "control character"},
	{"delete in a name", "diff --git \"a/x\\177\" \"b/x\\177\"\nnew file mode 100644\n", "control character"},
	{"below a new link of an odd mode", "diff --git a/l b/l\nnew file mode 120777\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+b\n", "below the symbolic link l"},
	{"rename out", "diff --git a/f b/f\nrename from f\nrename to ../f\n", "not a plain relative path"},
	{"exists", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", "already exists"},
	{"twice", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+b\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+c\n", "already exists"},
	{"rename onto", "diff --git a/f b/d/g\nrename from f\nrename to d/g\n", "already exists"},
	{"missing", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n", "does not exist"},
	{"deleted before", "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "does not exist"},
	{"deletion in part", "diff --git a/d/g b/d/g\ndeleted file mode 100644\n--- a/d/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "not there"},
	{"deletion of contents unseen", "diff --git a/f b/f\ndeleted file mode 100644\n", "leaves contents"},
	{"below a link", "--- /dev/null\n+++ b/link/x\n@@ -0,0 +1 @@\n+b\n", "below the symbolic link link"},
	{"below a new link", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+b\n", "below the symbolic link l"},
	{"through a link", "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-d\n\\ No newline at end of file\n+e\n", ""},
	{"link as file", "diff --git a/link b/link\nindex 1..2 100644\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-a\n+b\n", "has mode 120000, not 100644"},
	{"type", "diff --git a/f b/f\nold mode 100644\nnew mode 120000\n", "without a deletion"},
	{"tree mode", "diff --git a/n b/n\nnew file mode 040000\n", "is no file's"},
	{"modules link", "diff --git a/.gitmodules b/.gitmodules\nnew file mode 120000\n", "may not be a symbolic link"},
	{"below a file", "--- /dev/null\n+++ b/f/x\n@@ -0,0 +1 @@\n+b\n", "f is a file"},
	{"folder", "--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+b\n", "is a folder"},
	{"binary without contents", "diff --git a/f b/f\nindex " + "78981922613b2afb6025042ff6bd878ac1994e85..61780798228d17af2d34fce4cfbdf35556832472 100644\nBinary files a/f and b/f differ\n", "without contents"},
	{"binary of another", "diff --git a/f b/f\nindex 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n", "is for content"},
	{"binary with short hashes", "diff --git a/f b/f\nindex 11..22 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n", "full hashes"},
}

func refusing() []model.File {
	return []model.File{
		{Path: "f", Mode: model.ModeFile, Data: []byte("a\n")},
		{Path: "d/g", Mode: model.ModeFile, Data: []byte("a\nb\n")},
		{Path: "link", Mode: model.ModeSymlink, Data: []byte("d")},
	}
}

// TestRefusals applies to a tree held as values and to the same in a directory.
func TestRefusals(t *testing.T) {
	readers := map[string]Reader{"tree": tree.Of(refusing()...), "directory": Dir{Root: laid(t, refusing()...)}}
	for _, tt := range refusals {
		for kind, r := range readers {
			t.Run(tt.name+" in a "+kind, func(t *testing.T) {
				res, err := Apply(parsed(t, tt.patch), r)
				if tt.detail == "" { // the link's target changes, and nothing behind it
					want := []model.TreeChange{{Path: "link", Mode: model.ModeSymlink, Data: []byte("e\n")}}
					if diff := cmp.Diff(want, res.Changes); err != nil || diff != "" {
						t.Errorf("%v\n%s", err, diff)
					}
					return
				}
				if c := (Conflict{}); !errors.As(err, &c) || !strings.Contains(c.Detail, tt.detail) {
					t.Errorf("got %v, want %q", err, tt.detail)
				}
			})
		}
	}
}

// laid writes files into a directory and opens it.
func laid(t *testing.T, files ...model.File) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if f.Mode == model.ModeSymlink {
			err = os.Symlink(string(f.Data), full)
		} else {
			err = os.WriteFile(full, f.Data, os.FileMode(f.Mode&0o777))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestSwapAndTypeChange(t *testing.T) {
	before := tree.Of(
		model.File{Path: "a", Data: []byte("1\n")},
		model.File{Path: "b", Data: []byte("2\n")},
		model.File{Path: "c", Data: []byte("3\n")},
		model.File{Path: "d/e", Data: []byte("4\n")},
	)
	p := parsed(t, "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n"+
		"diff --git a/c b/c\ndeleted file mode 100644\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-3\n"+
		"diff --git a/c b/c\nnew file mode 120000\n--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"+
		"diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+5\n"+
		"diff --git a/d/e b/d/e\ndeleted file mode 100644\n--- a/d/e\n+++ /dev/null\n@@ -1 +0,0 @@\n-4\n")
	res, err := Apply(p, before)
	if err != nil {
		t.Fatal(err)
	}
	after := before.With(res.Changes...)
	if diff := cmp.Diff(map[string]string{"a": "2\n", "b": "1\n", "c": "a", "d": "5\n"}, contents(t, after)); diff != "" {
		t.Error(diff)
	}
	res, err = Apply(p.Reverse(), after)
	if err != nil {
		t.Fatal(err)
	}
	if after.With(res.Changes...).Hash() != before.Hash() {
		t.Error("reversed it gives another tree")
	}
}

func TestApplyEachKeepsWhatApplies(t *testing.T) {
	before := tree.Of(
		model.File{Path: "f", Data: []byte("1\nk\na\nk\n5\n6\n7\n8\nk\nx\nk\n")},
		model.File{Path: "g", Data: []byte("g\n")},
	)
	p := parsed(t, "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n k\n-a\n+b\n k\n@@ -9,3 +9,3 @@\n k\n-gone\n+c\n k\n"+
		"--- a/g\n+++ b/g\n@@ -1 +1 @@\n-other\n+h\n"+
		"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n"+
		"--- /dev/null\n+++ b/n/below\n@@ -0,0 +1 @@\n+n\n")
	res, refused, err := ApplyEach(p, before)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"f": "1\nk\nb\nk\n5\n6\n7\n8\nk\nx\nk\n", "g": "g\n", "n": "n\n"}
	if diff := cmp.Diff(want, contents(t, before.With(res.Changes...))); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, c := range refused {
		got = append(got, c.Error())
	}
	wantRefused := []string{
		`apply hunk 2 to f: its lines are not there: "gone\n"`,
		`apply hunk 1 to g: its lines are not there: "other\n"`,
		`apply patch to n/below: n is a file`,
	}
	if diff := cmp.Diff(wantRefused, got); diff != "" {
		t.Error(diff)
	}
}

func TestOneHunkAlone(t *testing.T) {
	p := parsed(t, "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -8,2 +8,2 @@\n c\n-d\n+D\n")
	want := "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -8,2 +8,2 @@\n c\n-d\n+D\n"
	if diff := cmp.Diff(want, p.Hunk(0, 1).String()); diff != "" {
		t.Error(diff)
	}
	want = "diff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1,2 +1,2 @@\n-A\n+a\n b\n"
	if diff := cmp.Diff(want, p.Reverse().Hunk(0, 0).String()); diff != "" {
		t.Errorf("reversed: %s", diff)
	}
	if n := len(p.Hunk(0, 2).Files) + len(p.Hunk(1, 0).Files); n != 0 {
		t.Errorf("%d files of hunks that are not there", n)
	}
}

// FuzzApply applies any patch to a tree with a little of everything: it must not panic, and
// what it takes must leave valid paths and reverse to the same tree.
func FuzzApply(f *testing.F) {
	for _, r := range refusals {
		f.Add(r.patch)
	}
	f.Add("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("diff --git a/d/g b/h\nrename from d/g\nrename to h\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse([]byte(text))
		if err != nil {
			return
		}
		before := tree.Of(refusing()...)
		if _, _, err := ApplyEach(p, before); err != nil {
			t.Fatal(err)
		}
		res, err := Apply(p, before)
		if err != nil {
			return
		}
		after := before.With(res.Changes...)
		for _, path := range after.Paths() {
			if err := checkPath(path, 0); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Diff(before, after, Options{})
		if err != nil {
			t.Fatal(err)
		}
		back, err := Apply(d.Reverse(), after)
		if err != nil {
			t.Fatal(err)
		}
		if after.With(back.Changes...).Hash() != before.Hash() {
			t.Fatal("reversed it gives another tree")
		}
	})
}

func TestCopy(t *testing.T) {
	before := tree.Of(refusing()...)
	p := parsed(t, "diff --git a/f b/c\ncopy from f\ncopy to c\n")
	res, err := Apply(p, before)
	if err != nil {
		t.Fatal(err)
	}
	after := before.With(res.Changes...)
	want := []model.TreeChange{{Path: "c", Mode: model.ModeFile, Data: []byte("a\n")}}
	if diff := cmp.Diff(want, res.Changes); diff != "" {
		t.Error(diff)
	}
	if _, err := Apply(p.Reverse(), after); err == nil {
		t.Error("the reverse of a copy applies")
	}
}
