package evaluate

import (
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/oracle"
)

// asks is the same court for the variant that asks for tests of the defect.
func (c *court) asks() *court {
	out := *c
	out.task.Family, out.task.Gold = model.FamilyTests, "test_patch"
	return &out
}

func TestGoTestPredictions(t *testing.T) {
	c := goCourt(t).asks()
	run := func(name, text string, w wants) {
		t.Run(name, func(t *testing.T) { c.want(t, text, w) })
	}
	unresolved, resolved := wants{outcome: Unresolved}, wants{outcome: Resolved}
	because := func(why string) wants { return wants{outcome: Unresolved, detail: why} }
	file := func(body string) files {
		return files{"mine_test.go": "package calc\n\nimport \"testing\"\n\n" + body}
	}
	const fails = "func TestMine(t *testing.T) {\n\tif got := Double(3); got != 6 {\n\t\tt.Fatalf(\"got %d\", got)\n\t}\n}\n"
	run("gold", c.task.TestPatch, resolved)
	run("empty", "", wants{outcome: Empty})
	run("a test that fails on S and holds on the mended", c.solver(t, file(fails)), resolved)
	run("added to a file that is there", c.solver(t, files{"one_test.go": c.s["one_test.go"] + "\n" + fails}), resolved)
	run("no test fails", c.solver(t, file("func TestZero(t *testing.T) {\n\tif Double(0) != 0 {\n\t\tt.Fail()\n\t}\n}\n")), unresolved)
	run("a test fails on the mended too", c.solver(t, file(fails+"\nfunc TestNever(t *testing.T) { t.Fail() }\n")), because("TestNever does not hold on the mended code"))
	run("it does not build", c.solver(t, file("func TestMine(t *testing.T) { Triple(1) }\n")), because("no test fails by an assertion"))
	run("it does not parse", c.solver(t, file("func TestMine(t *testing.T) {\n")), wants{outcome: Invalid})
	run("it ends the process on S", c.solver(t, files{"mine_test.go": "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMine(t *testing.T) {\n\tif Double(3) != 6 {\n\t\tos.Exit(1)\n\t}\n}\n"}), unresolved)

	// Only check files count, and none that steers the runner.
	dropped := func(w wants) wants { w.protected = true; return w }
	run("a fix", c.task.Patch, dropped(unresolved))
	run("a fix beside a test", c.solver(t, file(fails).with(files{"calc.go": goFixed})), dropped(resolved))
	run("a defect of its own", c.solver(t, file("func TestOnes(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fail()\n\t}\n}\n").with(files{"calc.go": strings.Replace(goBroken, "return 1", "return 2", 1)})), dropped(unresolved))
	run("TestMain", c.solver(t, files{"main_test.go": "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n\n" + fails}), dropped(unresolved))
	run("a link", "diff --git a/link_test.go b/link_test.go\nnew file mode 120000\n--- /dev/null\n+++ b/link_test.go\n@@ -0,0 +1 @@\n+calc.go\n\\ No newline at end of file\n"+c.solver(t, file(fails)), dropped(resolved))
}

func TestPythonTestPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: pytest is not installed from an index in a short test: no Python prediction is judged")
	}
	c := pythonCourt(t).asks()
	run := func(name, text string, w wants) {
		t.Run(name, func(t *testing.T) { c.want(t, text, w) })
	}
	const fails = "from calc import double\n\n\ndef test_mine():\n    assert double(3) == 6\n"
	run("gold", c.task.TestPatch, wants{outcome: Resolved})
	run("a test that fails on S", c.solver(t, files{"tests/test_mine.py": fails}), wants{outcome: Resolved})
	run("none fails", c.solver(t, files{"tests/test_mine.py": strings.Replace(fails, "3) == 6", "0) == 0", 1)}), wants{outcome: Unresolved})
	run("conftest.py is dropped", c.solver(t, files{"tests/test_mine.py": fails, "tests/conftest.py": "import os\n"}), wants{outcome: Resolved, protected: true})
	run("xfail", c.solver(t, files{"tests/test_mine.py": "import pytest\n" + strings.Replace(fails, "def test", "@pytest.mark.xfail\ndef test", 1)}), wants{outcome: Unresolved})
	run("it cannot be collected", c.solver(t, files{"tests/test_mine.py": "import nowhere\n" + fails}), wants{outcome: Unresolved})
}

// A migration is judged by the calls in the tree: not by words, and not where they moved away.
func TestGoMigrations(t *testing.T) {
	const old = "package calc\n\nimport \"sort\"\n\n// Sorted sorts.\nfunc Sorted(x []string) { sort.Strings(x) }\n"
	const done = "package calc\n\nimport \"slices\"\n\n// Sorted sorts.\nfunc Sorted(x []string) { slices.Sort(x) }\n"
	const test = "package calc\n\nimport \"testing\"\n\nfunc TestSorted(t *testing.T) {\n\tx := []string{\"b\", \"a\"}\n\tSorted(x)\n\tif x[0] != \"a\" {\n\t\tt.Fail()\n\t}\n}\n"
	h := files{"go.mod": "module example.com/calc\n\ngo 1.22\n", "sorted.go": done, "sorted_test.go": test}
	s := h.with(files{"sorted.go": old})
	c := newCourt(t, golang.Language{}, h, s, s, []string{oracle.OldAPI}, []string{"example.com/calc::TestSorted"})
	c.task.Oracle = oracle.Migration("go", "sort.Strings", "slices.Sort", []string{"sorted.go"}).String()
	for _, tt := range []struct {
		name string
		text string
		w    wants
	}{
		{"gold", c.task.Patch, wants{outcome: Resolved}},
		{"words", c.solver(t, files{"sorted.go": old + "\n// slices.Sort(x) would do.\n"}), wants{outcome: Unresolved, detail: "sorted.go still calls sort.Strings"}},
		{"moved", c.solver(t, files{"sorted.go": strings.Replace(done, "slices.Sort(x)", "slices.Sort(x[:0]); other(x)", 1), "other.go": "package calc\n\nimport \"sort\"\n\nfunc other(x []string) { sort.Strings(x) }\n"}),
			wants{outcome: Unresolved, detail: "other.go now calls sort.Strings"}},
		{"another way", c.solver(t, files{"sorted.go": strings.Replace(old, "sort.Strings(x)", "sort.Sort(sort.StringSlice(x))", 1)}), wants{outcome: Unresolved, detail: "no call is written slices.Sort"}},
	} {
		t.Run(tt.name, func(t *testing.T) { c.want(t, tt.text, tt.w) })
	}
}
