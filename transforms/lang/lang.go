// Package lang asks each language the same few questions: which files are tests, how units are
// run and their reports read, where test functions and symbols are, and how a test function is
// hidden with everything that only it used.
package lang

import (
	"fmt"

	"github.com/taskmill/taskmill/model"
)

// Files is a tree as the languages read it; *tree.Tree is one.
type Files interface {
	// Paths lists all paths, sorted.
	Paths() []string
	// Read returns the file at path; false where there is none.
	Read(path string) (model.File, bool, error)
}

// A Language answers for one language. Implementations are stateless values, safe for
// concurrent use, and run nothing.
type Language interface {
	// Name is go, python, javascript, typescript, java or kotlin.
	Name() string

	// Kind says what a path is for, by its segments and names alone. It answers Other for a
	// path that is not this language's and of no general kind.
	Kind(path string) model.Kind

	// Recipe derives how the tree's environment is prepared and its units run. A tree that
	// cannot be prepared by rule is a *model.Fault of stage environment.
	Recipe(t Files) (model.Recipe, error)

	// Unit is the unit that runs the checks of the check file at path: an import path, a
	// test file. False where the path is in no unit (a helper, conftest.py).
	Unit(t Files, path string) (string, bool)

	// UnitFiles lists the check files of a unit.
	UnitFiles(t Files, unit string) []string

	// Surfaces lists the test functions of the check file at path.
	Surfaces(t Files, path string) ([]model.Surface, error)

	// Symbols lists the symbols that the production file at path declares.
	Symbols(t Files, path string) ([]model.Symbol, error)

	// Syntax reports the first syntax error of a file.
	Syntax(path string, src []byte) error

	// Command is how a run of a protocol is started.
	Command(p model.Protocol, r model.Run) model.Command

	// Read parses the raw outcome of a run. Nothing in the human log decides a verdict.
	Read(r model.Run, o model.Outcome) Result

	// Function is the test function of a check id: the part of the id that a Surface has,
	// and its unit.
	Function(id string) (unit, function string)

	// Hide removes hidden test functions from a tree, and by closure every import, helper,
	// type, fixture and constant of check files that only removed code used; what nothing
	// used before stays. A file left without checks and used declarations goes whole.
	Hide(t Files, hidden []model.Surface) ([]model.TreeChange, error)

	// Names lists those of symbols that the file at path names (calls, types, members,
	// imports), directly.
	Names(t Files, path string, symbols []model.Symbol) ([]model.Symbol, error)

	// Open lists places of production code in c that name a symbol of removed, where the
	// tree before the change did not name it: "path:line name". A language with a
	// compiler answers nothing and leaves it to the build.
	Open(c Files, removed []model.Symbol, before Files) ([]string, error)

	// Nearby lists the units of the touched modules of production paths, nearest first, at
	// most 20.
	Nearby(t Files, paths []string) []string

	// Guard plants two checks in a unit: pass must pass and fail must fail. It returns the
	// files to add and what to put into Run.With. token is random and made of [a-z0-9].
	Guard(t Files, unit, token string) (Guard, error)

	// Protected reports whether a path, or a section of it, steers the runner (conftest.py,
	// pytest.ini, tool.pytest of pyproject.toml, a Go vendor/modules.txt …).
	Protected(path string) bool

	// Restore is the content of a protected file for an evaluation or construction: the
	// runner's sections are those of want, the rest is as in have. Where the whole file
	// steers the runner it is want. Either may be nil (absent).
	Restore(path string, want, have []byte) []byte
}

// A Guard is two planted checks.
type Guard struct {
	Files []model.File
	With  []string
	Pass  string // check id
	Fail  string // check id
}

// A Result is what a report says.
type Result struct {
	Checks      []model.Check // sorted by id; test cases only, no suites
	Running     string        // test function that was running when the process ended early
	Complete    bool          // the runner came to its own end
	Agrees      bool          // exit status and report agree
	BuildError  bool          // the unit could not be compiled or collected
	NoMatch     bool          // nothing matched the selection
	Diagnostics []model.Diagnostic
	Detail      string // one normalised line
}

// Detect is the language of a tree among languages: the one with the most production files;
// on a tie the first in order.
func Detect(languages []Language, t Files) (Language, error) {
	best, most := Language(nil), 0
	for _, l := range languages {
		n := 0
		for _, p := range t.Paths() {
			if l.Kind(p) == model.Production {
				n++
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	if best == nil {
		return nil, fmt.Errorf("detect language: no production file of a supported language")
	}
	return best, nil
}

// ByName finds a language.
func ByName(languages []Language, name string) (Language, bool) {
	for _, l := range languages {
		if l.Name() == name {
			return l, true
		}
	}
	return nil, false
}
