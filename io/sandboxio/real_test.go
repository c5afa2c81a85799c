package sandboxio_test

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/io/sandboxio/sandboxtest"
	"github.com/taskmill/taskmill/model"
)

// A realProject is a small project with its recipe, and a change that its test sees.
type realProject struct {
	needs        string
	files        sandboxtest.Files
	recipe       model.Recipe
	test         model.Command
	broken, with string
	passes       string // in the report or the log
	clock        string // a command that prints the year
}

var realProjects = []realProject{{
	needs: "go",
	files: sandboxtest.Files{
		"go.mod":       "module example.com/calc\n\ngo 1.21\n",
		"calc.go":      "package calc\n\nfunc Add(a, b int) int { return a + b }\n",
		"calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(Add(1, 2))\n\t}\n}\n",
	},
	recipe: model.Recipe{
		Language:  "go",
		Manifests: []model.File{{Path: "go.mod", Data: []byte("module example.com/calc\n\ngo 1.21\n")}},
		Prepare:   []model.Command{{Argv: []string{"go", "build", "errors"}, Env: goEnv}},
		Lock:      model.Command{Argv: []string{"go", "env", "GOOS"}, Env: goEnv},
		Protocol:  model.Protocol{Env: goEnv, Build: []model.Command{{Argv: []string{"go", "build", "./..."}}}},
	},
	test:   model.Command{Argv: []string{"go", "test", "-json", "-vet=off", "-count=1", "."}, ReportStdout: true},
	broken: "calc.go", with: "package calc\n\nfunc Add(a, b int) int { return a - b }\n",
	passes: `"Action":"pass","Package":"example.com/calc","Test":"TestAdd"`,
}, {
	needs: "python3",
	files: sandboxtest.Files{
		"calc.py":      "def add(a, b):\n    return a + b\n",
		"test_calc.py": "import unittest, calc\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n",
	},
	recipe: model.Recipe{
		Language: "python",
		Prepare:  []model.Command{{Argv: []string{"python3", "-m", "venv", "--without-pip", "{env}/venv"}}},
		Probe:    model.Command{Argv: []string{"{env}/venv/bin/python", "-c", "import calc, os; assert os.path.realpath(calc.__file__) == os.path.realpath('{testbed}/calc.py')"}},
	},
	test:   model.Command{Argv: []string{"{env}/venv/bin/python", "-m", "unittest", "-v", "test_calc"}},
	broken: "calc.py", with: "def add(a, b):\n    return a - b\n",
	passes: "test_add (test_calc.Calc",
	clock:  "{env}/venv/bin/python -c 'import time; print(time.gmtime().tm_year)'",
}}

var goEnv = []string{"GOCACHE={env}/cache", "GOMODCACHE={env}/mod", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local", "GOENV=off"}

func TestRealProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the end-to-end script builds real projects in every sandbox")
	}
	for _, kind := range []string{"local", "bwrap", "docker"} {
		for _, p := range realProjects {
			t.Run(kind+"/"+p.recipe.Language, func(t *testing.T) { p.run(t, kind) })
		}
	}
}

func (p realProject) run(t *testing.T, kind string) {
	o := sandboxio.Options{}
	switch kind {
	case "docker":
		needEngine(t, "taskmill-base:"+p.recipe.Language)
		o = dockerOptions(t)
	case "bwrap":
		needBubblewrap(t)
	}
	if _, err := exec.LookPath(p.needs); err != nil && kind != "docker" {
		t.Skipf("%s is not installed", p.needs)
	}
	archives := sandboxtest.Archives{}
	o.Work, o.Archives = t.TempDir(), archives
	sandbox, err := sandboxio.Open(t.Context(), kind, o)
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.(io.Closer).Close()
	tree := archives.Add(t, p.files)
	e, err := sandbox.Prepare(t.Context(), model.Base{Tree: tree.Hash, Language: p.recipe.Language, Recipe: p.recipe}, nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := sandboxtest.Change(t, tree, p.files, model.TreeChange{Path: p.broken, Data: []byte(p.with)})
	for _, c := range []struct {
		tree model.Tree
		want string
	}{{tree, model.OutcomeOK}, {broken, model.OutcomeFailed}} {
		s, err := e.Open(t.Context(), c.tree)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.Build().Outcome != model.OutcomeOK {
			t.Errorf("build: %s: %s", s.Build().Outcome, s.Build().Log)
		}
		got, err := s.Execute(t.Context(), model.Run{Command: p.test})
		if err != nil || got.Outcome != c.want || !bytes.Contains(append(got.Report, got.Log...), []byte(p.passes)) && c.want == model.OutcomeOK {
			t.Errorf("outcome %s (%s), want %s, %v\n%s", got.Outcome, got.Detail, c.want, err, got.Log)
		}
		if bytes.Contains(got.Log, []byte(o.Work)) {
			t.Errorf("log names the work folder:\n%s", got.Log)
		}
		if p.clock == "" {
			continue
		}
		year := time.Now().UTC().Add(400 * 24 * time.Hour).Format("2006")
		later, err := s.Execute(t.Context(), model.Run{Command: model.Command{Argv: []string{"sh", "-c", p.clock}}, ClockShift: 400 * 24 * time.Hour})
		if err != nil || later.Outcome != model.OutcomeInfrastructure && strings.TrimSpace(string(later.Log)) != year {
			t.Errorf("400 days on it is %s (%s %s), want %s, %v", later.Log, later.Outcome, later.Detail, year, err)
		}
	}
}
