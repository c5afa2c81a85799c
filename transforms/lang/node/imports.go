package node

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

// imported finds the modules that a text names: import, export from, require, import(), mocks.
// It reads words, not syntax: a specifier in a comment counts, which costs a test run at most.
var imported = regexp.MustCompile(`(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*|\.(?:mock|unmock|doMock|requireActual|importActual)\s*(?:<[^>]*>)?\(\s*)(?:'([^'\n]+)'|"([^"\n]+)"|` + "`([^`\n$]+)`)")

const maxSource = 4 << 20

// imports lists the specifiers of a file, each once, in order.
func imports(src []byte) []string {
	var out []string
	for _, m := range imported.FindAllSubmatch(src[:min(len(src), maxSource)], 5000) {
		s := string(m[1]) + string(m[2]) + string(m[3])
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// A resolver finds files of a tree by specifiers.
type resolver struct {
	t     lang.Files
	paths map[string]bool
	names map[string]manifest // by package name
	known map[string][]string // imports by file
}

func newResolver(t lang.Files) *resolver {
	r := &resolver{t: t, paths: map[string]bool{}, names: map[string]manifest{}, known: map[string][]string{}}
	for _, p := range t.Paths() {
		r.paths[p] = true
	}
	if p, err := readProject(t); err == nil {
		for _, m := range p.all() {
			if m.name != "" {
				r.names[m.name] = m
			}
		}
	}
	return r
}

// targets are the files of the tree that the file at p imports.
func (r *resolver) targets(p string) []string {
	if out, ok := r.known[p]; ok {
		return out
	}
	var out []string
	if data, ok := text(r.t, p); ok {
		for _, s := range imports(data) {
			for _, f := range r.resolve(p, s) {
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
			}
		}
	}
	r.known[p] = out
	return out
}

func (r *resolver) resolve(from, spec string) []string {
	if strings.HasPrefix(spec, ".") {
		if f := r.file(path.Join(path.Dir(from), spec)); f != "" {
			return []string{f}
		}
		return nil
	}
	for name, m := range r.names {
		rest, ok := strings.CutPrefix(spec, name)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		var out []string
		candidates := []string{path.Join(m.dir, rest), path.Join(m.dir, "src", rest), path.Join(m.dir, "lib", rest)}
		if rest == "" {
			candidates = []string{path.Join(m.dir, "src/index"), path.Join(m.dir, "index"), path.Join(m.dir, "lib/index"), path.Join(m.dir, "source/index")}
			for _, e := range m.entries {
				candidates = append([]string{path.Join(m.dir, e)}, candidates...)
			}
		}
		for _, c := range candidates {
			if f := r.file(c); f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
		return out
	}
	return nil
}

// file is the file of the tree that a path without its extension, or with that of what is built
// from it, means.
func (r *resolver) file(p string) string {
	if r.paths[p] {
		return p
	}
	stem := p
	if ext := path.Ext(p); slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx"}, ext) {
		stem = strings.TrimSuffix(p, ext)
	}
	for _, base := range []string{p, stem} {
		for _, e := range append([]string{".ts", ".tsx", ".mts", ".cts", ".d.ts", ".json"}, ecma.Extensions()...) {
			if r.paths[base+e] {
				return base + e
			}
		}
	}
	for _, e := range ecma.Extensions() {
		if f := path.Join(p, "index"+e); r.paths[f] {
			return f
		}
	}
	return ""
}
