package ecma

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

var update = flag.Bool("update", false, "rewrite the expected trees")

// files is a tree of paths and contents in turn.
func files(kv ...string) *tree.Tree {
	var out []model.File
	for i := 0; i+1 < len(kv); i += 2 {
		out = append(out, model.File{Path: kv[i], Mode: model.ModeFile, Data: []byte(kv[i+1])})
	}
	return tree.Of(out...)
}

// unpack reads the hidden tests (ids, one a line) and the trees "in" and "out" of an archive.
func unpack(a *txtar.Archive) (hidden []model.Surface, in, out *tree.Tree) {
	var before, after []model.File
	for _, f := range a.Files {
		if f.Name == "hidden" {
			for line := range strings.Lines(string(f.Data)) {
				if u, fn := JavaScript.Function(strings.TrimRight(line, "\n")); fn != "" {
					hidden = append(hidden, model.Surface{Path: u, Function: fn, Unit: u})
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
			for _, h := range hidden {
				found, err := TypeScript.Surfaces(in, h.Path)
				if err != nil {
					t.Fatal(err)
				}
				if f, ok := TypeScript.Titled(h.Path+separator+h.Function, functions(found)); !ok || f != h.Function {
					t.Errorf("%s is no test of %s", h.Function, h.Path)
				}
			}
			changes, err := TypeScript.Hide(in, hidden)
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
			again, err := TypeScript.Hide(got, hidden)
			if err != nil || len(again) > 0 {
				t.Errorf("hiding again changes %d files, error %v", len(again), err)
			}
			for _, c := range changes {
				if err := TypeScript.Syntax(c.Path, c.Data); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func functions(surfaces []model.Surface) []string {
	var out []string
	for _, s := range surfaces {
		out = append(out, s.Function)
	}
	return out
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
	src := "import a, { b,\r\n  c } from 'm'\r\n\r\ntest('x', () => { a(b) })\r\n\r\ntest('y', () => { c() })"
	want := "import {   c } from 'm'\r\n\r\ntest('y', () => { c() })"
	in := files("a.test.js", src)
	changes, err := JavaScript.Hide(in, []model.Surface{{Path: "a.test.js", Function: "x"}})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	if diff := cmp.Diff(strings.Replace(want, "{   c", "{ c", 1), string(changes[0].Data)); diff != "" {
		t.Error(diff)
	}
}

// A file that does not parse is not rewritten.
func TestHideBroken(t *testing.T) {
	in := files("a.test.js", "test('x', () => {})\nconst = 1\n")
	if changes, err := JavaScript.Hide(in, []model.Surface{{Path: "a.test.js", Function: "x"}}); err == nil {
		t.Errorf("%d changes", len(changes))
	}
}

// Whatever the source, what is left parses, hiding again changes nothing, and the tests that
// were not hidden are all there.
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
			if isSource(file.Name) {
				f.Add(file.Data, uint8(1))
			}
		}
	}
	f.Add([]byte("if (x) test('a', () => {}); else test('b', () => {})\n"), uint8(1))
	f.Add([]byte("const f = (n) => test(n, () => {});f('a');f('b')\n;[1].map(x => it(`${x}`, () => {}))\n"), uint8(2))
	f.Add([]byte("a()\ntest('a', f)\n(b)\n"), uint8(255))
	f.Fuzz(func(t *testing.T, src []byte, which uint8) {
		in := tree.Of(model.File{Path: "a.test.ts", Data: src}, model.File{Path: "b.test.ts", Data: []byte("import './a.test'\n")})
		all, err := TypeScript.Surfaces(in, "a.test.ts")
		if err != nil {
			return
		}
		var hidden []model.Surface
		for i, s := range all {
			if which>>(i%8)&1 == 1 {
				hidden = append(hidden, s)
			}
		}
		changes, err := TypeScript.Hide(in, hidden)
		if err != nil {
			t.Fatalf("hide: %v\n%s", err, src)
		}
		out := in.With(changes...)
		left, ok, _ := out.Read("a.test.ts")
		if !ok {
			return
		}
		if err := TypeScript.Syntax("a.test.ts", left.Data); err != nil && bridged(src) == nil {
			t.Fatalf("%v\n%s\nbecame\n%s", err, src, left.Data)
		}
		rest, err := TypeScript.Surfaces(out, "a.test.ts")
		if err != nil || len(rest) > len(all)-len(hidden) {
			t.Fatalf("%d tests of %d less %d: %v\n%s\nbecame\n%s", len(rest), len(all), len(hidden), err, src, left.Data)
		}
		if bytes.Equal(left.Data, src) && len(hidden) > 0 {
			t.Fatalf("nothing went of\n%s", src)
		}
	})
}
