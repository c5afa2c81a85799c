package python

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

var shared struct {
	sync.Once
	env, why string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.env != "" {
		os.RemoveAll(shared.env)
	}
	os.Exit(code)
}

// pytestBox is a box whose environment, pytest alone, all tests share.
func pytestBox(t *testing.T, in *tree.Tree) (*box, model.Protocol) {
	t.Helper()
	b := newBox(t, in)
	r, err := Language{}.Recipe(files("test_a.py", ""))
	if err != nil {
		t.Fatal(err)
	}
	shared.Do(func() {
		dir, err := os.MkdirTemp("", "taskmill-python-")
		if err != nil {
			t.Fatal(err)
		}
		shared.env = dir
		b.env = dir
		for _, f := range r.Files {
			write(t, dir+"/taskmill/"+f.Path, f.Data)
		}
		for _, c := range r.Prepare {
			if o := b.run(c, ""); o.ExitCode != 0 {
				shared.why = string(o.Log)
				return
			}
		}
	})
	if shared.why != "" {
		t.Skipf("pytest cannot be installed: nothing of it is tested:\n%s", shared.why)
	}
	b.env = shared.env
	return b, r.Protocol
}

func verdicts(r lang.Result) map[string]string {
	out := map[string]string{}
	for _, c := range r.Checks {
		out[c.ID] = string(c.Verdict)
	}
	return out
}

const phases = `import unittest
import pytest

@pytest.fixture
def broken():
    raise ValueError("no")

@pytest.fixture
def ends():
    yield
    raise ValueError("late")

@pytest.mark.xfail
def test_executed_xfail():
    assert False

@pytest.mark.xfail(run=False)
def test_not_run():
    assert True

@pytest.mark.xfail(strict=True)
def test_strict_xpass():
    assert True

@pytest.mark.xfail
def test_xpass():
    pass

@pytest.mark.skip
def test_skipped():
    assert True

def test_imperative():
    pytest.xfail("known")

def test_setup(broken):
    pass

def test_teardown(ends):
    pass

def test_both(ends):
    assert False

class TestU(unittest.TestCase):
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(i, 0)

    def test_sub_holds(self):
        with self.subTest(i=1):
            pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.skip("no")
    def test_skip(self):
        pass
`

func TestVerdicts(t *testing.T) {
	b, p := pytestBox(t, files("test_x.py", phases, "pytest.ini", "[pytest]\naddopts = -x -n 3 --cov=pkg --cov-report term --cov-fail-under=90 --lf --reruns 2 -q\n"))
	res, o := b.execute(p, model.Run{Unit: "test_x.py"})
	want := map[string]string{
		"test_x.py::test_executed_xfail": "xfail", "test_x.py::test_not_run": "not_run",
		"test_x.py::test_strict_xpass": "fail", "test_x.py::test_xpass": "xpass", "test_x.py::test_skipped": "skip",
		"test_x.py::test_imperative": "xfail", "test_x.py::test_setup": "error", "test_x.py::test_teardown": "error",
		"test_x.py::test_both": "fail", "test_x.py::TestU::test_sub": "fail", "test_x.py::TestU::test_sub_holds": "pass",
		"test_x.py::TestU::test_expected": "xfail", "test_x.py::TestU::test_skip": "skip",
	}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s\n%s", diff, o.Log)
	}
	if !res.Complete || !res.Agrees || res.BuildError || res.NoMatch {
		t.Errorf("%+v\n%s", res, o.Log)
	}
}

