package jvmsource

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

var update = flag.Bool("update", false, "rewrite the expected trees")

// files is a tree of paths and contents in turn.
func files(pairs ...string) *tree.Tree {
	var out []model.File
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, model.File{Path: pairs[i], Mode: model.ModeFile, Data: []byte(pairs[i+1])})
	}
	return tree.Of(out...)
}

// unpack reads the hidden functions and the trees "in" and "out" of an archive.
func unpack(a *txtar.Archive) (hidden []model.Surface, in, out *tree.Tree) {
	var before, after []string
	for _, f := range a.Files {
		if f.Name == "hidden" {
			for line := range strings.Lines(string(f.Data)) {
				if p, function, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
					hidden = append(hidden, model.Surface{Path: p, Function: function})
				}
			}
		} else if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			before = append(before, p, string(f.Data))
		} else if p, ok := strings.CutPrefix(f.Name, "out/"); ok {
			after = append(after, p, string(f.Data))
		}
	}
	return hidden, files(before...), files(after...)
}

func render(t *testing.T, files *tree.Tree) string {
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
				all, err := Surfaces(in, h.Path)
				if err != nil {
					t.Fatal(err)
				}
				if !has(all, h.Function) {
					t.Errorf("%s has no test %s", h.Path, h.Function)
				}
			}
			changes, err := Hide(in, hidden)
			if err != nil {
				t.Fatal(err)
			}
			got := in.With(changes...)
			if *update {
				rewrite(t, name, a, render(t, got))
				return
			}
			if diff := cmp.Diff(render(t, out), render(t, got)); diff != "" {
				t.Errorf("hidden tree (-want +got):\n%s", diff)
			}
			again, err := Hide(got, hidden)
			if err != nil || len(again) > 0 {
				t.Errorf("hiding again changes %d files, error %v", len(again), err)
			}
		})
	}
}

func has(all []model.Surface, function string) bool {
	for _, s := range all {
		if s.Function == function {
			return true
		}
	}
	return false
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

// Line ends, a missing last one and what shares a line are the file's own.
func TestHideBytes(t *testing.T) {
	for _, tt := range []struct{ name, path, src, want string }{
		{"carriage returns", "src/test/java/ATest.java",
			"import org.junit.Test;\r\n\r\npublic class ATest {\r\n\r\n    @Test\r\n    public void a() { }\r\n\r\n    @Test\r\n    public void b() { }\r\n}",
			"import org.junit.Test;\r\n\r\npublic class ATest {\r\n    @Test\r\n    public void b() { }\r\n}"},
		{"one line", "src/test/java/ATest.java",
			"import org.junit.*; class ATest { @Test public void a() { } /* b */ @Test public void b() { } }\n",
			"import org.junit.*; class ATest { /* b */ @Test public void b() { } }\n"},
		{"tabs of Kotlin", "src/test/kotlin/ATest.kt",
			"import kotlin.test.*\nclass ATest {\n\t@Test fun a() {} // a\n\n\t/* b */ @Test fun b() {}\n}\n",
			"import kotlin.test.*\nclass ATest {\n\t/* b */ @Test fun b() {}\n}\n"},
	} {
		changes, err := Hide(files(tt.path, tt.src), []model.Surface{{Path: tt.path, Function: "ATest#a"}})
		if err != nil || len(changes) != 1 {
			t.Fatal(tt.name, changes, err)
		}
		if diff := cmp.Diff(tt.want, string(changes[0].Data)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestHideFaults(t *testing.T) {
	base := "package a; public abstract class Base { @org.junit.Test public void t() { } }\n"
	for _, tt := range []struct {
		name  string
		files []string
	}{
		{"another class inherits it", []string{"src/test/java/a/Base.java", base,
			"src/test/java/a/OneTest.java", "package a; public class OneTest extends Base { }\n",
			"src/test/java/a/TwoTest.java", "package a; public class TwoTest extends Base { }\n"}},
		{"a test calls it", []string{"src/test/java/a/OneTest.java",
			"package a; public class OneTest { @org.junit.Test public void t() { } @org.junit.Test public void u() { t(); } }\n"}},
	} {
		_, err := Hide(files(tt.files...), []model.Surface{{Path: "src/test/java/a/OneTest.java", Function: "a.OneTest#t"}})
		if f := (*model.Fault)(nil); !errors.As(err, &f) || f.Reason != model.TestsEntangled {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	_, err := Hide(files("src/test/java/ATest.java", "class ATest { @Test void a() { } ( }\n"), []model.Surface{{Path: "src/test/java/ATest.java", Function: "ATest#a"}})
	if err == nil || !strings.Contains(err.Error(), "syntax error at line 1") {
		t.Errorf("a file with a syntax error: %v", err)
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
			if strings.HasPrefix(file.Name, "in/") && Parsed(file.Name) {
				f.Add(file.Data, strings.HasSuffix(file.Name, ".kt"), uint8(1))
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, kotlin bool, which uint8) {
		p := "src/test/java/ATest.java"
		if kotlin {
			p = "src/test/kotlin/ATest.kt"
		}
		in := files(p, string(src), "src/test/java/BTest.java", "class BTest extends ATest { void b() { helper(ATest.x); } }\n")
		all, err := Surfaces(in, p)
		if err != nil {
			return
		}
		if _, err := Symbols(in, p); err != nil {
			t.Fatalf("symbols: %v", err)
		}
		if _, err := Names(in, p, []model.Symbol{{Path: "src/main/java/a/B.java", Name: "B.c"}, {Path: "b.kt", Name: "f"}}); err != nil {
			t.Fatalf("names: %v", err)
		}
		var hidden []model.Surface
		for i, s := range all {
			if which>>(i%8)&1 == 1 {
				hidden = append(hidden, s)
			}
		}
		changes, err := Hide(in, hidden)
		if err != nil {
			if f := (*model.Fault)(nil); errors.As(err, &f) {
				return
			}
			t.Fatalf("hide: %v\n%s", err, src)
		}
		out := in.With(changes...)
		if again, err := Hide(out, hidden); err != nil || len(again) > 0 {
			left, _, _ := out.Read(p)
			t.Fatalf("hiding again: %v %d\n%s\nbecame\n%s", err, len(again), src, left.Data)
		}
		left, err := Surfaces(out, p)
		if _, ok, _ := out.Read(p); ok && (err != nil || len(left) != len(all)-len(hidden)) {
			t.Fatalf("%d tests, %d hidden, %d left, %v\n%s", len(all), len(hidden), len(left), err, src)
		}
	})
}
