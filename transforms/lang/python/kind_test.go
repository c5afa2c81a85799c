package python

import (
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

func TestKind(t *testing.T) {
	for path, want := range map[string]model.Kind{
		"src/pkg/a.py": model.Production, "pkg/latest.py": model.Production, "contest/a.py": model.Production,
		"attestation.py": model.Production, "src/pkg/pytest_plugin.py": model.Production, "src/pkg/testing.py": model.Production,
		"pkg/a.pyi": model.Production, "pkg/fast.pyx": model.Production, "pkg/testsuite.py": model.Production,
		"test_a.py": model.CheckFile, "pkg/a_test.py": model.CheckFile, "conftest.py": model.CheckFile,
		"tests/helpers.py": model.CheckFile, "pkg/tests/__init__.py": model.CheckFile, "test/run.py": model.CheckFile,
		"docs/test_a.py":    model.CheckFile,
		"tests/data/a.json": model.CheckData, "tests/README.md": model.CheckData, "pkg/test/x": model.CheckData,
		"tests/data/pyproject.toml": model.CheckData,
		"tests/requirements.txt":    model.Configuration, "tests/pytest.ini": model.Configuration,
		"docs/conf.py": model.Docs, "docs/index.rst": model.Docs, "README.md": model.Docs, "CHANGES.rst": model.Docs,
		"setup.py": model.Configuration, "pyproject.toml": model.Configuration, "tox.ini": model.Configuration,
		"noxfile.py": model.Configuration, "requirements-dev.txt": model.Configuration, "requirements/test.txt": model.Configuration,
		"pkg/a_pb2.py": model.Generated, "src/pkg/_version.py": model.Generated,
		"src/pkg/_vendor/six.py": model.Vendored, "main.go": model.Other,
	} {
		if got := (Language{}).Kind(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestUnitsAndIDs(t *testing.T) {
	for path, want := range map[string]bool{"tests/test_a.py": true, "a_test.py": true, "conftest.py": false, "tests/helpers.py": false, "src/a.py": false} {
		if u, ok := (Language{}).Unit(nil, path); ok != want || ok && u != path {
			t.Errorf("unit of %s: %q %v", path, u, ok)
		}
	}
	for id, want := range map[string][2]string{
		"tests/test_a.py::test_x":               {"tests/test_a.py", "test_x"},
		"tests/test_a.py::TestA::test_x[a::b]":  {"tests/test_a.py", "TestA::test_x"},
		"tests/test_a.py::test_x[b.py::c]":      {"tests/test_a.py", "test_x"},
		"d[1]/test_a.py::test_x[]":              {"d[1]/test_a.py", "test_x"},
		"docs/a.rst::a.rst":                     {"docs/a.rst", "a.rst"},
		"tests/test_a.py":                       {"tests/test_a.py", ""},
		"tests/test_a.py::TestA::TestB::test_x": {"tests/test_a.py", "TestA::TestB::test_x"},
	} {
		if u, f := (Language{}).Function(id); u != want[0] || f != want[1] {
			t.Errorf("%s is %q of %q", id, f, u)
		}
	}
}

func TestSyntax(t *testing.T) {
	for src, ok := range map[string]bool{
		"def f(x: int = 1, /, *, y) -> None: ...\n":                           true,
		"match x:\n    case [1, *rest]:\n        pass\ntype A[T] = list[T]\n": true,
		"def broken(:\n    pass\n":                                            false,
		"x = (1,\n":                                                           false,
		"async def f():\n    async with a as b:\n        return [await c async for c in d]\n": true,
	} {
		if err := (Language{}).Syntax("a.py", []byte(src)); (err == nil) != ok {
			t.Errorf("%q: %v", src, err)
		}
	}
	deep := make([]byte, 0, 200000)
	for range 100000 {
		deep = append(deep, '(')
	}
	if err := (Language{}).Syntax("a.py", deep); err == nil {
		t.Error("100,000 open brackets are no error")
	}
	if err := (Language{}).Syntax("a.txt", []byte("(")); err != nil {
		t.Error(err)
	}
}

func TestNearby(t *testing.T) {
	in := files(
		"src/pkg/__init__.py", "from .core import run\n", "src/pkg/core.py", "", "src/pkg/sub/__init__.py", "", "src/pkg/sub/leaf.py", "",
		"tests/test_core.py", "", "tests/test_api.py", "import pkg\n", "tests/test_leaf_use.py", "from pkg.sub import leaf\n",
		"tests/test_far.py", "import other\n", "src/pkg/sub/test_rel.py", "from . import leaf\n", "tests/test_in.py", "def test_x():\n    from pkg.core import run\n",
	)
	for _, c := range []struct{ path, want string }{
		{"src/pkg/core.py", "tests/test_core.py tests/test_in.py tests/test_api.py"},
		{"src/pkg/sub/leaf.py", "src/pkg/sub/test_rel.py tests/test_leaf_use.py tests/test_api.py"},
		{"README.md", ""},
	} {
		var got strings.Builder
		for i, u := range (Language{}).Nearby(in, []string{c.path}) {
			if i > 0 {
				got.WriteString(" ")
			}
			got.WriteString(u)
		}
		if got.String() != c.want {
			t.Errorf("near %s: %s, want %s", c.path, got.String(), c.want)
		}
	}
	many := []model.File{{Path: "pkg/core.py"}, {Path: "pkg/__init__.py"}}
	for i := range 30 {
		many = append(many, model.File{Path: "tests/test_" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".py", Data: []byte("import pkg.core\n")})
	}
	if n := len((Language{}).Nearby(tree.Of(many...), []string{"pkg/core.py"})); n != 20 {
		t.Errorf("%d units", n)
	}
}

func TestRestore(t *testing.T) {
	const project = "[project]\nname = \"x\"\n\n"
	for _, c := range []struct{ name, path, want, have, out string }{
		{"whole", "tests/conftest.py", "a", "b", "a"},
		{"added section goes", "pyproject.toml", project, project + "[tool.pytest.ini_options]\naddopts = \"-p evil\"\n", project},
		{"only the section", "pyproject.toml", "[tool.pytest.ini_options]\na = 1\n\n[tool.x]\nold = 1\n", "[tool.x]\nnew = 1\n\n[tool.pytest.ini_options]\na = 2\n",
			"[tool.x]\nnew = 1\n\n[tool.pytest.ini_options]\na = 1\n\n"},
		{"equal section keeps its place", "pyproject.toml", "[tool.pytest.ini_options]\na = 1\n", "[tool.pytest.ini_options]\na = 1\n[tool.x]\nnew = 1\n",
			"[tool.pytest.ini_options]\na = 1\n[tool.x]\nnew = 1\n"},
		{"a dotted key is no way around", "pyproject.toml", project, "tool.pytest.ini_options.addopts = \"-p evil\"\n", project},
		{"nor an indented header", "pyproject.toml", project, project + "  [tool.pytest.ini_options]\n  addopts = \"-p evil\"\n", project},
		{"nor a string that looks like a header", "pyproject.toml", project, project + "[tool.x]\na = \"\"\"\n[tool.pytest.ini_options]\n\"\"\"\n",
			project + "[tool.x]\na = \"\"\"\n[tool.pytest.ini_options]\n\"\"\"\n"},
		{"setup.cfg", "setup.cfg", "[metadata]\nname = a\n[tool:pytest]\nx = 1\n", "[metadata]\nname = b\n[tool:pytest]\nx = 2\n", "[metadata]\nname = b\n[tool:pytest]\nx = 1\n"},
		{"tox.ini", "tox.ini", "", "[pytest]\naddopts = x\n[tox]\n", "[tox]\n"},
	} {
		got := Language{}.Restore(c.path, []byte(c.want), []byte(c.have))
		if string(got) != c.out {
			t.Errorf("%s: %q, want %q", c.name, got, c.out)
		}
		if again := (Language{}).Restore(c.path, []byte(c.want), got); string(again) != c.out {
			t.Errorf("%s: restoring again gives %q", c.name, again)
		}
	}
	if got := (Language{}).Restore("pytest.ini", nil, []byte("[pytest]\n")); got != nil {
		t.Errorf("a pytest.ini that was added stays: %q", got)
	}
	for p, want := range map[string]bool{"a/conftest.py": true, "x.pth": true, ".coveragerc": false, "noxfile.py": false, "sitecustomize.py": true, "src/a.py": false} {
		if (Language{}).Protected(p) != want {
			t.Errorf("protected %s is not %v", p, want)
		}
	}
}

var _ lang.Files = (*tree.Tree)(nil)
