package ecma

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

const (
	maxManifests = 400     // package.json files read
	maxManifest  = 1 << 20 // bytes of one
)

// A layout resolves the modules that files import to files of a tree: relative paths, packages
// of the tree by their names, "#" imports, and the paths of tsconfig.json.
type layout struct {
	paths    map[string]bool
	packages []manifest // longest folder first
	aliases  []alias
}

// A manifest is what a package.json says about where modules are.
type manifest struct {
	dir     string
	name    string
	main    []string // entry points, best first
	exports map[string][]string
	imports map[string][]string
}

// An alias is one entry of a tsconfig's paths.
type alias struct {
	dir, prefix, suffix string
	star                bool
	targets             []string
}

func newLayout(t lang.Files, more ...string) *layout {
	l := &layout{paths: map[string]bool{}}
	for _, p := range t.Paths() {
		l.paths[p] = true
	}
	for _, p := range more {
		l.paths[p] = true
	}
	read := 0
	for _, p := range t.Paths() {
		dirs, name := lang.Split(p)
		if name != "package.json" && name != "tsconfig.json" && name != "tsconfig.base.json" && name != "jsconfig.json" ||
			lang.Vendored(dirs) || lang.In(dirs, dataFolders...) || read >= maxManifests {
			continue
		}
		read++
		f, ok, err := t.Read(p)
		if err != nil || !ok || len(f.Data) > maxManifest {
			continue
		}
		if name == "package.json" {
			l.manifest(dir(p), f.Data)
		} else {
			l.tsconfig(dir(p), f.Data)
		}
	}
	slices.SortStableFunc(l.packages, func(a, b manifest) int { return len(b.dir) - len(a.dir) })
	return l
}

// dir is the folder of a path, "" for the root.
func dir(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

func (l *layout) manifest(dir string, data []byte) {
	var m struct {
		Name                                 string
		Main, Module, Types, Typings, Source json.RawMessage
		Exports, Imports                     json.RawMessage
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	out := manifest{dir: dir, name: m.Name, exports: conditions(m.Exports, "."), imports: conditions(m.Imports, "")}
	for _, raw := range []json.RawMessage{m.Source, m.Module, m.Main, m.Types, m.Typings} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			out.main = append(out.main, s)
		}
	}
	l.packages = append(l.packages, out)
}

// conditions flattens an exports or imports map: subpath to targets, whatever their conditions.
func conditions(raw json.RawMessage, whole string) map[string][]string {
	out := map[string][]string{}
	var walk func(key string, raw json.RawMessage, depth int)
	walk = func(key string, raw json.RawMessage, depth int) {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			if s != "" {
				out[key] = append(out[key], s)
			}
			return
		}
		var list []json.RawMessage
		if depth < 8 && json.Unmarshal(raw, &list) == nil {
			for _, r := range list {
				walk(key, r, depth+1)
			}
			return
		}
		var m map[string]json.RawMessage
		if depth >= 8 || json.Unmarshal(raw, &m) != nil {
			return
		}
		for _, k := range sorted(m) {
			if strings.HasPrefix(k, ".") || strings.HasPrefix(k, "#") {
				walk(k, m[k], depth+1)
			} else {
				walk(key, m[k], depth+1)
			}
		}
	}
	if len(raw) > 0 {
		walk(whole, raw, 0)
	}
	return out
}

