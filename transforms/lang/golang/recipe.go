package golang

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// maxModules bounds the modules of one tree whose tests are run.
const maxModules = 20

// parserVersion is raised when Read would judge the same report otherwise.
const parserVersion = 1

// Recipe prepares what the tree's modules need and nothing of the tree itself: only manifests
// are laid where it runs. It downloads the required modules and compiles, for the build cache,
// the packages outside the tree that the tree's files import. So nothing of the project can
// come into the environment, and Strip only names what a dependency could have brought: an
// earlier release of the project.
//
// Choices: the local toolchain is used whatever go.mod prefers, and must be at least as new as
// its go directive; -mod is left to the go command, which takes vendor where there is one;
// CGO_ENABLED is left unset, which means on where a C compiler is installed, so that one recipe
// serves images with and without; vet is off, since what it says of C is no build error;
// diagnostics are not cut at ten (-e), for the tree's own packages in every role, so that the
// build cache of the build serves the tests.
func (l Language) Recipe(t lang.Files) (model.Recipe, error) {
	mods, err := runnable(t)
	if err != nil {
		return model.Recipe{}, err
	}
	manifests, err := manifests(t)
	if err != nil {
		return model.Recipe{}, err
	}
	imports, err := imported(t, mods)
	if err != nil {
		return model.Recipe{}, err
	}
	all, err := modules(t)
	if err != nil {
		return model.Recipe{}, err
	}
	r := model.Recipe{
		Language:  l.Name(),
		Toolchain: toolchain(manifests),
		Manifests: manifests,
		Protocol:  protocol(mods),
	}
	for _, m := range all {
		r.Self = append(r.Self, m.path)
		if esc, err := module.EscapePath(m.path); err == nil {
			r.Strip = append(r.Strip, "mod/"+esc+"@*", "mod/cache/download/"+esc+"/@v")
		}
	}
	for _, m := range mods {
		r.Prepare = append(r.Prepare, prepare(t, m, imports[m.dir])...)
	}
	r.Lock = lock(t, mods)
	r.Prepare = append(r.Prepare, r.Lock)
	r.FromLock = r.Prepare
	r.Probe = probe(mods)
	return r, nil
}

func fault(format string, args ...any) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: model.EnvironmentFailed, Detail: fmt.Sprintf(format, args...)}
}

// runnable lists the modules whose tests run against the tree: the outermost ones, and every
// other that has tests, unless it takes another module of the tree from a release, so that its
// tests would not load the tree.
func runnable(t lang.Files) ([]mod, error) {
	all, err := modules(t)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fault("no go.mod")
	}
	tested := map[string]bool{}
	for _, p := range t.Paths() {
		if runs(p) {
			if m, ok := moduleOf(t, parent(p)); ok {
				tested[m.dir] = true
			}
		}
	}
	var out []mod
	for _, m := range all {
		f, err := parseMod(t, m)
		if err != nil {
			return nil, err
		}
		if !tested[m.dir] || len(out) == maxModules {
			continue
		}
		if m.dir != "" && released(t, f, all) {
			continue
		}
		out = append(out, mod{root: m, file: f, vendored: vendored(t, m, f)})
	}
	if len(out) == 0 {
		return nil, fault("no module with tests")
	}
	return out, nil
}

// A mod is a module with its parsed go.mod.
type mod struct {
	root
	file     *modfile.File
	vendored bool
}

func parseMod(t lang.Files, m root) (*modfile.File, error) {
	p := path.Join(m.dir, "go.mod")
	data, _, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax(p, data.Data, nil)
	if err != nil {
		return nil, fault("parse %s: %v", p, err)
	}
	// The lax form leaves replace out.
	if strict, err := modfile.Parse(p, data.Data, nil); err == nil {
		f = strict
	}
	for _, r := range f.Replace {
		if r.New.Version == "" && (path.IsAbs(r.New.Path) || strings.HasPrefix(path.Join(m.dir, r.New.Path), "..")) {
			return nil, fault("%s replaces %s by a folder outside the tree", p, r.Old.Path)
		}
	}
	return f, nil
}

// released reports whether f requires a module of the tree without a replacement by a folder;
// a workspace replaces all that it uses.
func released(t lang.Files, f *modfile.File, all []root) bool {
	if _, ok, _ := t.Read("go.work"); ok {
		return false
	}
	for _, q := range f.Require {
		inTree := slices.ContainsFunc(all, func(m root) bool { return m.path == q.Mod.Path })
		local := slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool {
			return r.Old.Path == q.Mod.Path && r.New.Version == ""
		})
		if inTree && !local {
			return true
		}
	}
	return false
}

// vendored reports whether the go command takes the module's dependencies from its vendor
// folder: since the go directive 1.14 that is the default.
func vendored(t lang.Files, m root, f *modfile.File) bool {
	_, ok, err := t.Read(path.Join(m.dir, "vendor/modules.txt"))
	return err == nil && ok && f.Go != nil && semver.Compare("v"+f.Go.Version, "v1.14") >= 0
}

// manifests are the go.mod, go.sum and workspace files of the tree.
func manifests(t lang.Files) ([]model.File, error) {
	var out []model.File
	for _, p := range t.Paths() {
		dirs, name := lang.Split(p)
		switch name {
		case "go.mod", "go.sum", "go.work", "go.work.sum":
		default:
			continue
		}
		if outside(dirs) {
			continue
		}
		f, _, err := t.Read(p)
		if err != nil {
			return nil, err
		}
		if f.Mode == model.ModeFile || f.Mode == model.ModeExecutable {
			out = append(out, f)
		}
	}
	return out, nil
}

// toolchain is the newest go directive of the manifests: go1.24.
func toolchain(manifests []model.File) string {
	newest := "1.16" // what the go command assumes without a directive
	for _, f := range manifests {
		v := ""
		if w, err := modfile.ParseWork(f.Path, f.Data, nil); err == nil && strings.HasSuffix(f.Path, "go.work") && w.Go != nil {
			v = w.Go.Version
		}
		if m, err := modfile.ParseLax(f.Path, f.Data, nil); err == nil && strings.HasSuffix(f.Path, "go.mod") && m.Go != nil {
			v = m.Go.Version
		}
		if v != "" && semver.Compare(canonical(v), canonical(newest)) > 0 {
			newest = v
		}
	}
	return "go" + newest
}

// canonical makes a Go version comparable as a semantic one: 1.21rc2 becomes v1.21.0-rc2.
func canonical(v string) string {
	i := strings.IndexFunc(v, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if i < 0 {
		return "v" + v
	}
	return semver.Canonical("v"+v[:i]) + "-" + v[i:]
}
