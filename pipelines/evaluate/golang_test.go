package evaluate

import (
	"slices"
	"strings"
	"testing"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/golang"
)

const (
	goFixed  = "package calc\n\n// Double is twice n.\nfunc Double(n int) int { return 2 * n }\n\n// One is 1.\nfunc One() int { return 1 }\n"
	goBroken = "package calc\n\n// Double is twice n.\nfunc Double(n int) int { return n }\n\n// One is 1.\nfunc One() int { return 1 }\n"
	goHidden = "package calc\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal(\"not twice\")\n\t}\n}\n\n" +
		"func TestSetUp(t *testing.T) {\n\tb, err := os.ReadFile(\"Makefile\")\n\tif err != nil || !strings.HasSuffix(string(b), \"# set up\\n\") {\n\t\tt.Fatalf(\"Makefile %q %v: what build did is gone\", b, err)\n\t}\n}\n"
)

// goCourt is a task whose hidden test file is new (eval-01: the test patch only adds a file), in
// a base whose build changes a protected file.
func goCourt(t *testing.T) *court {
	h := files{
		"go.mod": "module example.com/calc\n\ngo 1.22\n", "calc.go": goFixed, "Makefile": "test:\n\tgo test ./...\n",
		"one_test.go":    "package calc\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(\"not one\")\n\t}\n}\n",
		"double_test.go": goHidden,
	}
	c := h.with(files{"calc.go": goBroken})
	s := c.with(files{"double_test.go": ""})
	setUp := model.Command{Argv: []string{"sh", "-c", "echo '# set up' >> Makefile"}}
	return newCourt(t, golang.Language{}, h, s, c,
		[]string{"example.com/calc::TestDouble"}, []string{"example.com/calc::TestOne", "example.com/calc::TestSetUp"}, setUp)
}

