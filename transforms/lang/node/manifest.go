// Package node turns trees of Node projects into environments, test commands and verdicts. It is
// the running half of JavaScript and TypeScript; syntax is package ecma's.
//
// A unit is one test file. A check id is `file > describe > title`, whole; equal ones get ` #2`,
// ` #3` in source order. The runner is chosen from the project's own manifest: node:test, Jest,
// Mocha, Vitest, AVA.
package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const maxManifest = 4 << 20 // bytes of a package.json

// A manifest is what of a package.json decides anything here. A field of a wrong type is as if
// it were absent, as npm has it.
type manifest struct {
	dir       string // folder in the tree, "" for the root
	name      string
	module    bool // "type": "module"
	manager   string
	node      string // engines.node
	scripts   map[string]string
	entries   []string // files that main, module, bin, browser and exports name
	deps      map[string]string
	dev       map[string]string
	workspace []string
	raw       map[string]json.RawMessage
}

// has reports whether the package depends on another at all.
func (m manifest) has(name string) bool { return m.deps[name] != "" || m.dev[name] != "" }

func text(t lang.Files, p string) ([]byte, bool) {
	f, ok, err := t.Read(p)
	if err != nil || !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule || len(f.Data) > maxManifest {
		return nil, false
	}
	return bytes.TrimPrefix(f.Data, []byte("\ufeff")), true
}

// readManifest parses the package.json of a folder; false where there is none.
func readManifest(t lang.Files, dir string) (manifest, bool, error) {
	data, ok := text(t, path.Join(dir, "package.json"))
	if !ok {
		return manifest{}, false, nil
	}
	m := manifest{dir: dir}
	if err := json.Unmarshal(data, &m.raw); err != nil {
		return m, true, fmt.Errorf("parse %s: %w", path.Join(dir, "package.json"), err)
	}
	m.name = field[string](m, "name")
	m.module = field[string](m, "type") == "module"
	m.manager = field[string](m, "packageManager")
	if e := field[map[string]any](m, "engines"); e != nil {
		m.node, _ = e["node"].(string)
	}
	m.scripts = texts(m, "scripts")
	m.dev = texts(m, "devDependencies")
	m.deps = texts(m, "dependencies")
	for _, more := range []string{"optionalDependencies", "peerDependencies"} {
		for k, v := range texts(m, more) {
			if m.deps[k] == "" {
				m.deps[k] = v
			}
		}
	}
	m.workspace = field[[]string](m, "workspaces")
	if m.workspace == nil {
		m.workspace = field[struct{ Packages []string }](m, "workspaces").Packages
	}
	for _, f := range []string{"main", "module", "bin", "browser", "exports"} {
		m.entries = append(m.entries, leaves(field[any](m, f), 0)...)
	}
	return m, true, nil
}

func field[T any](m manifest, name string) T {
	var v T
	if err := json.Unmarshal(m.raw[name], &v); err != nil {
		var none T
		return none
	}
	return v
}

// texts is a field that maps names to strings, without those that are none.
func texts(m manifest, name string) map[string]string {
	out := map[string]string{}
	for k, v := range field[map[string]any](m, name) {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}

// leaves are the paths in an exports tree, without those for types.
func leaves(v any, depth int) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, leaves(e, depth+1)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k != "types" && depth < 20 {
				out = append(out, leaves(v[k], depth+1)...)
			}
		}
		return out
	}
	return nil
}

// A project is a tree's installed root with the packages of its workspaces.
type project struct {
	root     manifest
	packages []manifest // of workspaces, by folder
	manager  manager
}

// readProject finds the root package: at the tree's root, else the one shallowest package.json.
func readProject(t lang.Files) (project, error) {
	dir, found := "", false
	for _, p := range t.Paths() {
		d, name := path.Split(p)
		d = strings.TrimSuffix(d, "/")
		if name != "package.json" || lang.Vendored(strings.Split(d, "/")) {
			continue
		}
		if !found || strings.Count(d+"/", "/") < strings.Count(dir+"/", "/") && dir != "" || d == "" {
			dir, found = d, true
		}
		if d == "" {
			break
		}
	}
	if !found {
		return project{}, fault(model.EnvironmentFailed, "no package.json")
	}
	root, _, err := readManifest(t, dir)
	if err != nil {
		return project{}, fault(model.EnvironmentFailed, err.Error())
	}
	p := project{root: root}
	globs := root.workspace
	if data, ok := text(t, path.Join(dir, "pnpm-workspace.yaml")); ok {
		globs = append(globs, yamlList(data, "packages")...)
	}
	for _, d := range matching(t, dir, globs) {
		m, ok, err := readManifest(t, d)
		if err != nil {
			return project{}, fault(model.EnvironmentFailed, err.Error())
		}
		if ok {
			p.packages = append(p.packages, m)
		}
	}
	p.manager = managerOf(t, root)
	return p, nil
}

func fault(reason model.Reason, detail string) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: reason, Detail: detail}
}

// all are the root and the packages.
func (p project) all() []manifest { return append([]manifest{p.root}, p.packages...) }

// owner is the innermost package that holds a path.
func (p project) owner(file string) manifest {
	best := p.root
	for _, m := range p.packages {
		if within(file, m.dir) && len(m.dir) > len(best.dir) {
			best = m
		}
	}
	return best
}

func within(p, dir string) bool { return dir == "" || strings.HasPrefix(p, dir+"/") }
