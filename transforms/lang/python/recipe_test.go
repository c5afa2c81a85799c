package python

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func planOf(t *testing.T, r model.Recipe) plan {
	t.Helper()
	var p plan
	for _, f := range r.Files {
		if f.Path == "plan.json" {
			if err := json.Unmarshal(f.Data, &p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

func TestRecipe(t *testing.T) {
	none := []string{}
	for _, c := range []struct {
		name      string
		files     []string
		want      plan
		toolchain string
	}{
		{"extras", []string{"src/p/__init__.py", "", "pyproject.toml", `
[project]
name = "My.Pkg"
requires-python = ">=3.9"
[project.optional-dependencies]
tests = ["pytest"]
dev = ["black"]
docs = ["sphinx"]
`}, plan{true, []string{"tests"}, none, none, []string{"my-pkg"}, []string{"src", ""}}, "python>=3.9"},
		{"dependency groups include others; the project itself is none", []string{"p.py", "", "pyproject.toml", `
[project]
name = "p"
[dependency-groups]
base = ["attrs", "P"]
test = [{include-group = "base"}, "pytest>=7"]
lint = ["ruff"]
`}, plan{true, none, []string{"attrs", "pytest>=7"}, none, []string{"p"}, []string{""}}, "python>=3"},
		{"development where nothing is for tests", []string{"p.py", "", "pyproject.toml", `
[tool.poetry]
name = "p"
[tool.poetry.dependencies]
python = "^3.8"
[tool.poetry.dev-dependencies]
pytest = "^7.1"
black = {version = "~22.1", markers = "python_version > '3.7'"}
near = {path = "../near"}
zero = "^0.2.3"
`}, plan{true, none, []string{"black>=22.1,<22.2 ; python_version > '3.7'", "pytest>=7.1,<8", "zero>=0.2.3,<0.3"}, none, []string{"p"}, []string{""}}, "python>=3.8,<4"},
		{"setup.py, tox and requirements files", []string{"p.py", "", "setup.py", `
from setuptools import setup
EXTRAS = {"testing": ["mock"], "docs": []}
setup(name="p", python_requires=">=3.7", extras_require=EXTRAS, tests_require=["nose"])
`, "tox.ini", `
[testenv]
deps =
    -r{toxinidir}/requirements/test.txt
    py37: importlib-metadata ; python_version < "3.8"
    docs: sphinx
    {env:X:y}
extras = testing
[testenv:lint]
deps = flake8
`, "requirements/test.txt", "-r base.txt\npytest-mock==3.0 \\\n  --hash=sha256:00\n-e .\n# no\n--index-url https://x\n", "requirements/base.txt", "attrs # for tests\n"},
			plan{true, []string{"testing"}, []string{"attrs", "importlib-metadata ; python_version < \"3.8\"", "nose", "pytest-mock==3.0"}, none, []string{"p"}, []string{""}}, "python>=3.7"},
		{"nox", []string{"p.py", "", "pyproject.toml", "[project]\nname = \"p\"\n[dependency-groups]\nunit = [\"attrs\"]\n[project.optional-dependencies]\nall = []\n", "noxfile.py", `
import nox

@nox.session
def tests(session):
    session.install("-r", "tests/requirements.txt", "pretend", f"x{1}")
    session.install("-e", ".[all]")
    session.run("uv", "sync", "--group", "unit")

@nox.session
def lint(session):
    session.install("pre-commit")
`, "tests/requirements.txt", "hypothesis\n"}, plan{true, []string{"all"}, []string{"attrs", "hypothesis", "pretend"}, none, []string{"p"}, []string{""}}, "python>=3"},
		{"no distribution", []string{"app/__init__.py", "", "requirements.txt", "flask\n"}, plan{false, none, []string{"flask"}, none, none, []string{""}}, "python>=3"},
		{"extension modules are built", []string{"p.py", "", "pyproject.toml", "[build-system]\nrequires = [\"setuptools\", \"Cython>=3\"]\n[project]\nname = \"p\"\n"},
			plan{true, none, none, []string{"Cython>=3", "setuptools", "wheel"}, []string{"p"}, []string{""}}, "python>=3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Language{}.Recipe(files(c.files...))
			if err != nil {
				t.Fatal(err)
			}
			got := planOf(t, r)
			if len(c.want.Self)+len(got.Self) == 0 {
				c.want.Self, got.Self = nil, nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if r.Toolchain != c.toolchain {
				t.Errorf("toolchain %s, want %s", r.Toolchain, c.toolchain)
			}
			if (len(r.Protocol.Build) > 0) != (len(c.want.Build) > 0) {
				t.Errorf("build is %v", r.Protocol.Build)
			}
			again, err := Language{}.Recipe(files(c.files...))
			if err != nil || again.ID() != r.ID() {
				t.Errorf("two recipes of one tree differ: %v", err)
			}
		})
	}
}

func TestRecipeFaults(t *testing.T) {
	for _, c := range []struct {
		files  []string
		reason model.Reason
	}{
		{[]string{"main.go", ""}, model.EnvironmentFailed},
		{[]string{"p.py", "", "pyproject.toml", "[project\n"}, model.EnvironmentFailed},
		{[]string{"p.py", "", "tests/conftest.py", "from testcontainers.postgres import PostgresContainer\n"}, model.NeedsService},
	} {
		_, err := Language{}.Recipe(files(c.files...))
		var f *model.Fault
		if !errors.As(err, &f) || f.Reason != c.reason || f.Stage != model.StageEnvironment {
			t.Errorf("%q: %v, want %s", c.files, err, c.reason)
		}
	}
}

const secret = "the answer is forty two"

var project = []string{
	"pyproject.toml", `
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"
[project]
name = "Sample.Thing"
version = "1.2.3"
description = "not kept"
dependencies = ["iniconfig"]
[project.scripts]
thing = "sample_thing:main"
[project.optional-dependencies]
test = ["pytest"]
[tool.setuptools.package-data]
sample_thing = ["*.txt"]
`,
	"src/sample_thing/__init__.py", "ANSWER = '" + secret + "'\ndef main():\n    print(ANSWER)\n",
	"src/sample_thing/data.txt", secret,
	"tests/test_thing.py", `from importlib.metadata import entry_points, version
import os, subprocess, sys
import sample_thing

def test_tree():
    assert version("sample-thing") == "1.2.3"
    assert os.path.relpath(sample_thing.__file__).startswith("src")
    assert any(e.value == "sample_thing:main" for e in entry_points(group="console_scripts"))

def test_script():
    out = subprocess.check_output([os.path.join(os.path.dirname(sys.executable), "thing")])
    assert b"answer" in out
`}

// After preparing, nothing of the tree is left in the environment, and tests load the tree.
func TestPrepare(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no environment of a project is prepared")
	}
	in := files(project...)
	b := newBox(t, in)
	if out, err := exec.Command("python3", "-m", "pip", "download", "--no-deps", "-d", t.TempDir(), "iniconfig").CombinedOutput(); err != nil {
		t.Skipf("pip reaches no index: preparing is not tested:\n%s", out)
	}
	r, err := Language{}.Recipe(in)
	if err != nil {
		t.Fatal(err)
	}
	lock := b.prepare(r, nil)
	if !bytes.Contains(lock, []byte("iniconfig==")) || !bytes.Contains(lock, []byte("pytest==")) || bytes.Contains(lock, []byte("sample")) {
		t.Errorf("lock:\n%s", lock)
	}
	clean := func() {
		err := filepath.WalkDir(b.env, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(p)
			if bytes.Contains(data, []byte(secret)) || bytes.Contains(data, []byte("not kept")) {
				t.Errorf("%s holds the project", strings.TrimPrefix(p, b.env))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	clean()
	if o := b.run(r.Probe, ""); o.ExitCode != 0 {
		t.Errorf("probe: %s", o.Log)
	}
	res, o := b.execute(r.Protocol, model.Run{Unit: "tests/test_thing.py"})
	if diff := cmp.Diff(map[string]string{"tests/test_thing.py::test_tree": "pass", "tests/test_thing.py::test_script": "pass"}, verdicts(res)); diff != "" {
		t.Errorf("%s\n%s", diff, o.Log)
	}
	// The tree as it was: nothing was built in it.
	for _, p := range []string{"build", "src/Sample.Thing.egg-info", "src/sample_thing.egg-info"} {
		if _, err := os.Stat(filepath.Join(b.testbed, p)); err == nil {
			t.Errorf("preparing left %s in the tree", p)
		}
	}
	site, err := filepath.Glob(filepath.Join(b.env, "venv/lib/python3*/site-packages"))
	if err != nil || len(site) != 1 {
		t.Fatal(site, err)
	}
	write(t, filepath.Join(site[0], "sample_thing.py"), nil)
	if o := b.run(r.Probe, ""); o.ExitCode == 0 {
		t.Error("the probe takes an installed copy")
	}
	if err := os.RemoveAll(b.env); err != nil {
		t.Fatal(err)
	}
	if again := b.prepare(r, lock); !bytes.Equal(again, lock) {
		t.Errorf("from the lock:\n%s\nwas\n%s", again, lock)
	}
	clean()
}

// A source file that only a build makes is laid into each state; the version is the changelog's.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no project is built")
	}
	in := files("pyproject.toml", `
[build-system]
requires = ["setuptools>=61", "setuptools_scm>=8"]
build-backend = "setuptools.build_meta"
[project]
name = "made"
dynamic = ["version"]
[tool.setuptools_scm]
version_file = "src/made/release.py"
`, "CHANGES.md", "# Changes\n\n## Unreleased\n\n## 2.7.1 (2024-01-01)\n", "src/made/__init__.py", "from .release import version\n",
		"tests/test_made.py", "import made\n\ndef test_version():\n    assert made.version == '2.7.1'\n")
	b := newBox(t, in)
	if out, err := exec.Command("python3", "-m", "pip", "download", "--no-deps", "-d", t.TempDir(), "setuptools_scm").CombinedOutput(); err != nil {
		t.Skipf("pip reaches no index: building is not tested:\n%s", out)
	}
	r, err := Language{}.Recipe(in)
	if err != nil {
		t.Fatal(err)
	}
	b.prepare(r, nil)
	b.lay(in)
	for _, c := range r.Protocol.Build {
		c.Env = append(c.Env, "PIP_NO_INDEX=1")
		if o := b.run(c, ""); o.ExitCode != 0 {
			t.Fatalf("build: %s", o.Log)
		}
	}
	res, o := b.execute(r.Protocol, model.Run{Unit: "tests/test_made.py"})
	if v := verdicts(res); v["tests/test_made.py::test_version"] != "pass" {
		t.Errorf("%v\n%s", v, o.Log)
	}
}

func FuzzManifests(f *testing.F) {
	f.Add([]byte("[project]\nname='x'\n"), []byte("[testenv]\ndeps = x\n"), []byte("setup(name='x', extras_require={'test': []})\n"), []byte("-r a\nb[c]==1 ; d\n"))
	f.Fuzz(func(t *testing.T, project, tox, setup, req []byte) {
		in := files("a.py", "", "pyproject.toml", string(project), "tox.ini", string(tox), "setup.cfg", string(tox), "setup.py", string(setup), "requirements-test.txt", string(req), "noxfile.py", string(setup))
		r, err := Language{}.Recipe(in)
		if err != nil {
			return
		}
		for _, w := range planOf(t, r).Requirements {
			if strings.HasPrefix(w, "-") || strings.Contains(w, "\n") {
				t.Errorf("requirement %q is an option", w)
			}
		}
		Language{}.Restore("pyproject.toml", project, tox)
		Language{}.Restore("tox.ini", tox, project)
	})
}
