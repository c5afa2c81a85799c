package golang

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A root is a go.mod of the tree.
type root struct {
	dir  string // of the tree, "" is the root
	path string
}

// modules lists the tree's modules by folder, outermost first. A go.mod without a module line,
// in testdata, or below a vendored or ignored folder is none.
func modules(t lang.Files) ([]root, error) {
	var out []root
	for _, p := range t.Paths() {
		dirs, name := lang.Split(p)
		if name != "go.mod" || outside(dirs) {
			continue
		}
		f, ok, err := t.Read(p)
		if err != nil {
			return nil, err
		}
		if m := modulePath(f.Data); ok && m != "" {
			out = append(out, root{dir: strings.Join(dirs, "/"), path: m})
		}
	}
	slices.SortStableFunc(out, func(a, b root) int {
		if n := strings.Count(a.dir, "/") - strings.Count(b.dir, "/"); n != 0 && a.dir != "" && b.dir != "" {
			return n
		}
		return strings.Compare(a.dir, b.dir)
	})
	return out, nil
}

func modulePath(data []byte) string {
	if len(data) > maxSource {
		return ""
	}
	m := modfile.ModulePath(data)
	if strings.ContainsAny(m, " \t\n\"'`$\\") || strings.HasPrefix(m, "-") || strings.Contains(m, "::") {
		return ""
	}
	return m
}

// outside reports whether no package pattern of the go command reaches these folders.
func outside(dirs []string) bool {
	return lang.In(dirs, "testdata") || lang.Vendored(dirs) || ignored(dirs, "x")
}

// moduleOf is the module that a folder of the tree lies in.
func moduleOf(t lang.Files, dir string) (root, bool) {
	for {
		f, ok, err := t.Read(path.Join(dir, "go.mod"))
		if err != nil {
			return root{}, false
		}
		if ok {
			m := modulePath(f.Data)
			return root{dir: dir, path: m}, m != ""
		}
		if dir == "" {
			return root{}, false
		}
		dir = parent(dir)
	}
}

// parent is the folder that holds p; "" is the root.
func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return ""
	}
	return p[:i]
}

// unitOf is the import path of the package in a folder of the tree.
func unitOf(t lang.Files, dir string) (string, bool) {
	if dir != "" && outside(strings.Split(dir, "/")) {
		return "", false
	}
	m, ok := moduleOf(t, dir)
	if !ok {
		return "", false
	}
	return path.Join(m.path, strings.TrimPrefix(dir[len(m.dir):], "/")), true
}

// dirOf is the folder of the package with an import path.
func dirOf(t lang.Files, unit string) (string, bool) {
	all, err := modules(t)
	if err != nil {
		return "", false
	}
	return dirIn(all, unit)
}

// dirIn is the folder of the package with an import path; the module with the longest path
// that holds it counts.
func dirIn(all []root, unit string) (string, bool) {
	best, found := root{}, false
	for _, m := range all {
		if within(unit, m.path) && (!found || len(m.path) > len(best.path)) {
			best, found = m, true
		}
	}
	if !found {
		return "", false
	}
	return path.Join(best.dir, strings.TrimPrefix(unit[len(best.path):], "/")), true
}

// within reports whether the import path p is prefix or lies below it.
func within(p, prefix string) bool {
	return p == prefix || strings.HasPrefix(p, prefix+"/")
}

// Unit is the import path of the package that holds a _test.go file.
func (l Language) Unit(t lang.Files, p string) (string, bool) {
	if !runs(p) {
		return "", false
	}
	return unitOf(t, parent(p))
}

// runs reports whether go test compiles the file at p into a test binary.
func runs(p string) bool {
	dirs, name := lang.Split(p)
	return strings.HasSuffix(name, "_test.go") && !ignored(nil, name) && !outside(dirs)
}

// UnitFiles lists the _test.go files of the unit's folder, sorted.
func (l Language) UnitFiles(t lang.Files, unit string) []string {
	dir, ok := dirOf(t, unit)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(goFiles(t, dir), func(p string) bool { return !runs(p) })
}

// goFiles lists the .go files of a folder that the go command reads, sorted.
func goFiles(t lang.Files, dir string) []string {
	var out []string
	for _, p := range t.Paths() {
		if parent(p) == dir && goFile(p) {
			out = append(out, p)
		}
	}
	return out
}

func goFile(p string) bool {
	_, name := lang.Split(p)
	return path.Ext(name) == ".go" && !ignored(nil, name)
}

// A layout is what one question asks of a tree many times: its modules and the Go files of
// its folders.
type layout struct {
	lang.Files
	modules []root
	folders map[string][]string
}

func layoutOf(t lang.Files) (*layout, error) {
	all, err := modules(t)
	if err != nil {
		return nil, err
	}
	l := &layout{Files: t, modules: all, folders: map[string][]string{}}
	for _, p := range t.Paths() {
		if goFile(p) {
			l.folders[parent(p)] = append(l.folders[parent(p)], p)
		}
	}
	return l, nil
}

// maxNearby bounds the touched modules of a change.
const maxNearby = 20

// Nearby lists the packages of the paths that have check files, in the order of paths: in Go
// the touched module of a file is its package.
func (l Language) Nearby(t lang.Files, paths []string) []string {
	checks := map[string]bool{}
	for _, p := range t.Paths() {
		if runs(p) {
			checks[parent(p)] = true
		}
	}
	var out []string
	for _, p := range paths {
		dir := parent(p)
		if !checks[dir] {
			continue
		}
		if u, ok := unitOf(t, dir); ok && !slices.Contains(out, u) && len(out) < maxNearby {
			out = append(out, u)
		}
	}
	return out
}
