// Package ecmascript answers for JavaScript and TypeScript: their syntax by package ecma, how they
// are prepared and run by package node.
package ecmascript

import (
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
	"github.com/taskmill/taskmill/transforms/lang/node"
)

// A Language is one of the two. A unit is a test file, a check id file > describe > title.
type Language struct{ ecma.Dialect }

// The languages. In a tree of JavaScript alone both find the same tests: JavaScript stands first.
var (
	JavaScript = Language{ecma.JavaScript}
	TypeScript = Language{ecma.TypeScript}
)

// Name is javascript or typescript.
func (l Language) Name() string {
	if l.Dialect == ecma.TypeScript {
		return "typescript"
	}
	return "javascript"
}

// Recipe is made from package.json, its workspaces and lock file.
func (l Language) Recipe(t lang.Files) (model.Recipe, error) { return node.Recipe(l.Name(), t) }

// AsOf dates what no lock file pins.
func (Language) AsOf(r model.Recipe, committed time.Time) (model.Recipe, error) {
	return node.AsOf(r, committed)
}

// Command starts the project's runner on one file.
func (Language) Command(p model.Protocol, r model.Run) model.Command { return node.Command(p, r) }

// Read parses what the runner's reporter, ours, wrote.
func (Language) Read(r model.Run, o model.Outcome) lang.Result { return node.Read(r, o) }

// Nearby are the test files whose imports reach one of paths.
func (Language) Nearby(t lang.Files, paths []string) []string { return node.Nearby(t, paths) }

// Guard plants a file of two checks beside the unit.
func (Language) Guard(t lang.Files, unit, token string) (lang.Guard, error) {
	return node.Guard(t, unit, token)
}

// Protected reports whether a path, or a section of it, steers a runner.
func (Language) Protected(path string) bool { return node.Protected(path) }

// Restore is the content of a protected path.
func (Language) Restore(path string, want, have []byte) []byte { return node.Restore(path, want, have) }

// Shadow reports whether a path adds what a runner would load in place of its own.
func (Language) Shadow(path string) (prefix string, ok bool) { return node.Shadow(path) }
