package python

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

// A layout resolves module names to files of a tree. It is for one goroutine.
type layout struct {
	paths map[string]bool
	roots []string // folders that hold top-level modules, the tree itself first
	found map[importing]string
}

// An importing is an import in the files of a folder.
type importing struct {
	dir, module string
	level       int
}

// newLayout reads the layout from paths: a folder that holds packages and is none itself is a
// root (src, lib, packages/x/src).
func newLayout(paths []string) *layout {
	l := &layout{paths: make(map[string]bool, len(paths)), found: map[importing]string{}}
	for _, p := range paths {
		l.paths[p] = true
	}
	seen := map[string]bool{"": true, "src": true}
	for _, p := range paths {
		dir, name := path.Split(p)
		if name != "__init__.py" || dir == "" {
			continue
		}
		parent := strings.TrimSuffix(path.Dir(strings.TrimSuffix(dir, "/"))+"/", "/")
		if parent == "." {
			parent = ""
		}
		if !l.paths[path.Join(parent, "__init__.py")] {
			seen[parent] = true
		}
	}
	for r := range seen {
		l.roots = append(l.roots, r)
	}
	slices.SortFunc(l.roots, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return l
}

// file is the file of a module below a folder.
func (l *layout) file(dir, module string) (string, bool) {
	base := path.Join(dir, strings.ReplaceAll(module, ".", "/"))
	for _, p := range []string{base + "/__init__.py", base + ".py", base + ".pyi"} {
		p = strings.TrimPrefix(p, "/")
		if l.paths[p] {
			return p, true
		}
	}
	return "", false
}

// find resolves a module as the file at from imports it: relative, from a root, or beside the
// file and above it (pytest puts the first folder without __init__.py on the path).
func (l *layout) find(from, module string, level int) (string, bool) {
	dir := path.Dir(from)
	if dir == "." {
		dir = ""
	}
	key := importing{dir, module, level}
	p, known := l.found[key]
	if !known {
		p = l.search(dir, module, level)
		l.found[key] = p
	}
	return p, p != ""
}

// search is find for the files of a folder; empty where there is no such module.
func (l *layout) search(dir, module string, level int) string {
	if level > 0 {
		for range level - 1 {
			if dir == "" {
				return ""
			}
			if dir = path.Dir(dir); dir == "." {
				dir = ""
			}
		}
		p, _ := l.file(dir, module)
		return p
	}
	for _, r := range l.roots {
		if p, ok := l.file(r, module); ok {
			return p
		}
	}
	for module != "" {
		if p, ok := l.file(dir, module); ok {
			return p
		}
		if dir == "" {
			break
		}
		if dir = path.Dir(dir); dir == "." {
			dir = ""
		}
	}
	return ""
}

// target resolves an import: the file that it takes its name from, and the name there; name is
// "" where it binds the module itself.
func (l *layout) target(from string, i imported) (file, name string, ok bool) {
	if i.name != "" && i.name != "*" {
		sub := i.name
		if i.module != "" {
			sub = i.module + "." + i.name
		}
		f, found := l.find(from, i.module, i.level)
		if s, isModule := l.find(from, sub, i.level); isModule && !found {
			return s, "", true
		} else if isModule && found && path.Base(f) == "__init__.py" {
			return s, "", true
		}
		return f, i.name, found
	}
	file, ok = l.find(from, i.module, i.level)
	return file, "", ok
}

// conftests are the conftest.py files that hold for p, nearest first.
func conftests(t lang.Files, p string) []string {
	var out []string
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		c := path.Join(dir, "conftest.py")
		if _, ok, err := t.Read(c); ok && err == nil && c != p {
			out = append(out, c)
		}
		if dir == "." || dir == "/" {
			return out
		}
	}
}
