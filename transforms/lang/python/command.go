package python

import (
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/model"
)

const (
	reportFormat  = "taskmill-pytest-jsonl"
	reportVersion = 1
	interpreter   = "{env}/venv/bin/python"
)

// protocol is the frozen way to build and run; extra is added to its environment.
func protocol(build []model.Command, extra []string) model.Protocol {
	return model.Protocol{
		Language: "python",
		Cwd:      ".",
		Env:      append(environ(), extra...),
		Build:    build,
		Test: []string{interpreter, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly",
			"-p", "taskmill_pytest", "--rootdir={testbed}", "--continue-on-collection-errors", "{unit}"},
		Unit:      "file",
		Isolation: "unit",
		Report:    model.Report{Format: reportFormat, Path: "{report}", Version: reportVersion},
		Protected: []string{"**/conftest.py", "**/pytest.ini", "**/.pytest.ini", "**/pytest.toml", "**/.pytest.toml",
			"tox.ini", "setup.cfg", "pyproject.toml", "**/sitecustomize.py", "**/usercustomize.py", "**/*.pth"},
		Network: "none",
	}
}

// environ is what every command of an environment runs with. PYTHONSAFEPATH stays unset: the
// tree's root is importable as under a plain `python -m pytest`.
func environ() []string {
	return []string{
		"PYTHONPATH={env}/taskmill",
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONHASHSEED=0",
		"PYTHONNOUSERSITE=1",
		"LC_ALL=C.UTF-8",
		"TASKMILL_TESTBED={testbed}",
		"CI=1",
	}
}

// Command is how a run is started. The run's own unit is the one that Only and Skip speak of;
// further files in With run whole.
func (Language) Command(p model.Protocol, r model.Run) model.Command {
	if r.Unit == "" {
		return model.Command{}
	}
	var argv []string
	for _, a := range p.Test {
		if a != "{unit}" {
			argv = append(argv, a)
			continue
		}
		if r.Order != 0 {
			argv = append(argv, fmt.Sprintf("--taskmill-seed=%d", r.Order))
		}
		for _, f := range r.Only {
			argv = append(argv, "--taskmill-only="+r.Unit+"::"+f)
		}
		for _, f := range r.Skip {
			argv = append(argv, "--taskmill-skip="+r.Unit+"::"+f)
		}
		for _, u := range append([]string{r.Unit}, r.With...) {
			if strings.HasPrefix(u, "-") {
				u = "./" + u
			}
			argv = append(argv, u)
		}
	}
	env := append([]string{}, p.Env...)
	env = append(env, "TASKMILL_REPORT={report}")
	return model.Command{Argv: argv, Env: env, Dir: p.Cwd}
}
