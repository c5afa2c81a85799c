package golang

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A marker in the project's source, looked for in the environment.
const marker = "QUITE_UNLIKELY_MARKER_OF_THE_PROJECT"

var project = archive(`
-- go.mod --
module example.com/m

go 1.24

require example.com/dep v1.2.3
-- go.sum --
-- m.go --
// Package m is QUITE_UNLIKELY_MARKER_OF_THE_PROJECT.
package m

import (
	"net/url"

	"example.com/dep"
)

func M() string { return dep.Name() + "QUITE_UNLIKELY_MARKER_OF_THE_PROJECT" + url.PathEscape("x") }
-- m_test.go --
package m

import (
	"html"
	"testing"
)

func TestM(t *testing.T) { _ = html.EscapeString(""); _ = M() }
-- cmd/tool/main.go --
package main

func main() {}
-- nested/go.mod --
module example.com/m/nested

go 1.25

require example.com/m v0.0.0

replace example.com/m => ../
-- nested/deep/deep_test.go --
package deep

import (
	"testing"

	"example.com/m"
)

func TestDeep(t *testing.T) { _ = m.M() }
-- stale/go.mod --
module example.com/m/stale

go 1.24

require example.com/m v0.1.0
-- stale/stale_test.go --
package stale
`)

// proxy serves example.com/dep v1.2.3 from a folder.
func proxy(t *testing.T) string {
	t.Helper()
	src, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/dep\n\ngo 1.24\n",
		"dep.go": "package dep\n\nfunc Name() string { return \"dep\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := filepath.Join(dir, "example.com/dep/@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	if err := zip.CreateFromDir(&z, module.Version{Path: "example.com/dep", Version: "v1.2.3"}, src); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte("v1.2.3\n"), "v1.2.3.info": []byte(`{"Version":"v1.2.3"}`),
		"v1.2.3.mod": []byte("module example.com/dep\n\ngo 1.24\n"), "v1.2.3.zip": z.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + dir
}

// The environment holds what the tests need and nothing of the project; then everything runs
// without a network.
func TestRecipePrepares(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a part of the standard library")
	}
	m := newMachine(t)
	m.extra = []string{"GOPROXY=" + proxy(t), "GOSUMDB=off"}
	tr := project
	tidy := &machine{t: t, env: t.TempDir(), testbed: t.TempDir(), extra: m.extra}
	writeTree(t, tr, tidy.testbed)
	for _, dir := range []string{"", "nested"} {
		if o := tidy.do(model.Command{Argv: []string{"go", "mod", "tidy"}, Env: environment(), Dir: dir}, 0); o.ExitCode != 0 {
			t.Fatalf("tidy: %s", o.Log)
		}
	}
	for _, p := range []string{"go.sum", "nested/go.mod", "nested/go.sum"} {
		data, err := os.ReadFile(filepath.Join(tidy.testbed, p))
		if err != nil {
			t.Fatal(err)
		}
		tr = tr.With(model.TreeChange{Path: p, Data: data})
	}

	var l Language
	rec, err := l.Recipe(tr)
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, tree.Of(rec.Manifests...), m.testbed)
	for _, c := range rec.Prepare {
		if o := m.do(c, 0); o.ExitCode != 0 {
			t.Fatalf("%v: %s", c.Argv, o.Log)
		}
	}
	lock := m.do(rec.Lock, 0).Report
	if again := m.do(rec.Lock, 0).Report; !bytes.Equal(lock, again) {
		t.Errorf("locks differ:\n%s\n%s", lock, again)
	}
	if !bytes.Contains(lock, []byte("example.com/dep v1.2.3 h1:")) {
		t.Errorf("lock:\n%s", lock)
	}
	search(t, m.env, false)
	before := objects(t, m.env)

	m.extra = nil
	writeTree(t, tr, m.testbed)
	for _, c := range rec.Protocol.Build {
		if o := m.do(c, 0); o.ExitCode != 0 {
			t.Fatalf("%v: %s", c.Argv, o.Log)
		}
	}
	if o := m.do(rec.Probe, 0); o.ExitCode != 0 {
		t.Errorf("probe: %s", o.Log)
	}
	for _, u := range []string{"example.com/m", "example.com/m/nested/deep"} {
		r := model.Run{Unit: u}
		r.Command = l.Command(rec.Protocol, r)
		if got := l.Read(r, m.do(r.Command, 0)); !got.Complete || !got.Agrees || len(got.Checks) != 1 {
			t.Errorf("%s: %+v", u, got)
		}
	}
	search(t, m.env, true) // that the search would have found it
	// The tree's packages, their test variants and mains make some twenty; a cold standard
	// library makes several hundred.
	if n := objects(t, m.env) - before; n > 40 {
		t.Errorf("%d objects compiled for a state: the standard library was not warm", n)
	}
	if _, err := os.Stat(filepath.Join(m.testbed, "tool")); err == nil {
		t.Error("the build wrote a command into the tree")
	}
	if err := os.WriteFile(filepath.Join(m.testbed, "go.mod"), []byte("module example.com/other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := m.do(rec.Probe, 0); o.ExitCode == 0 {
		t.Error("probe passes over another tree")
	}
}

