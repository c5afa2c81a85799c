package python

import (
	_ "embed" // the support files
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

//go:embed taskmill_pytest.py
var pytestPlugin []byte

//go:embed taskmill_env.py
var envScript []byte

// A plan is what taskmill_env.py reads as plan.json.
type plan struct {
	Project      bool     `json:"project"`      // the tree describes a distribution
	Extras       []string `json:"extras"`       // of the project
	Requirements []string `json:"requirements"` // of the tests
	Build        []string `json:"build"`        // of building without isolation; empty where no state is built
	Self         []string `json:"self"`         // normalised names of the project's distributions
	Roots        []string `json:"roots"`        // source roots where there is no distribution to tell them
}

// compilers are build requirements that compile.
var compilers = []string{"cython", "pybind11", "nanobind", "cffi", "maturin", "setuptools-rust", "scikit-build",
	"scikit-build-core", "meson-python", "mypy", "numpy", "py-build-cmake"}

// Recipe derives the environment by rule: a virtual environment, the project with its test
// extras, the requirements of its test groups (pyproject.toml, setup.cfg, setup.py, tox, nox,
// requirements files), pytest. Groups named for development count only where none is named for
// tests. The project is then reduced to its metadata and a path into the tree.
//
// A project with extension modules, or with a source file that its build generates, is built
// in every state: a wheel is made and what the tree lacks is laid beside its sources, since an
// environment is read-only then.
func (Language) Recipe(t lang.Files) (model.Recipe, error) {
	if !slices.ContainsFunc(t.Paths(), func(p string) bool { return strings.HasSuffix(p, ".py") }) {
		return model.Recipe{}, fault(model.EnvironmentFailed, "no Python file")
	}
	project, err := pyproject(t)
	if err != nil {
		return model.Recipe{}, fault(model.EnvironmentFailed, err.Error())
	}
	set := readSetup(t)
	if reason := service(t); reason != "" {
		return model.Recipe{}, fault(model.NeedsService, reason)
	}
	pl := plan{Self: selfNames(t, project, set), Extras: []string{}, Requirements: []string{}, Build: []string{}}
	pl.Project = set.there || project.table("project") != nil || project.table("tool", "poetry", "name") != nil ||
		project.text("tool", "poetry", "name") != "" || project.table("tool", "flit", "metadata") != nil
	pl.Roots = roots(t)
	w := wishes(t, project, set)
	w.unique(pl.Self)
	pl.Requirements = append(pl.Requirements, w.requirements...)
	pl.Extras = declared(w.extras, project, set)
	var steps []model.Command
	if pl.Project && builds(t, project, set) {
		pl.Build = append(pl.Build, backend(project, set)...)
		steps = []model.Command{script("build")}
	}
	extra := versionEnv(t, project, set)
	for i := range steps {
		steps[i].Env = append(steps[i].Env, extra...)
	}
	return assemble(t, pl, requiresPython(project, set), steps, extra)
}

func assemble(t lang.Files, pl plan, python string, steps []model.Command, extra []string) (model.Recipe, error) {
	data, err := json.MarshalIndent(pl, "", " ")
	if err != nil {
		return model.Recipe{}, fmt.Errorf("write plan: %w", err)
	}
	r := model.Recipe{
		Language:  "python",
		Toolchain: "python" + python,
		Whole:     true,
		Files: []model.File{
			{Path: "plan.json", Mode: model.ModeFile, Data: append(data, '\n')},
			{Path: "taskmill_env.py", Mode: model.ModeFile, Data: envScript},
			{Path: "taskmill_pytest.py", Mode: model.ModeFile, Data: pytestPlugin},
		},
		Lock:     script("lock"),
		Self:     pl.Self,
		Probe:    script("probe"),
		Strip:    []string{"taskmill/__pycache__", "taskmill/*.pyc"},
		Protocol: protocol(steps, extra),
	}
	venv := model.Command{Argv: []string{"python3", "-m", "venv", "{env}/venv"}, Env: environ()}
	for name, out := range map[string]*[]model.Command{"install": &r.Prepare, "from-lock": &r.FromLock} {
		c := script(name)
		c.Env = append(c.Env, extra...)
		*out = []model.Command{venv, c}
	}
	for _, p := range []string{"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py"} {
		if d, ok := manifest(t, p); ok {
			r.Manifests = append(r.Manifests, model.File{Path: p, Mode: model.ModeFile, Data: d})
		}
	}
	for _, c := range append(append([]model.Command{}, r.Prepare...), r.FromLock...) {
		r.Protocol.Prepare = append(r.Protocol.Prepare, strings.Join(c.Argv, " "))
	}
	r.Protocol.Prepare = r.Protocol.Prepare[:len(r.Prepare)]
	return r, nil
}

func script(what string) model.Command {
	return model.Command{Argv: []string{interpreter, "{env}/taskmill/taskmill_env.py", what}, Env: environ(), Dir: "."}
}

func fault(reason model.Reason, detail string) error {
	return &model.Fault{Stage: model.StageEnvironment, Reason: reason, Detail: detail}
}

// wishes collects what the tests need from every place that says it.
func wishes(t lang.Files, p table, s setup) wish {
	var w wish
	for _, dev := range []bool{false, true} {
		w.merge(p.wishes(t, dev))
		w.extras = append(w.extras, chosen(s.extras, dev)...)
		if !dev {
			w.nox(t, p)
			for _, r := range s.tests {
				w.add(r)
			}
		}
		for _, f := range t.Paths() {
			if requirementsFile(f, dev) {
				w.file(t, f, 0)
			}
		}
		if len(w.requirements) > 0 || len(w.extras) > 0 {
			break
		}
	}
	if !s.there && p.table("project") == nil && p.table("tool", "poetry") == nil {
		w.file(t, "requirements.txt", 0)
	}
	return w
}

var (
	testFile = regexp.MustCompile(`^(?:(?:requirements?[-_./])?tests?(?:ing)?[-_]?(?:requirements?)?|tests?[-_/]requirements?|requirements?[-_/](?:unit)?tests?(?:ing)?)\.(?:txt|in|pip)$`)
	devFile  = regexp.MustCompile(`^(?:requirements?[-_/]dev(?:el|elop|elopment)?|dev[-_]requirements?)\.(?:txt|in)$`)
)

func requirementsFile(p string, dev bool) bool {
	if strings.Count(p, "/") > 1 || !strings.Contains(p, "require") {
		return false
	}
	if dev {
		return devFile.MatchString(strings.ToLower(p))
	}
	return testFile.MatchString(strings.ToLower(p))
}

// selfNames are the project's own distributions: pip finds them again after installing, and a
// test requirement of that name is the tree itself.
func selfNames(t lang.Files, p table, s setup) []string {
	var out []string
	for _, n := range []string{p.text("project", "name"), p.text("tool", "poetry", "name"), s.name,
		p.text("tool", "flit", "metadata", "dist-name"), p.text("tool", "flit", "metadata", "module")} {
		if n != "" && !slices.Contains(out, normal(n)) {
			out = append(out, normal(n))
		}
	}
	return out
}

// declared keeps the extras that the project has where its extras can be read.
func declared(extras []string, p table, s setup) []string {
	have := append(keys(p.table("project", "optional-dependencies")), keys(p.table("tool", "poetry", "extras"))...)
	have = append(have, keys(p.table("tool", "setuptools", "dynamic", "optional-dependencies"))...)
	have = append(have, keys(p.table("tool", "flit", "metadata", "requires-extra"))...)
	have = append(have, s.extras...)
	out := []string{}
	for _, e := range extras {
		if slices.ContainsFunc(have, func(h string) bool { return normal(h) == normal(e) }) {
			out = append(out, e)
		}
	}
	return out
}

// builds reports whether a state of the tree must be built before its tests.
func builds(t lang.Files, p table, s setup) bool {
	if s.compiled || p.at("tool", "setuptools", "ext-modules") != nil || p.at("tool", "poetry", "build") != nil {
		return true
	}
	for _, r := range p.list("build-system", "requires") {
		if slices.Contains(compilers, nameOf(r)) {
			return true
		}
	}
	if p.at("tool", "hatch", "build", "hooks", "custom") != nil || p.at("tool", "hatch", "build", "targets", "wheel", "hooks") != nil {
		return true
	}
	for _, at := range [][]string{
		{"tool", "setuptools_scm", "write_to"}, {"tool", "setuptools_scm", "version_file"},
		{"tool", "hatch", "build", "hooks", "vcs", "version-file"}, {"tool", "hatch", "build", "hooks", "version", "path"},
		{"tool", "pdm", "version", "write_to"},
	} {
		if f := p.text(at...); f != "" {
			if _, there, _ := t.Read(path.Clean(f)); !there {
				return true
			}
		}
	}
	if data, ok := manifest(t, "setup.py"); ok && strings.Contains(string(data), "write_to") {
		return true
	}
	return false
}

// backend is what building without isolation needs.
func backend(p table, s setup) []string {
	req := p.list("build-system", "requires")
	if len(req) == 0 {
		req = []string{"setuptools", "wheel"}
	}
	for _, r := range s.requires {
		if nameOf(r) != "" {
			req = append(req, strings.TrimSpace(r))
		}
	}
	if slices.ContainsFunc(req, func(r string) bool { return nameOf(r) == "setuptools" }) {
		req = append(req, "wheel") // setuptools before 70 has no bdist_wheel of its own
	}
	slices.Sort(req)
	return slices.Compact(req)
}

// requiresPython is the specifier that the project asks for, ">=3" where it says nothing.
func requiresPython(p table, s setup) string {
	for _, v := range []string{p.text("project", "requires-python"), constraint(p.text("tool", "poetry", "dependencies", "python")),
		p.text("tool", "flit", "metadata", "requires-python"), s.python} {
		if v = strings.ReplaceAll(v, " ", ""); v != "" {
			return v
		}
	}
	return ">=3"
}

// roots are source roots by layout: src where it holds packages, then the tree itself.
func roots(t lang.Files) []string {
	for _, p := range t.Paths() {
		if strings.HasPrefix(p, "src/") && strings.HasSuffix(p, ".py") && p != "src/__init__.py" {
			return []string{"src", ""}
		}
	}
	return []string{""}
}

// service names a service that the tests cannot do without, "" where that is not certain.
func service(t lang.Files) string {
	for _, p := range t.Paths() {
		if path.Base(p) != "conftest.py" {
			continue
		}
		data, ok := manifest(t, p)
		if ok && startsContainers.Match(data) {
			return p + " starts containers"
		}
	}
	return ""
}

var startsContainers = regexp.MustCompile(`(?m)^(?:from|import)\s+testcontainers\b`)
