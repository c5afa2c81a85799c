package python

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/tree"
)

const module1 = `"""M."""
import os
from typing import overload

LIMIT: int = 3
_hidden = None

@overload
def f(a: int) -> int: ...
def f(a, b=1, *args, key, **kw):
    """Does f.

    More.
    """
    return a

class C(Base):
    """A C."""
    size = 1

    def __init__(self, x):
        self.x = x

    @property
    def name(self) -> str:
        return self._n

    @name.setter
    def name(self, v): ...

    class Inner:
        def deep(self): pass

if os.name:
    def late(): pass
`

func TestSymbols(t *testing.T) {
	got, err := Language{}.Symbols(files("src/m.py", module1), "src/m.py")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range got {
		lines = append(lines, fmt.Sprintf("%s %s %v %d-%d %s | %s", s.Kind, s.Name, s.Exported, s.Start, s.End, s.Signature, strings.ReplaceAll(s.Doc, "\n", "/")))
	}
	want := []string{
		"constant LIMIT true 5-5 LIMIT: int | ", "variable _hidden false 6-6 _hidden | ",
		"function f true 10-15 def f(a, b=1, *args, key, **kw) | Does f.//More.",
		"parameter f.a true 10-10 a | ", "parameter f.b true 10-10 b=1 | ", "parameter f.args true 10-10 *args | ",
		"parameter f.key true 10-10 key | ", "parameter f.kw true 10-10 **kw | ",
		"class C true 17-32 class C(Base) | A C.", "variable C.size true 19-19 size | ",
		"method C.__init__ true 21-22 def __init__(self, x) | ", "parameter C.__init__.x true 21-21 x | ",
		"method C.name true 28-29 def name(self, v) | ", "parameter C.name.v true 29-29 v | ",
		"class C.Inner true 31-32 class Inner | ", "method C.Inner.deep true 32-32 def deep(self) | ",
		"function late true 35-35 def late() | ",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func named1(t *testing.T, in *tree.Tree, p string, syms []model.Symbol) string {
	t.Helper()
	got, err := Language{}.Names(in, p, syms)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range got {
		out = append(out, s.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestNames(t *testing.T) {
	lib := []string{"src/pkg/__init__.py", "from .core import run, Job\nfrom .core import *\n", "src/pkg/core.py", `
def run(fast=False): pass
def walk(): pass
class Job:
    def __init__(self, size=1): pass
    def perform(self): pass
    def get(self): pass
    def shared(self): pass
`, "src/pkg/other.py", "class Other:\n    def shared(self): pass\n"}
	syms, err := Language{}.Symbols(files(lib...), "src/pkg/core.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ src, want string }{
		{"from pkg.core import run\n", "run"},
		{"from pkg import run as r\nr(fast=1)\n", "run"},
		{"import pkg\npkg.run(fast=True)\n", "run run.fast"},
		{"import pkg.core as c\nc.walk()\n", "walk"},
		{"import pkg.core\npkg.core.walk\n", "walk"},
		{"from pkg import core\ncore.run\n", "run"},
		{"from pkg import *\nwalk()\n", "walk"},
		{"from elsewhere import run, walk\nrun(x=1)\n", ""},
		{"def run(): pass\nrun()\n", ""},
		{"x.perform()\n", "Job.perform"},
		{"x.get()\nx.shared()\n", ""},
		{"from pkg import Job\nj = Job(size=2)\nj.get()\nj.shared\n", "Job Job.__init__.size Job.get Job.shared"},
		{"from pkg.core import Job\nJob.get\n", "Job Job.get"},
	} {
		in := files(append([]string{"tests/test_a.py", c.src}, lib...)...)
		if got := named1(t, in, "tests/test_a.py", syms); got != c.want {
			t.Errorf("%q names %q, want %q", c.src, got, c.want)
		}
	}
	in := files(append([]string{"src/pkg/use.py", "def f():\n    from .core import walk\n    return walk()\n"}, lib...)...)
	if got := named1(t, in, "src/pkg/use.py", syms); got != "walk" {
		t.Errorf("relative import in a function: %q", got)
	}
}

func TestOpen(t *testing.T) {
	h := files("pkg/__init__.py", "", "pkg/core.py", "def kept(): pass\ndef gone(x=1): pass\ndef less(a, b=2): pass\nclass C:\n    def leave(self): pass\n",
		"pkg/old.py", "from .core import gone\n", "tests/test_a.py", "from pkg.core import gone\n", "pkg/new.py", "")
	removed, err := Language{}.Symbols(h, "pkg/core.py")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := Language{}.Symbols(files("pkg/new.py", "def fresh(): pass\n"), "pkg/new.py")
	if err != nil {
		t.Fatal(err)
	}
	removed = append(removed, newer...)
	for _, c := range []struct{ name, use, core, want string }{
		{"closed", "from .core import kept\n", "def kept(): pass\ndef less(a): pass\n", ""},
		{"an import", "from .core import (\n    kept,\n    gone,\n)\n", "def kept(): pass\ndef less(a): pass\n", "pkg/use.py:3 gone"},
		{"behind a module", "import pkg.core\n\ndef f():\n    return pkg.core.gone()\n", "def kept(): pass\ndef less(a): pass\n", "pkg/use.py:4 gone"},
		{"a parameter", "from .core import less\nless(1, b=3)\n", "def kept(): pass\ndef less(a): pass\n", "pkg/use.py:2 less.b"},
		{"a member of a unique name", "def f(c):\n    c.leave()\n", "def kept(): pass\nclass C: pass\n", "pkg/use.py:2 C.leave"},
		{"in its own file", "", "def kept():\n    return gone()\n", "pkg/core.py:2 gone"},
		{"a local of that name", "def f(gone):\n    return gone\n", "def kept(gone):\n    return gone\n", ""},
		{"a module that went", "from . import new\nnew.fresh()\nfrom .new import fresh\n", "", "pkg/use.py:2 fresh"},
	} {
		after := []string{"pkg/__init__.py", "", "pkg/core.py", c.core, "pkg/old.py", "from .core import gone\n", "pkg/use.py", c.use, "tests/test_a.py", "from pkg.core import gone\n"}
		got, err := Language{}.Open(files(after...), removed, files("pkg/__init__.py", "", "pkg/old.py", "from .core import gone\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSurfaces(t *testing.T) {
	base := []string{"pkg/__init__.py", "", "tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef deep():\n    return 1\n\n@pytest.fixture\ndef far():\n    return 2\n",
		"tests/test_a.py", `import pytest
from pkg import Thing, run
import pkg.more as more

CASES = [1, 2]

def helper(x):
    return run(x, fast=True)

@pytest.fixture
def near(deep):
    return deep

@pytest.mark.parametrize("c", CASES)
def test_one(c, near):
    """Doc."""
    assert helper(c)

class TestK:
    def setup_method(self):
        self.t = Thing()

    def test_two(self):
        assert self.t.method() == more.what

    class TestIn:
        def test_three(self, far): pass

class Mixin:
    def test_mixed(self): pass

class TestD(Mixin):
    pass
`}
	surfaces := func(edit ...string) map[string]model.Surface {
		pairs := slices.Clone(base)
		for i := range pairs {
			if len(edit) == 2 {
				pairs[i] = strings.Replace(pairs[i], edit[0], edit[1], 1)
			}
		}
		got, err := Language{}.Surfaces(files(pairs...), "tests/test_a.py")
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]model.Surface{}
		for _, s := range got {
			out[s.Function] = s
		}
		return out
	}
	old := surfaces()
	var names []string
	for n := range old {
		names = append(names, n)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"TestD::test_mixed", "TestK::TestIn::test_three", "TestK::test_two", "test_one"}, names); diff != "" {
		t.Fatal(diff)
	}
	for _, c := range []struct{ from, to, touched string }{
		{"CASES = [1, 2]", "CASES = [1]", "test_one"},
		{"return deep\n", "return deep + 1\n", "test_one"},
		{"    return 1\n", "    return 3\n", "test_one"},
		{"fast=True", "fast=False", "test_one"},
		{"    return 2\n", "    return 4\n", "TestK::TestIn::test_three"},
		{"self.t = Thing()", "self.t = Thing(1)", "TestK::TestIn::test_three TestK::test_two"},
		{"import pytest\nfrom", "import pytest\n\n# moved\n\nfrom", ""},
		{"def test_mixed(self): pass", "def test_mixed(self): assert 1", "TestD::test_mixed"},
	} {
		var touched []string
		for n, s := range surfaces(c.from, c.to) {
			if s.Digest != old[n].Digest {
				touched = append(touched, n)
			}
		}
		slices.Sort(touched)
		if got := strings.Join(touched, " "); got != c.touched {
			t.Errorf("%q to %q touches %q, want %q", c.from, c.to, got, c.touched)
		}
	}
	for f, uses := range map[string][]string{"test_one": {"run", "run.fast"}, "TestK::test_two": {"method", "pkg.more.what", "Thing"}} {
		for _, u := range uses {
			if !slices.Contains(old[f].Uses, u) {
				t.Errorf("%s uses %v, not %s", f, old[f].Uses, u)
			}
		}
	}
	if s := old["test_one"]; s.Title != "one" || s.Start != 14 || s.End != 17 {
		t.Errorf("%+v", s)
	}
}
