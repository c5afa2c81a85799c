// Package python turns trees of Python projects into environments, pytest runs and verdicts,
// and their source into test functions, symbols and trees with hidden tests.
//
// A unit is one test file. A check id is pytest's node id, verbatim. Test functions are found
// by pytest's default names (test*, Test*, unittest's TestCase); a project that renames them
// in its configuration keeps its checks, without surfaces.
package python

import (
	"fmt"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Language answers for Python with pytest.
type Language struct{}

var _ lang.Language = Language{}

// Name is python.
func (Language) Name() string { return "python" }

// Kind says what a path is for, by its segments and names alone.
func (Language) Kind(p string) model.Kind { return kind(p) }

func kind(p string) model.Kind {
	dirs, name := lang.Split(p)
	ext := path.Ext(name)
	general := lang.Kind(p)
	switch {
	case general == model.Vendored:
		return general
	case name == "setup.py", name == "noxfile.py":
		return model.Configuration
	case name == "conf.py" && lang.In(dirs, "docs", "doc"):
		return model.Docs
	case ext == ".py" && testName(name):
		return model.CheckFile
	case lang.In(dirs, "tests", "test"):
		switch {
		case ext == ".py":
			return model.CheckFile
		case name == "pytest.ini", name == ".pytest.ini", ext == ".txt" && strings.HasPrefix(name, "requirements"):
			return model.Configuration
		}
		return model.CheckData
	case name == "_version.py":
		return model.Generated
	case general != model.Other:
		return general
	case ext == ".txt" && strings.HasPrefix(name, "requirements"), name == "constraints.txt":
		return model.Configuration
	case ext == ".py", ext == ".pyi", ext == ".pyx", ext == ".pxd", ext == ".pxi":
		return model.Production
	}
	return model.Other
}

func testName(name string) bool {
	return name == "conftest.py" || unitName(name)
}

// unitName reports whether pytest collects a file of this name by default.
func unitName(name string) bool {
	return strings.HasPrefix(name, "test_") && strings.HasSuffix(name, ".py") || strings.HasSuffix(name, "_test.py")
}

// Unit is the test file itself; helpers and conftest.py are in no unit.
func (Language) Unit(t lang.Files, p string) (string, bool) {
	if kind(p) != model.CheckFile || !unitName(path.Base(p)) {
		return "", false
	}
	return p, true
}

// UnitFiles is the unit's one file.
func (Language) UnitFiles(t lang.Files, unit string) []string { return []string{unit} }

// Function is the test function of a node id: what follows the file up to the parameters.
// Parameters may hold "::", "/" and brackets, so the file ends at the first ".py::" and the
// function at the first bracket after it.
func (Language) Function(id string) (unit, function string) { return split(id) }

func split(id string) (unit, function string) {
	unit, function, ok := strings.Cut(id, ".py::")
	if ok {
		unit += ".py"
	} else if unit, function, ok = strings.Cut(id, "::"); !ok {
		return id, ""
	}
	if cut := strings.IndexByte(function, '['); cut >= 0 {
		function = function[:cut]
	}
	return unit, function
}

// Syntax reports the first syntax error of a Python file; other files have none.
func (Language) Syntax(p string, src []byte) error {
	if ext := path.Ext(p); ext != ".py" && ext != ".pyi" {
		return nil
	}
	_, bad, err := parse(src)
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	return nil
}