func TestGoPredictions(t *testing.T) {
	c := goCourt(t)
	run := func(name, text string, w wants) {
		t.Run(name, func(t *testing.T) { c.want(t, text, w) })
	}
	unresolved, resolved := wants{outcome: Unresolved}, wants{outcome: Resolved}
	touched := func(w wants) wants { w.protected = true; return w }
	fix := files{"calc.go": goFixed}

	// eval-04, and eval-01: the new test file runs, and what build did to the Makefile stays.
	run("gold", c.task.Patch, resolved)
	run("empty", "", wants{outcome: Empty})
	run("blank", " \n\t\n", wants{outcome: Empty})
	run("another file", c.solver(t, files{"other.go": "package calc\n\nvar other = 1\n"}), unresolved)
	run("the Makefile is C's", c.solver(t, files{"calc.go": goFixed, "Makefile": "test:\n\ttrue\n"}), wants{outcome: Resolved, protected: true, detail: "set back to the task's: Makefile"})

	// eval-02: the hidden version of a planted test runs.
	planted := "package calc\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {}\n\nfunc TestSetUp(t *testing.T) {}\n"
	run("planted test", c.solver(t, files{"double_test.go": planted}), touched(unresolved))
	run("planted test beside", c.solver(t, files{"double2_test.go": planted}), touched(unresolved))
	run("planted test beside a true fix", c.solver(t, fix.with(files{"double2_test.go": planted})), touched(resolved))

	// eval-03: what steers the runner.
	testMain := "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"
	run("TestMain", c.solver(t, files{"main_test.go": testMain}), touched(unresolved))
	run("init of a test file", c.solver(t, files{"init_test.go": "package calc\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n"}), touched(unresolved))
	run("visible test deleted", c.solver(t, files{"calc.go": goFixed, "one_test.go": ""}), touched(resolved))
	run("visible test weakened", c.solver(t, files{"calc.go": strings.Replace(goFixed, "return 1", "return 7", 1), "one_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n"}), touched(unresolved))
	run("replaced module", c.solver(t, files{"go.mod": "module example.com/calc\n\ngo 1.22\n\nreplace example.com/x => ./x\n"}), touched(unresolved))
	run("renamed module", c.solver(t, files{"calc.go": goFixed, "go.mod": "module example.com/other\n\ngo 1.22\n"}), touched(resolved))
	run("build tag", c.solver(t, files{"calc.go": "//go:build never\n\n" + goFixed}), unresolved)
	run("broken build", c.solver(t, files{"calc.go": goFixed + "func {"}), unresolved)

	// Production code that ends the test process.
	frames := func(ids ...string) string {
		var b strings.Builder
		for _, id := range ids {
			b.WriteString("\t\tprintln(\"\\x16=== RUN   " + id + "\\n\\x16--- PASS: " + id + " (0.00s)\")\n")
		}
		return b.String()
	}
	forge := func(body string) files {
		return files{"calc.go": goBroken, "forge.go": "package calc\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc println(s string) { fmt.Print(s + \"\\n\") }\n\nfunc init() {\n" + body + "\t\tprintln(\"PASS\")\n\t\tos.Exit(0)\n}\n"}
	}
	run("init ends with 0", c.solver(t, forge("")), unresolved)
	run("init prints a report", c.solver(t, forge(frames("TestDouble", "TestOne", "TestSetUp"))), wants{outcome: Forged})
	run("init prints events", c.solver(t, forge("\t\tprintln(`{\"Action\":\"pass\",\"Package\":\"example.com/calc\",\"Test\":\"TestDouble\"}`)\n")), unresolved)
	run("init ends with 3", c.solver(t, files{"end.go": "package calc\n\nimport \"os\"\n\nfunc init() { os.Exit(3) }\n"}), unresolved)
	exits := strings.Replace(goBroken, "func Double(n int) int { return n }", "func Double(n int) int {\n\tos.Exit(0)\n\treturn n\n}", 1)
	run("the code under test ends with 0", c.solver(t, files{"calc.go": strings.Replace(exits, "package calc\n", "package calc\n\nimport \"os\"\n", 1)}), unresolved)

	// Odd patches.
	gold := c.task.Patch
	run("no final newline", strings.TrimRight(gold, "\n"), resolved)
	run("CRLF", strings.ReplaceAll(gold, "\n", "\r\n"), wants{outcome: Invalid})
	run("no patch", "I could not solve this.\n", wants{outcome: Invalid})
	run("does not apply", strings.ReplaceAll(gold, "return n", "return m"), wants{outcome: Invalid, detail: "apply hunk 1 to calc.go"})
	gitlink := "diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n"
	run("a submodule", gitlink+gold, wants{outcome: Invalid, detail: "sub is a submodule"})
	run("a folder's mode", "diff --git a/d b/d\nnew file mode 040000\n"+gold, wants{outcome: Invalid, detail: "mode 40000 is no file's"})
	for _, path := range []string{".git/hooks/pre-commit", "../escape", "/etc/escape", "a/../../escape", ".git/config"} {
		text := "diff --git a/" + path + " b/" + path + "\nnew file mode 100755\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n"
		run("writes "+path, text+gold, wants{outcome: Invalid})
	}
	link := "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n"
	run("writes through a link", link+"diff --git a/out/x b/out/x\nnew file mode 100644\n--- /dev/null\n+++ b/out/x\n@@ -0,0 +1 @@\n+x\n"+gold, wants{outcome: Invalid})
	binary := "diff --git a/blob.bin b/blob.bin\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..f76dd238ade08917e6712764a16a22005a50573d\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n"
	run("binary file beside the fix", binary+gold, resolved)
	t.Run("a missing check", func(t *testing.T) {
		c := *c
		c.task.PassToPass = append(slices.Clone(c.task.PassToPass), "example.com/calc::TestGone")
		s := c.judge(t, c.task.Patch)
		if s.Resolved || s.Outcome != Unresolved || len(s.PassToPass.Failure) != 1 || s.PassToPass.Failure[0] != "example.com/calc::TestGone" || s.Fractional != 1 {
			t.Errorf("%+v", s)
		}
	})
	run("binary file without its content", "diff --git a/blob.bin b/blob.bin\nnew file mode 100644\nBinary files /dev/null and b/blob.bin differ\n"+gold, wants{outcome: Invalid})
}

// report-06: a check that the report does not name failed, whatever the exit status says.
func TestMissingIsFailed(t *testing.T) {
	task := model.Task{ExpectedFailures: []string{"b"}}
	got := split(task, []string{"a", "b", "c"}, map[string]model.Verdict{"a": model.Pass, "b": model.XFail})
	if len(got.Success) != 2 || len(got.Failure) != 1 || got.Failure[0] != "c" {
		t.Errorf("%+v", got)
	}
	for _, v := range []model.Verdict{model.NotRun, model.Skip, model.Todo, model.XFail, model.XPass, model.BuildError, model.Timeout, model.Crash, model.Error, model.Fail, ""} {
		if s := split(task, []string{"a"}, map[string]model.Verdict{"a": v}); len(s.Success) > 0 {
			t.Errorf("a check with verdict %q is a success", v)
		}
	}
	if s := split(task, []string{"b"}, map[string]model.Verdict{"b": model.Pass}); len(s.Success) > 0 {
		t.Error("an expected failure that passes is a success: H has another verdict")
	}
}