// search looks for the marker in every file below dir.
func search(t *testing.T, dir string, want bool) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte(marker)) {
			found = true
			if !want {
				t.Errorf("%s holds text of the project", p)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found != want {
		t.Errorf("marker found: %v", found)
	}
}

func objects(t *testing.T, env string) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(env, "cache", "??", "*-a"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestRecipe(t *testing.T) {
	rec, err := Language{}.Recipe(project)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Toolchain != "go1.25" {
		t.Errorf("toolchain %s", rec.Toolchain)
	}
	// stale takes the project from a release: its tests say nothing about the tree.
	want := []model.Root{{Unit: "example.com/m", Dir: "."}, {Unit: "example.com/m/nested", Dir: "nested"}}
	if d := cmp.Diff(want, rec.Protocol.Roots); d != "" {
		t.Error(d)
	}
	want2 := []string{"go", "list", "-e", "-export", "-deps", "-f", `{{""}}`,
		"example.com/dep", "html", "net/url", "os", "reflect", "runtime", "testing", "testing/internal/testdeps"}
	if d := cmp.Diff(want2, rec.Prepare[1].Argv); d != "" {
		t.Error(d)
	}
	c := Language{}.Command(rec.Protocol, model.Run{Unit: "example.com/m/nested/deep", Only: []string{"TestA", "TestB/x y"}, With: []string{"TestG"}, Order: 3})
	wantArgv := []string{"go", "test", "-json", "-count=1", "-vet=off", "-gcflags=example.com/m/...=-e", "-gcflags=example.com/m/nested/...=-e",
		"-timeout=0s", "-run=^TestA$|^TestB$/^x y$|^TestG$", "-shuffle=3", "example.com/m/nested/deep"}
	if d := cmp.Diff(wantArgv, c.Argv); d != "" || c.Dir != "nested" || !c.ReportStdout {
		t.Error(d, c.Dir)
	}
	if rec.ID() != mustRecipe(t, project).ID() {
		t.Error("two recipes of one tree differ")
	}
}

func mustRecipe(t *testing.T, tr *tree.Tree) model.Recipe {
	t.Helper()
	rec, err := Language{}.Recipe(tr)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRecipeVendored(t *testing.T) {
	rec := mustRecipe(t, project.With(
		model.TreeChange{Path: "vendor/modules.txt", Data: []byte("# example.com/dep v1.2.3\n")},
		model.TreeChange{Path: "nested/go.mod", Delete: true}, model.TreeChange{Path: "stale/go.mod", Delete: true},
	))
	for _, c := range rec.Prepare {
		if line := strings.Join(c.Argv, " "); strings.Contains(line, "mod download") || strings.Contains(line, "example.com/dep") {
			t.Errorf("vendored tree downloads: %s", line)
		}
	}
}

func TestRecipeFaults(t *testing.T) {
	for name, text := range map[string]string{
		"no go.mod":      "-- a.go --\npackage a\n",
		"no tests":       "-- go.mod --\nmodule m\n-- a.go --\npackage a\n",
		"malformed":      "-- go.mod --\nmodule m\nrequire (\n-- a_test.go --\npackage a\n",
		"outside folder": "-- go.mod --\nmodule m\n\nreplace x.y/z => ../../z\n-- a_test.go --\npackage a\n",
	} {
		_, err := Language{}.Recipe(archive(text))
		var f *model.Fault
		if !errors.As(err, &f) || f.Reason != model.EnvironmentFailed || f.Stage != model.StageEnvironment {
			t.Errorf("%s: %v", name, err)
		}
	}
}
