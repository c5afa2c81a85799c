package node

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

//go:embed support/*
var supportFiles embed.FS

// A plan is what support/env.cjs reads as plan.json.
type plan struct {
	Root      string        `json:"root"` // folder of the installed package in the tree
	Name      string        `json:"name"`
	Manager   planManager   `json:"manager"`
	Manifests []string      `json:"manifests"`
	Packages  []planPackage `json:"packages"` // of workspaces
	Runners   []planRunner  `json:"runners"`
}

type planManager struct {
	Name   string `json:"name"`
	Source string `json:"source"` // npm package with version; empty: the installed npm
	Else   string `json:"else"`   // of a version that does as well, where that one is not to be had
	Lock   string `json:"lock"`
	Berry  bool   `json:"berry"`
}

type planPackage struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

type planRunner struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

// Recipe derives the environment of a tree by rule, for language (javascript or typescript). Only
// manifests are laid where it is prepared; dependencies are installed below {env}/deps without
// their scripts, by the manager and lock of the tree, and no lock is resolved and kept. Each
// state gets node_modules of links, and the build that its tests need.
//
// What the environment would hold of the project itself (links of workspaces, releases of the
// project that a dependency asks for) is pointed into the tree.
func Recipe(language string, t lang.Files) (model.Recipe, error) {
	p, err := readProject(t)
	if err != nil {
		return model.Recipe{}, err
	}
	runners, err := p.runners()
	if err != nil {
		return model.Recipe{}, err
	}
	manifests := p.manifests(t)
	pl := plan{Root: p.root.dir, Name: p.root.name, Packages: []planPackage{}, Manifests: []string{},
		Manager: planManager{Name: p.manager.name, Source: p.manager.source(), Else: p.manager.instead(), Lock: p.manager.lock, Berry: p.manager.berry()}}
	for _, f := range manifests {
		pl.Manifests = append(pl.Manifests, f.Path)
	}
	for _, m := range p.packages {
		pl.Packages = append(pl.Packages, planPackage{m.name, m.dir})
	}
	for _, r := range runners {
		pl.Runners = append(pl.Runners, planRunner{r.name, r.dir})
	}
	files, err := supported(pl)
	if err != nil {
		return model.Recipe{}, err
	}
	r := model.Recipe{
		Language:  language,
		Toolchain: toolchain(p.root.node),
		Manifests: manifests,
		Files:     files,
		Prepare:   []model.Command{script("install")},
		FromLock:  []model.Command{script("from-lock")},
		Lock:      script("lock"),
		Probe:     script("probe"),
		Strip:     []string{"deps/node_modules/.cache", "deps/node_modules/.vite", "deps/node_modules/.vitest", "deps/package.json"},
		Protocol:  protocol(language, t, p, runners),
	}
	for _, m := range p.all() {
		if m.name != "" && !slices.Contains(r.Self, m.name) {
			r.Self = append(r.Self, m.name)
		}
	}
	r.Protocol.Prepare = described(r.Prepare)
	return r, nil
}

// described are commands as a reader sees them.
func described(commands []model.Command) []string {
	var out []string
	for _, c := range commands {
		out = append(out, strings.Join(c.Argv, " "))
	}
	return out
}

// planFile is what a recipe's support files call the plan.
const planFile = "plan.json"

func supported(pl plan) ([]model.File, error) {
	data, err := json.MarshalIndent(pl, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	out := []model.File{{Path: planFile, Mode: model.ModeFile, Data: append(data, '\n')}}
	entries, err := supportFiles.ReadDir("support")
	if err != nil {
		return nil, fmt.Errorf("read support files: %w", err)
	}
	for _, e := range entries {
		data, err := supportFiles.ReadFile("support/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read support files: %w", err)
		}
		out = append(out, model.File{Path: e.Name(), Mode: model.ModeFile, Data: data})
	}
	return out, nil
}

func script(words ...string) model.Command {
	return model.Command{Argv: append([]string{"node", support + "env.cjs"}, words...), Env: environ(), Dir: "."}
}

