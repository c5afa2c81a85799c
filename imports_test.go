package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/taskmill/taskmill/"

// A room is the packages under a folder and what they may import. Paths of ours are written
// without the module's; a rule of a path holds for everything below it.
type room struct {
	dir     string
	ours    []string // rooms of ours
	foreign []string // modules or packages beyond the standard library
}

const (
	sdk     = "github.com/apache/beam/sdks/v2/go/pkg/beam"
	runners = sdk + "/runners"
)

// rooms is the import table. The first room whose folder holds a package decides.
var rooms = []room{
	{"model", nil, nil},
	{"transforms/lang/langtest", []string{"model", "transforms"}, []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"}},
	{"transforms/lang", []string{"model", "transforms"}, []string{sdk, "github.com/tree-sitter", "github.com/tree-sitter-grammars", "golang.org/x/mod", "github.com/BurntSushi/toml", "gopkg.in/yaml.v3"}},
	{"transforms", []string{"model", "transforms"}, []string{sdk, "github.com/bluekeyes/go-gitdiff", "github.com/aymanbagabas/go-udiff", "golang.org/x/mod", "gopkg.in/yaml.v3", "github.com/BurntSushi/toml"}},
	{"io/gitio", []string{"model", "io"}, []string{sdk, "github.com/go-git/go-git", "github.com/klauspost/compress", "github.com/aymanbagabas/go-udiff"}},
	{"io/sandboxio", []string{"model", "io"}, []string{sdk, "github.com/moby/moby", "github.com/klauspost/compress"}},
	{"io/parquetio", []string{"model", "io"}, []string{sdk, "github.com/parquet-go/parquet-go"}},
	{"io/blobio", []string{"model", "io"}, []string{sdk, "cloud.google.com/go/storage", "google.golang.org/api", "github.com/klauspost/compress"}},
	{"io/treeio", []string{"model", "io"}, []string{"github.com/klauspost/compress"}},
	{"io/sampleio", []string{"model", "io"}, []string{"github.com/rogpeppe/go-internal"}},
	{"io", []string{"model", "io"}, []string{sdk}},
	{"pipelines", []string{"model", "transforms", "io", "pipelines"}, []string{sdk, "golang.org/x/sync"}},
	{"runners", []string{"model", "pipelines", "runners"}, []string{sdk, "golang.org/x/sync", "google.golang.org/api"}},
	{"scripts/planbench", []string{"model", "transforms", "io", "pipelines"}, nil},
	{"scripts", []string{"model", "transforms", "io"}, []string{"github.com/go-git/go-git", "github.com/bluekeyes/go-gitdiff", "github.com/rogpeppe/go-internal"}},
	{".", []string{"model", "transforms", "io", "pipelines", "runners"}, []string{sdk, "golang.org/x/term"}},
}

// builders read no score: what a task is must not depend on who solved it.
var builders = []string{"transforms", "pipelines/build", "pipelines/execute", "pipelines/verify"}

// testing may be imported by the tests of every room.
var forTests = []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "golang.org/x/tools/txtar", runners}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range goFiles(t) {
		dir := path.Dir(f)
		r := roomOf(dir)
		seen[r.dir] = true
		for _, imp := range importsOf(t, f) {
			if fault := faultOf(r, dir, imp, isTest(f)); fault != "" {
				t.Errorf("%s imports %s: %s", f, imp, fault)
			}
		}
	}
	for _, r := range rooms {
		if !seen[r.dir] {
			t.Errorf("no file in %s: the table is older than the repository", r.dir)
		}
	}
}

// TestImportFaults shows that the table refuses what it should.
func TestImportFaults(t *testing.T) {
	for _, c := range []struct {
		dir, imp string
		test, ok bool
	}{
		{"model", "encoding/json", false, true},
		{"model", sdk, false, false},
		{"model", module + "transforms/patch", false, false},
		{"transforms/patch", module + "model", false, true},
		{"transforms/patch", module + "io/gitio", false, false},
		{"transforms/patch", "github.com/tree-sitter/go-tree-sitter", false, false},
		{"transforms/lang/python", "github.com/tree-sitter/go-tree-sitter", false, true},
		{"transforms/leak", "github.com/go-git/go-git/v5", false, false},
		{"transforms/evidence", module + "pipelines/evaluate", false, false},
		{"io/gitio", "github.com/go-git/go-git/v5", false, true},
		{"io/gitio", module + "transforms/tree", false, false},
		{"io/ledgerio", "github.com/parquet-go/parquet-go", false, false},
		{"io/parquetio", "cloud.google.com/go/storage", false, false},
		{"io/blobio", "github.com/moby/moby/client", false, false},
		{"pipelines/build", module + "pipelines/execute", false, true},
		{"pipelines/build", module + "pipelines/evaluate", false, false},
		{"pipelines/build", module[:len(module)-1], false, false},
		{"pipelines/build", module + "runners/prism", false, false},
		{"pipelines/build", runners + "/prism", false, false},
		{"pipelines/build", runners + "/prism", true, true},
		{"runners/flink", module + "runners/universal", false, true},
		{"runners/flink", module + "io/gitio", false, false},
		{"model", "github.com/google/go-cmp/cmp", true, true},
		{"model", "github.com/google/go-cmp/cmp", false, false},
		{".", module + "pipelines/evaluate", false, true},
	} {
		if got := faultOf(roomOf(c.dir), c.dir, c.imp, c.test); (got == "") != c.ok {
			t.Errorf("%s imports %s (test %v): fault %q, want none: %v", c.dir, c.imp, c.test, got, c.ok)
		}
	}
}

// faultOf says why a file of room r in dir may not import imp; empty when it may.
func faultOf(r room, dir, imp string, test bool) string {
	if imp+"/" == module {
		return "nobody imports the command"
	}
	if ours, ok := strings.CutPrefix(imp, module); ok {
		if inAny(builders, dir) && under("pipelines/evaluate", ours) {
			return "nothing that builds reads scores"
		}
		if ours == dir && test || inAny(r.ours, ours) { // an external test imports its package
			return ""
		}
		return fmt.Sprintf("of ours %s imports %v only", r.dir, r.ours)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "" // the standard library, and C
	}
	if test && inAny(forTests, imp) {
		return ""
	}
	if under(runners, imp) && r.dir != "runners" {
		return "only runners launch pipelines"
	}
	if inAny(r.foreign, imp) {
		return ""
	}
	return fmt.Sprintf("%s imports %v only", r.dir, r.foreign)
}

func roomOf(dir string) room {
	for _, r := range rooms {
		if under(r.dir, dir) {
			return r
		}
	}
	return rooms[len(rooms)-1]
}

func inAny(roots []string, p string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return under(root, p) })
}

// under reports whether p is root or below it.
func under(root, p string) bool { return p == root || strings.HasPrefix(p, root+"/") }

func isTest(f string) bool {
	return strings.HasSuffix(f, "_test.go") || strings.HasSuffix(path.Dir(f), "test") // gittest and its like
}

// goFiles lists the Go files of the module, by slash paths.
func goFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".go") {
			out = append(out, filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func importsOf(t *testing.T, f string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}