func (l *layout) tsconfig(dir string, data []byte) {
	var c struct {
		CompilerOptions struct {
			BaseURL string `json:"baseUrl"`
			Paths   map[string][]string
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(plainJSON(data), &c) != nil {
		return
	}
	for _, k := range sorted(c.CompilerOptions.Paths) {
		a := alias{dir: path.Join(dir, c.CompilerOptions.BaseURL), targets: c.CompilerOptions.Paths[k]}
		a.prefix, a.suffix, a.star = strings.Cut(k, "*")
		l.aliases = append(l.aliases, a)
	}
	if c.CompilerOptions.BaseURL != "" {
		l.aliases = append(l.aliases, alias{dir: path.Join(dir, c.CompilerOptions.BaseURL), star: true, targets: []string{"*"}})
	}
}

// plainJSON takes comments and trailing commas out of the JSON that tsconfig files are.
func plainJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '"':
			j := i + 1
			for j < len(data) && data[j] != '"' {
				if data[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j, len(data)-1)
			out = append(out, data[i:j+1]...)
			i = j
		case c == '/' && i+1 < len(data) && data[i+1] == '/':
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(data) && data[i+1] == '*':
			end := strings.Index(string(data[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case c == ']' || c == '}':
			for n := len(out); n > 0 && strings.IndexByte(" \t\r\n,", out[n-1]) >= 0; n = len(out) {
				out = out[:n-1]
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// find is the file of a module as the file at from imports it.
func (l *layout) find(from, module string) (string, bool) {
	module, _, _ = strings.Cut(module, "?")
	switch {
	case module == "":
		return "", false
	case strings.HasPrefix(module, "."):
		return l.file(path.Join(dir(from), module))
	case strings.HasPrefix(module, "/"):
		return "", false
	case strings.HasPrefix(module, "#"):
		for _, m := range l.packages {
			if m.dir == "" || strings.HasPrefix(from, m.dir+"/") {
				if p, ok := l.mapped(m, m.imports, module); ok {
					return p, true
				}
			}
		}
	}
	for _, m := range l.packages {
		if m.name == "" || module != m.name && !strings.HasPrefix(module, m.name+"/") {
			continue
		}
		if p, ok := l.inPackage(m, strings.TrimPrefix(strings.TrimPrefix(module, m.name), "/")); ok {
			return p, true
		}
	}
	for _, a := range l.aliases {
		rest, ok := strings.CutPrefix(module, a.prefix)
		if !ok || a.dir != "" && !strings.HasPrefix(from, a.dir+"/") && a.prefix == "" || !a.star && rest != "" || !strings.HasSuffix(rest, a.suffix) {
			continue
		}
		for _, t := range a.targets {
			if p, ok := l.file(path.Join(a.dir, strings.Replace(t, "*", strings.TrimSuffix(rest, a.suffix), 1))); ok {
				return p, true
			}
		}
	}
	return "", false
}

// inPackage is the file of a subpath of a package of the tree; "" is its entry point.
func (l *layout) inPackage(m manifest, sub string) (string, bool) {
	key := "."
	if sub != "" {
		key = "./" + sub
	}
	if p, ok := l.mapped(m, m.exports, key); ok {
		return p, true
	}
	if sub != "" {
		return l.file(path.Join(m.dir, sub))
	}
	for _, main := range append(slices.Clip(m.main), "src/index", "index", "lib/index", "src/main", "source/index") {
		if p, ok := l.built(m.dir, main); ok {
			return p, true
		}
	}
	return "", false
}

// mapped finds a subpath in a map of exports or imports.
func (l *layout) mapped(m manifest, table map[string][]string, key string) (string, bool) {
	try := func(targets []string, star string) (string, bool) {
		for _, t := range targets {
			if p, ok := l.built(m.dir, strings.ReplaceAll(t, "*", star)); ok {
				return p, true
			}
		}
		return "", false
	}
	if p, ok := try(table[key], ""); ok {
		return p, true
	}
	for _, k := range sorted(table) {
		before, after, ok := strings.Cut(k, "*")
		if !ok || !strings.HasPrefix(key, before) || !strings.HasSuffix(key, after) || len(key) < len(before)+len(after) {
			continue
		}
		if p, ok := try(table[k], key[len(before):len(key)-len(after)]); ok {
			return p, true
		}
	}
	return "", false
}

// built is a file that a manifest names; where it is what a build makes, the file that it is
// made from, by its name.
func (l *layout) built(dir, target string) (string, bool) {
	p := path.Join(dir, target)
	if f, ok := l.file(p); ok && !generatedCode(strings.Split(path.Dir(f), "/"), path.Base(f)) {
		return f, true
	}
	rest := strings.TrimPrefix(path.Clean(target), "./")
	parts := strings.Split(rest, "/")
	if len(parts) < 2 {
		return "", false
	}
	stem := strings.TrimSuffix(path.Base(rest), path.Ext(rest))
	stem = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(stem, ".d"), ".min"), ".umd")
	for n := 1; n < len(parts); n++ {
		for _, root := range []string{"src", "source", "lib", ""} {
			if f, ok := l.file(path.Join(dir, root, path.Join(parts[n:len(parts)-1]...), stem)); ok && f != p {
				return f, true
			}
		}
	}
	return "", false
}

// file is the file that a module path means: itself, with an extension, the source of a compiled
// name, or the index of a folder.
func (l *layout) file(p string) (string, bool) {
	if p == "." || strings.HasPrefix(p, "..") {
		if p != "." {
			return "", false
		}
		p = ""
	}
	if l.paths[p] {
		return p, true
	}
	ext := path.Ext(p)
	stem := strings.TrimSuffix(p, ext)
	try := func(base string, exts ...string) (string, bool) {
		for _, e := range exts {
			if l.paths[base+e] {
				return base + e, true
			}
		}
		return "", false
	}
	switch ext {
	case ".js", ".jsx":
		if f, ok := try(stem, ".ts", ".tsx", ".d.ts", ".jsx"); ok {
			return f, true
		}
	case ".mjs":
		if f, ok := try(stem, ".mts", ".d.mts"); ok {
			return f, true
		}
	case ".cjs":
		if f, ok := try(stem, ".cts", ".d.cts"); ok {
			return f, true
		}
	}
	all := []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".d.ts"}
	if p != "" {
		if f, ok := try(p, all...); ok {
			return f, true
		}
	}
	return try(path.Join(p, "index"), all...)
}
