package patch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// archive reads a case; <CR> and <TAB> stand for the characters.
func archive(t *testing.T, name string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = strings.NewReplacer("<CR>", "\r", "<TAB>", "\t").Replace(string(f.Data))
	}
	return files
}

func TestCaseNoFinalNewline(t *testing.T) {
	files := archive(t, "patch-01-no-final-newline")
	text := strings.TrimSuffix(files["patch"], "\n")
	p, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := applied(t, p, model.File{Path: "a.txt", Data: []byte(files["a.txt"])})
	if diff := cmp.Diff(map[string]string{"a.txt": files["want/a.txt"]}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCaseCRLF(t *testing.T) {
	files := archive(t, "patch-02-crlf")
	old := model.File{Path: "a.txt", Mode: model.ModeFile, Data: []byte(files["a.txt"])}
	new := model.File{Path: "a.txt", Mode: model.ModeFile, Data: []byte(files["want/a.txt"])}
	f, ok := DiffFiles(old, new)
	if !ok {
		t.Fatal("no difference")
	}
	p, err := Parse([]byte(Patch{Files: []File{f}}.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.txt": files["want/a.txt"]}, applied(t, p, old)); diff != "" {
		t.Errorf("forward: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a.txt": files["a.txt"]}, applied(t, p.Reverse(), new)); diff != "" {
		t.Errorf("back: %s", diff)
	}
	if _, _, lines := p.Profile(); lines != 2 {
		t.Errorf("%d changed lines, want 2", lines)
	}
}

// applied is what p makes of files, by path.
func applied(t *testing.T, p Patch, files ...model.File) map[string]string {
	t.Helper()
	before := tree.Of(files...)
	res, err := Apply(p, before)
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, before.With(res.Changes...))
}

func contents(t *testing.T, tr *tree.Tree) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, path := range tr.Paths() {
		f, _, err := tr.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(f.Data)
	}
	return out
}

// TestCaseQuotedNames: names that git quotes are those of files, a tab included.
func TestCaseQuotedNames(t *testing.T) {
	p, err := Parse([]byte(archive(t, "patch-04-quoted-names")["patch"]))
	if err != nil {
		t.Fatal(err)
	}
	file := func(path, text string) model.File {
		return model.File{Path: path, Mode: model.ModeFile, Data: []byte(text)}
	}
	got := applied(t, p, file("t\u00e9st.py", "x = 1\n"), file("x b/y.txt", "y\n"), file("tab\tname.txt", "a\n"))
	want := map[string]string{"t\u00e9st.py": "x = 2\n", "x b/y.txt": "y\n", "tab\tname.txt": "b\n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestCasesRead holds what is read of each header against the case's words, before and after a
// round trip.
func TestCasesRead(t *testing.T) {
	for _, name := range []string{"patch-03-spaces-and-no-hunks", "patch-04-quoted-names", "patch-05-symlink-and-mode", "patch-06-submodule"} {
		t.Run(name, func(t *testing.T) {
			files := archive(t, name)
			p, err := Parse([]byte(files["patch"]))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(files["want"], words(p)); diff != "" {
				t.Error(diff)
			}
			again, err := Parse([]byte(p.String()))
			if diff := cmp.Diff(p, again); err != nil || diff != "" {
				t.Errorf("round trip: %v\n%s", err, diff)
			}
		})
	}
}

func words(p Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		switch {
		case f.Binary:
			fmt.Fprintf(&b, "binary %s\n", f.Path())
		case f.NewMode == model.ModeSubmodule:
			fmt.Fprintf(&b, "submodule %s\n", f.New)
		case f.Change == Added && f.NewMode == model.ModeSymlink:
			fmt.Fprintf(&b, "symlink-added %s -> %s\n", f.New, f.Hunks[0].Lines[0].Text)
		case f.Change == Renamed:
			fmt.Fprintf(&b, "renamed %s -> %s\n", f.Old, f.New)
		case f.Change == Mode && strings.HasSuffix(f.New, ".sh"):
			fmt.Fprintf(&b, "mode %s %o -> %o\n", f.New, f.OldMode, f.NewMode)
		default:
			fmt.Fprintf(&b, "%s %s\n", f.Change, f.Path())
		}
	}
	return b.String()
}

func TestCaseSymlinkIsNotALine(t *testing.T) {
	p, err := Parse([]byte(archive(t, "patch-05-symlink-and-mode")["patch"]))
	if err != nil {
		t.Fatal(err)
	}
	files, hunks, lines := p.Profile()
	if diff := cmp.Diff([]int{2, 0, 0}, []int{files, hunks, lines}); diff != "" {
		t.Errorf("files, hunks, lines: %s", diff)
	}
	got := tree.Of(model.File{Path: "run.sh", Data: []byte("#!/bin/sh\n")})
	res, err := Apply(p, got)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.TreeChange{
		{Path: "current", Mode: model.ModeSymlink, Data: []byte("releases/v2")},
		{Path: "run.sh", Mode: model.ModeExecutable, Data: []byte("#!/bin/sh\n")},
	}
	if diff := cmp.Diff(want, res.Changes); diff != "" {
		t.Error(diff)
	}
}

func TestCaseSubmodule(t *testing.T) {
	p, err := Parse([]byte(archive(t, "patch-06-submodule")["patch"]))
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]string{"src/a.py": "a = 1\n"}
	before := tree.New([]model.TreeEntry{
		{Path: "src/a.py", Mode: model.ModeFile, Hash: tree.BlobHash([]byte("a = 1\n"))},
		{Path: "vendor/lib", Mode: model.ModeSubmodule, Hash: model.Hash(strings.Repeat("1", 40))},
	}, func(e model.TreeEntry) ([]byte, error) { return []byte(data[e.Path]), nil })
	res, err := Apply(p, before)
	if err != nil {
		t.Fatal(err)
	}
	after := before.With(res.Changes...)
	if e, _ := after.Entry("vendor/lib"); e.Mode != model.ModeSubmodule || e.Hash != model.Hash(strings.Repeat("2", 40)) {
		t.Errorf("submodule is %+v", e)
	}
	back, err := Diff(after, before, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if files, _, lines := back.Profile(); files != 2 || lines != 2 {
		t.Errorf("back: %d files and %d lines, want 2 and 2", files, lines)
	}
	res, err = Apply(back, after)
	if err != nil || after.With(res.Changes...).Hash() != before.Hash() {
		t.Errorf("back: %v, tree differs", err)
	}
	elsewhere := before.With(model.TreeChange{Path: "vendor/lib", Mode: model.ModeSubmodule, Data: []byte(strings.Repeat("3", 40))})
	if _, err := Apply(p, elsewhere); err == nil {
		t.Error("patch of a submodule at another commit applies")
	}
}