// Names are whole and equal between runs.
func TestOddNames(t *testing.T) {
	b, p := pytestBox(t, files("tests/test_names.py", `import pytest

@pytest.mark.parametrize("s", [
    "Unit 'deg' \\(angle\\) could. ",
    "a::b",
    "[{\"de\"",
    "straße",
    "x > 100) ",
    "",
], ids=lambda s: s)
def test_p(s):
    assert isinstance(s, str)
`))
	one, o := b.execute(p, model.Run{Unit: "tests/test_names.py"})
	two, _ := b.execute(p, model.Run{Unit: "tests/test_names.py", Order: 7})
	if len(one.Checks) != 6 || !one.Agrees {
		t.Fatalf("%+v\n%s", one, o.Log)
	}
	if diff := cmp.Diff(verdicts(one), verdicts(two)); diff != "" {
		t.Error(diff)
	}
	ids := verdicts(one)
	for _, id := range []string{`tests/test_names.py::test_p[Unit 'deg' \\(angle\\) could. ]`, "tests/test_names.py::test_p[a::b]", `tests/test_names.py::test_p[[{"de"]`} {
		if ids[id] != "pass" {
			t.Errorf("%q is not among %q", id, ids)
		}
		if unit, f := split(id); unit != "tests/test_names.py" || f != "test_p" {
			t.Errorf("%q is %q of %q", id, f, unit)
		}
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   []string
		run     model.Run
		want    map[string]string
		result  lang.Result // the flags only
		missing []string
	}{
		{name: "no tests: printed results and status 0", files: []string{
			"src.py", "import os, sys\nprint('PASSED test_real.py::test_a')\nprint('1 passed in 0.01s')\nsys.stdout.flush()\nos._exit(0)\n",
			"test_real.py", "import src\n\ndef test_a():\n    assert src.value == 1\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{}, result: lang.Result{Detail: "no tests ran"}},
		{name: "syntax error in the package", files: []string{"pkg.py", "def broken(:\n    pass\n", "test_real.py", "import pkg\n\ndef test_a():\n    assert True\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{},
			result: lang.Result{Complete: true, Agrees: true, BuildError: true}},
		{name: "a missing name", files: []string{"pkg.py", "a = 1\n", "test_real.py", "from pkg import (a,\n  gone)\n\ndef test_a():\n    assert True\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{}, missing: []string{"gone"},
			result: lang.Result{Complete: true, Agrees: true, BuildError: true}},
		{name: "an attribute of a module", files: []string{"pkg.py", "class C: pass\n", "test_real.py", "import pkg\nX = pkg.C.gone\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{}, missing: []string{"gone", "C.gone"},
			result: lang.Result{Complete: true, Agrees: true, BuildError: true}},
		{name: "a fault that tells its place", files: []string{"test_real.py", "raise OSError(__file__, object())\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{},
			result: lang.Result{Complete: true, Agrees: true, BuildError: true, Detail: "OSError: [Errno test_real.py] <object object at 0x>"}},
		{name: "conftest.py cannot be imported", files: []string{"pkg.py", "", "conftest.py", "from pkg import gone\n", "test_real.py", "def test_a(): pass\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{}, missing: []string{"gone"},
			result: lang.Result{Agrees: true, BuildError: true}},
		{name: "exit while importing", files: []string{"test_real.py", "import sys\nsys.exit(0)\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{},
			result: lang.Result{Complete: true, BuildError: true, Agrees: true}},
		{name: "nothing matches", files: []string{"test_real.py", "def test_a(): pass\n"},
			run: model.Run{Unit: "test_real.py", Only: []string{"test_b"}}, want: map[string]string{},
			result: lang.Result{Complete: true, Agrees: true, NoMatch: true, Detail: "no test matched"}},
		{name: "no such file", files: []string{"test_real.py", "def test_a(): pass\n"},
			run: model.Run{Unit: "test_gone.py"}, want: map[string]string{},
			result: lang.Result{Complete: true, Agrees: true, NoMatch: true, Detail: "no test matched"}},
		{name: "only and skip are of whole functions", files: []string{"test_real.py",
			"import pytest\n@pytest.mark.parametrize('x', ['a', 'b'])\ndef test_a(x): pass\ndef test_ab(): pass\nclass TestC:\n  def test_a(self): pass\n  def test_b(self): pass\n", "test_more.py", "def test_a(): pass\n"},
			run: model.Run{Unit: "test_real.py", With: []string{"test_more.py"}, Only: []string{"test_a", "TestC::test_a", "TestC::test_b"}, Skip: []string{"TestC::test_b"}},
			want: map[string]string{"test_real.py::test_a[a]": "pass", "test_real.py::test_a[b]": "pass",
				"test_real.py::TestC::test_a": "pass", "test_more.py::test_a": "pass"},
			result: lang.Result{Complete: true, Agrees: true}},
		{name: "the process dies in a test", files: []string{"test_real.py", "import os\ndef test_a(): pass\ndef test_b():\n    os._exit(0)\ndef test_c(): pass\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{"test_real.py::test_a": "pass", "test_real.py::test_b": "crash"},
			result: lang.Result{Running: "test_b", Detail: "the process ended before its tests"}},
		{name: "hooks that lie about the status", files: []string{"conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
			"test_real.py", "def test_a(): assert False\n"},
			run: model.Run{Unit: "test_real.py"}, want: map[string]string{"test_real.py::test_a": "fail"},
			result: lang.Result{Complete: true, Detail: "exit status 0, report says 1"}},
		{name: "ini in a subfolder keeps ids relative to the tree", files: []string{"sub/pytest.ini", "[pytest]\n", "sub/test_real.py", "def test_a(): pass\n"},
			run: model.Run{Unit: "sub/test_real.py"}, want: map[string]string{"sub/test_real.py::test_a": "pass"},
			result: lang.Result{Complete: true, Agrees: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, p := pytestBox(t, files(c.files...))
			res, o := b.execute(p, c.run)
			if diff := cmp.Diff(c.want, verdicts(res)); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s\n%s", diff, o.Log)
			}
			var names []string
			for _, d := range res.Diagnostics {
				names = append(names, d.Names...)
				if len(c.missing) > 0 && !strings.HasSuffix(d.Path, ".py") {
					t.Errorf("no place: %+v", d)
				}
			}
			if diff := cmp.Diff(c.missing, names); diff != "" {
				t.Errorf("missing names (-want +got):\n%s", diff)
			}
			got := res
			got.Checks, got.Diagnostics = nil, nil
			if c.result.Detail == "" {
				got.Detail = ""
			}
			if diff := cmp.Diff(c.result, got); diff != "" {
				t.Errorf("result (-want +got):\n%s\nstatus %d\n%s\n%s", diff, o.ExitCode, o.Report, o.Log)
			}
		})
	}
}

// A guard whose failing check passes shows that outcomes are rewritten.
func TestGuard(t *testing.T) {
	in := files("tests/test_a.py", "def test_a(): assert False\n", "tests/conftest.py", `import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    out = yield
    rep = out.get_result()
    if rep.when == "call":
        rep.outcome = "passed"
`)
	g, err := Language{}.Guard(in, "tests/test_a.py", "k3x")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range g.Files {
		in = in.With(model.TreeChange{Path: f.Path, Mode: f.Mode, Data: f.Data})
	}
	b, p := pytestBox(t, in)
	res, _ := b.execute(p, model.Run{Unit: "tests/test_a.py", With: g.With})
	if v := verdicts(res); v[g.Fail] != "pass" || v[g.Pass] != "pass" {
		t.Errorf("with the lying conftest.py: %v", v)
	}
	b.lay(in.With(model.TreeChange{Path: "tests/conftest.py", Delete: true}))
	res, _ = b.execute(p, model.Run{Unit: "tests/test_a.py", With: g.With, Only: []string{"test_a"}})
	if v := verdicts(res); v[g.Fail] != "fail" || v[g.Pass] != "pass" || len(v) != 3 || !res.Agrees {
		t.Errorf("without it: %v", v)
	}
	in = files("lib/__init__.py", "", "lib/core.py", "def f(): return 1\n", "tests/test_a.py", "import os\nfrom lib.core import (\n    f,\n    f as g,\n)\n\ndef test_a(): assert f() == 1\n")
	if g, err = (Language{}).Guard(in, "tests/test_a.py", "k3x"); err != nil {
		t.Fatal(err)
	}
	if got, want := string(g.Files[0].Data), "from lib.core import (\n    f,\n    f as g,\n)\n\n\ndef test_"; !strings.HasPrefix(got, want) {
		t.Errorf("planted: %s\nwant it to begin with %s", got, want)
	}
	if _, err := (Language{}).Guard(in, "tests/test_a.py", "../x"); err == nil {
		t.Error("a token that is a path is taken")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"event":"start","id":"a.py::b"}`+"\n"+`{"event":"phase","id":"a.py::b","when":"call","outcome":"passed"}`+"\n"), 0)
	f.Add([]byte(`{"event":"finish","exit":0}`+"\n{"), 1)
	f.Fuzz(func(t *testing.T, report []byte, exit int) {
		res := Language{}.Read(model.Run{Unit: "a.py"}, model.Outcome{ExitCode: exit, Report: report})
		seen := map[string]bool{}
		for _, c := range res.Checks {
			if seen[c.ID] || c.Verdict == "" {
				t.Errorf("check %q twice or without verdict", c.ID)
			}
			seen[c.ID] = true
			if c.Verdict == model.Pass && len(report) < 30 {
				t.Errorf("%q passes %q", report, c.ID)
			}
		}
		if res.NoMatch && len(res.Checks) > 0 {
			t.Error("checks although nothing matched")
		}
	})
}