// toolchain is the range of node versions that the project asks for.
func toolchain(engines string) string {
	engines = strings.Join(strings.Fields(engines), " ")
	if engines == "" || len(engines) > 100 {
		return "node"
	}
	return "node " + engines
}

// manifests are the files that decide what is installed: of the root and of the packages.
func (p project) manifests(t lang.Files) []model.File {
	var out []model.File
	add := func(name string) {
		f, ok, err := t.Read(name)
		if err == nil && ok && (f.Mode&0o170000 == 0o100000 || f.Mode == 0) && !slices.ContainsFunc(out, func(o model.File) bool { return o.Path == name }) {
			out = append(out, model.File{Path: name, Mode: model.ModeFile, Data: f.Data})
		}
	}
	for _, m := range p.all() {
		add(path.Join(m.dir, "package.json"))
		for _, spec := range []map[string]string{m.deps, m.dev} {
			for _, name := range sortedKeys(spec) {
				if dir, ok := local(spec[name]); ok {
					at := path.Join(m.dir, dir)
					add(at)
					add(path.Join(at, "package.json"))
				}
			}
		}
	}
	if p.manager.lock != "" {
		add(p.manager.lock)
	}
	for _, name := range []string{".npmrc", ".yarnrc.yml", ".yarnrc", "pnpm-workspace.yaml", ".pnpmfile.cjs", "pnpmfile.js"} {
		add(path.Join(p.root.dir, name))
	}
	for _, f := range t.Paths() {
		rel := strings.TrimPrefix(strings.TrimPrefix(f, p.root.dir), "/")
		if within(f, p.root.dir) && (strings.HasPrefix(rel, ".yarn/plugins/") || strings.HasPrefix(rel, ".yarn/patches/") || strings.HasPrefix(rel, "patches/")) {
			add(f)
		}
	}
	slices.SortFunc(out, func(a, b model.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// local is the place in the tree that a dependency's specifier names.
func local(spec string) (string, bool) {
	for _, prefix := range []string{"file:", "link:", "portal:"} {
		if rest, ok := strings.CutPrefix(spec, prefix); ok && !path.IsAbs(rest) {
			return rest, true
		}
	}
	return "", false
}

// protocol is the frozen way to build and run.
func protocol(language string, t lang.Files, p project, runners []runner) model.Protocol {
	first := runners[0]
	out := model.Protocol{
		Language:  language,
		Cwd:       first.dir,
		Env:       environ(),
		Build:     []model.Command{script("link")},
		Test:      first.argv(),
		Unit:      "file",
		Isolation: "unit",
		Report:    model.Report{Format: reportFormat, Path: "{report}", Version: reportVersion},
		Protected: protectedGlobs,
		Network:   "none",
	}
	if out.Cwd == "" {
		out.Cwd = "."
	}
	for _, r := range runners {
		for _, v := range r.env {
			name, _, _ := strings.Cut(v, "=")
			if !slices.ContainsFunc(out.Env, func(o string) bool { return strings.HasPrefix(o, name+"=") }) && !slices.Contains(ours, name) {
				out.Env = append(out.Env, v)
			}
		}
	}
	if len(runners) > 1 {
		for _, r := range runners {
			root := model.Root{Unit: r.dir, Dir: r.dir}
			if argv := r.argv(); !slices.Equal(argv, out.Test) {
				root.Test = argv
			}
			out.Roots = append(out.Roots, root)
		}
	}
	out.Build = append(out.Build, builds(t, p, runners)...)
	return out
}

// ours are variables that a script does not set for a run.
var ours = []string{"PATH", "HOME", "CI", "TMPDIR", "NODE_OPTIONS", "TZ", "NODE_PATH"}

// environ is what every command of an environment runs with. CI keeps runners from writing
// snapshots.
func environ() []string {
	return []string{
		"TASKMILL_TESTBED={testbed}",
		"CI=1",
		"NO_COLOR=1",
		"FORCE_COLOR=0",
		"NO_UPDATE_NOTIFIER=1",
		"ADBLOCK=1",
		"DISABLE_OPENCOLLECTIVE=1",
		"COREPACK_ENABLE_DOWNLOAD_PROMPT=0",
	}
}
