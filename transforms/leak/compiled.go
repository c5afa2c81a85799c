package leak

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

func blob(data []byte) model.Hash { return tree.BlobHash(data) }

// A source is a changed path as compiled forms are named after it: its folders below the
// source root, and its name without extension.
type source []string

// Folders that hold made things. Below one, a path is relative to it.
var made = map[string]bool{
	"dist": true, "build": true, "target": true, "out": true, "bin": true, "obj": true, "classes": true, "__pycache__": true,
	".cache": true, ".next": true, ".tox": true, ".nox": true, ".eggs": true, ".gradle": true, ".mypy_cache": true,
	".ruff_cache": true, ".pytest_cache": true, "go-build": true,
}

// Folders that lead to sources and are no part of their names.
var roots = map[string]bool{"src": true, "lib": true, "main": true, "test": true, "java": true, "kotlin": true, "python": true, "source": true}

func (c *Scan) addSource(p string) {
	all := strings.Split(p, "/")
	skip := 0
	for skip < len(all)-1 && roots[all[skip]] {
		skip++
	}
	top := strings.Join(all[:skip+1], "/")
	parts := slices.Clone(all[skip:])
	last := len(parts) - 1
	parts[last], _, _ = strings.Cut(parts[last], ".")
	if parts[last] != "" {
		c.sources = append(c.sources, parts)
	}
	if c.subject.Kind != nil && c.subject.Kind(p) != model.Production || path.Ext(p) != ".py" {
		return
	}
	// A module of the project in site-packages is another copy of it.
	if last == 0 {
		if !slices.Contains([]string{"setup", "conftest", "noxfile", "tasks", "__init__"}, parts[0]) {
			c.modules[parts[0]] = true
		}
		return
	}
	// A namespace folder, without an __init__.py, is shared by distributions.
	if _, ok := c.subject.H.Entry(top + "/__init__.py"); ok {
		c.modules[parts[0]] = true
	}
}

// compiledExtension reports whether a name is that of a compiled form.
func compiledExtension(p string) bool {
	switch path.Ext(p) {
	case ".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib", ".class", ".o", ".a":
		return true
	}
	return false
}

// compiledInTree reports whether a path of S is a compiled form of a changed file: by its
// extension, or because it lies in a folder of made things under the same name.
func (c *Scan) compiledInTree(p string) bool {
	if !compiledExtension(p) && !slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(s string) bool { return made[s] }) {
		return false
	}
	return c.compiled(p)
}

// compiled reports whether a path is named after a changed file: the last two parts of the
// name agree, or, for a file at the top, the one part at the top of its container.
func (c *Scan) compiled(p string) bool {
	parts := strings.Split(p, "/")
	start := 0
	for i, s := range parts[:len(parts)-1] {
		if s == "site-packages" || s == "dist-packages" || made[s] && s != "__pycache__" {
			start = i + 1
		}
	}
	parts = slices.DeleteFunc(slices.Clone(parts[start:]), func(s string) bool { return s == "__pycache__" })
	for len(parts) > 1 && roots[parts[0]] {
		parts = parts[1:]
	}
	last := len(parts) - 1
	parts[last], _, _ = strings.Cut(strings.TrimPrefix(parts[last], "."), ".")
	parts[last], _, _ = strings.Cut(parts[last], "$")
	for _, s := range c.sources {
		switch {
		case len(s) == 1 && len(parts) == 1 && s[0] == parts[0]:
			return true
		case len(s) > 1 && len(parts) > 1 && s[len(s)-1] == parts[last] && s[len(s)-2] == parts[last-1]:
			return true
		}
	}
	return false
}

// namesSource reports whether binary content names a changed file by the path at which the
// tree is laid: byte code, debug information and build caches do.
func (c *Scan) namesSource(data []byte) bool {
	for p := range laidPaths(data, c.roots()) {
		if c.changed[p] {
			return true
		}
	}
	return false
}

func (c *Scan) roots() []string { return append([]string{"/testbed/"}, c.subject.Roots...) }

// laidPaths are the paths below roots that data names.
func laidPaths(data []byte, roots []string) map[string]bool {
	var out map[string]bool
	for _, root := range roots {
		if len(root) < 3 {
			continue
		}
		for rest := data; ; {
			i := bytes.Index(rest, []byte(root))
			if i < 0 {
				break
			}
			rest = rest[i+len(root):]
			if out == nil {
				out = map[string]bool{}
			}
			out[pathAt(rest)] = true
		}
	}
	return out
}

// pathAt is the path that data begins with: up to its extension's end.
func pathAt(data []byte) string {
	n := 0
	for n < len(data) && n < 1024 {
		b := data[n]
		if b == '/' || b == '.' || b == '_' || b == '-' || b == '+' || b == '@' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80 {
			n++
			continue
		}
		break
	}
	return string(data[:n])
}
