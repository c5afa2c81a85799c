package golang

import (
	"bytes"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// maxImports bounds the packages that are compiled while preparing; the rest is compiled in
// each state.
const maxImports = 1500

// runner are the packages that every test binary links, and the planted test's.
var runner = []string{"os", "reflect", "runtime", "testing", "testing/internal/testdeps"}

// platform is the build context that files are chosen by, the same on every machine, so that a
// tree has one recipe. A package that is missing from the choice is compiled later, in the state.
var platform = build.Context{
	GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true,
	ReleaseTags: build.Default.ReleaseTags,
}

// imported lists, by module folder, the packages outside the tree that the module's files
// import, tests included, sorted.
func imported(t lang.Files, mods []mod) (map[string][]string, error) {
	sets := map[string]map[string]bool{}
	for _, m := range mods {
		sets[m.dir] = map[string]bool{}
		for _, p := range runner {
			sets[m.dir][p] = true
		}
	}
	all, err := modules(t)
	if err != nil {
		return nil, err
	}
	for _, p := range t.Paths() {
		dirs, name := lang.Split(p)
		if path.Ext(name) != ".go" || ignored(dirs, name) || outside(dirs) {
			continue
		}
		m, ok := moduleOf(t, parent(p))
		set := sets[m.dir]
		if !ok || set == nil {
			continue
		}
		f, _, err := t.Read(p)
		if err != nil {
			return nil, err
		}
		for _, imp := range importsOf(name, f.Data) {
			own := slices.ContainsFunc(all, func(m root) bool { return within(imp, m.path) })
			if !own && imp != "C" && imp != "unsafe" && plain(imp) {
				set[imp] = true
			}
		}
	}
	out := map[string][]string{}
	for dir, set := range sets {
		for p := range set {
			out[dir] = append(out[dir], p)
		}
		slices.Sort(out[dir])
		out[dir] = out[dir][:min(len(out[dir]), maxImports)]
	}
	return out, nil
}

// plain reports whether an import path can be an argument: no flag, pattern or folder.
func plain(p string) bool {
	return p != "" && !strings.HasPrefix(p, "-") && !strings.HasPrefix(p, ".") && !strings.HasPrefix(p, "/") &&
		!strings.Contains(p, "...") && !strings.ContainsAny(p, " \t\n@\"`\\*")
}

// importsOf lists the imports of a file that the platform compiles.
func importsOf(name string, src []byte) []string {
	if len(src) > maxSource {
		return nil
	}
	c := platform
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	c.JoinPath = path.Join
	if ok, err := c.MatchFile("", name); err != nil || !ok {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if f == nil || err != nil && len(f.Imports) == 0 {
		return nil
	}
	var out []string
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}
