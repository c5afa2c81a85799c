package sampleio

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
)

// The samples' newest commits. They change with the samples alone: corpora are compared over
// builds and machines by them.
var heads = map[string]model.Hash{
	"go":         "4e25ea88ed97b2c1726f29c2c09727b563a04d4c",
	"java":       "bf33287bab51344f5035599464aaf7e5ef6a4e7c",
	"javascript": "aa0cb6812f85aaccae48eba29bf5d883a82fe841",
	"kotlin":     "c8a7b34dd58dbd1e24c1222f8f2a93b8edb8981c",
	"python":     "382ba52c98c2506929a6b51c733b1f86e571da55",
	"typescript": "20ead6643083a41cdf34929e37803c1e1fc23ac8",
}

func TestHeads(t *testing.T) {
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Ref("main"); got != heads[name] {
			t.Errorf("%s: the newest commit is %s, want %s", name, got, heads[name])
		}
	}
}

// Every pull request has an expected end, and each end that the samples promise is there. Tests
// of node:test, which the JavaScript sample has, have one order.
func TestExpectedCovers(t *testing.T) {
	all := []string{"bot", "does_not_reverse", "leak", "no_production", "no_tests", "not_ancestor", "not_discriminating",
		"order_dependent", "regression_broken", "sandbox_required", "target_absent", "task", "tests_entangled"}
	for _, name := range Names() {
		promised := slices.Clone(all)
		if name == "javascript" {
			promised = slices.DeleteFunc(promised, func(end string) bool { return end == "order_dependent" })
		}
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []int64
		for _, f := range txtar.Parse(text).Files {
			if words := strings.Fields(f.Name); words[0] == "@merge" {
				n, err := strconv.ParseInt(words[1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, n)
			}
		}
		slices.Sort(numbers)
		ends := Expected(name)
		if diff := cmp.Diff(numbers, slices.Sorted(maps.Keys(ends))); diff != "" {
			t.Errorf("%s: pull requests (-history +expected):\n%s", name, diff)
		}
		found := slices.Compact(slices.Sorted(maps.Values(ends)))
		if diff := cmp.Diff(promised, found); diff != "" {
			t.Errorf("%s: ends (-promised +expected):\n%s", name, diff)
		}
	}
	if got := Expected("nothing"); got != nil {
		t.Errorf("no sample: %v", got)
	}
}

func TestParseExpected(t *testing.T) {
	got, err := parseExpected("# prose\n\n3 task # why\n6 rejection bot\n")
	if diff := cmp.Diff(map[int64]string{3: "task", 6: "bot"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"x task\n", "3\n", "3 task bot\n", "3 rejection\n", "3 task\n3 task\n"} {
		if got, err := parseExpected(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestGoSample(t *testing.T) {
	holds(t, "go", []string{"*.go", ":!*_test.go"}, "go", "test", "./...")
}

func TestPythonSample(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import pytest").Run() != nil {
		t.Skip("python3 with pytest is not installed: the sample's own tests were not run")
	}
	holds(t, "python", []string{"src"}, python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider")
}

func TestJavaScriptSample(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the sample's own tests were not run")
	}
	holds(t, "javascript", []string{"src"}, node, "--test")
}

// The packages that the tests need come from npm's cache or its registry.
func TestTypeScriptSample(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the sample's packages are not installed, its own tests were not run")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed: the sample's own tests were not run")
	}
	text, err := Text("typescript")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse(text).Files {
		if name := f.Name; name == "package.json" || name == "package-lock.json" {
			if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the sample's packages cannot be installed, its own tests were not run: %v: %s", err, out)
	}
	modules := filepath.Join(dir, "node_modules")
	holds(t, "typescript", []string{"src"}, "sh", "-c", `ln -sfn "$0" node_modules && exec node_modules/.bin/vitest run`, modules)
}

var withMaven = flag.Bool("maven", false, "run the Java sample's own tests with Maven, which fetches what it needs")

func TestJavaSample(t *testing.T) {
	mvn, err := exec.LookPath("mvn")
	if err != nil || !*withMaven {
		t.Skip("no Maven, or not asked for with -maven: the sample's own tests were not run")
	}
	holds(t, "java", []string{"src/main"}, mvn, "-B", "-q", "test")
}

// migrations are pull requests that are tasks by their structural check alone.
var migrations = map[string]int64{"go": 28, "python": 28}

// holds runs a sample's tests on its newest commit, and again without the production part of
// the pull requests that are tasks or do not discriminate, found by git and a plain reversal: what
// this shows must agree with what is expected of them.
func holds(t *testing.T, name string, production []string, command ...string) {
	dir := filepath.Join(t.TempDir(), name+".git")
	if err := Materialise(name, dir); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(t.TempDir(), "work")
	git(t, dir, "clone", "-q", dir, work)
	git(t, work, "fetch", "-q", "origin", "refs/pull/*/head:refs/pull/*/head")
	run := func() (string, error) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err != nil {
		t.Fatalf("newest commit: %v: %s", err, out)
	}
	// Each branch has one commit.
	for number, end := range Expected(name) {
		pull := fmt.Sprintf("refs/pull/%d/head", number)
		patch := git(t, work, append([]string{"diff", pull + "~1", pull, "--"}, production...)...)
		reversed := false
		if patch != "" {
			cmd := exec.Command("git", "-C", work, "apply", "-R")
			cmd.Stdin = strings.NewReader(patch)
			reversed = cmd.Run() == nil
		}
		switch end {
		case "no_production", "bot":
			if patch != "" {
				t.Errorf("pull request %d, %s, changes production", number, end)
			}
			continue
		case "no_tests":
		case "does_not_reverse":
			if reversed {
				t.Errorf("pull request %d reverses", number)
			}
		case "task", "not_discriminating":
			out, err := run()
			if quiet := end == "not_discriminating" || migrations[name] == number; !reversed || quiet != (err == nil) {
				t.Errorf("pull request %d, %s, reversed %v: %v: %s", number, end, reversed, err, out)
			}
		default:
			if !reversed {
				t.Errorf("pull request %d, %s, does not reverse", number, end)
			}
		}
		git(t, work, "reset", "-q", "--hard")
		git(t, work, "clean", "-qfd")
	}
}
