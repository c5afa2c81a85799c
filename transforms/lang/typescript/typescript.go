// Package typescript answers for TypeScript: its trees, tests and symbols by the grammars that package
// ecma reads.
package typescript

import (
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

// Language answers for TypeScript.
type Language struct{}

// Name is typescript.
func (Language) Name() string { return "typescript" }

// Kind says what a path is for, by its segments and names alone.
func (Language) Kind(path string) model.Kind { return ecma.TypeScript.Kind(path) }

// Unit is the test file itself.
func (Language) Unit(t lang.Files, path string) (string, bool) { return ecma.TypeScript.Unit(t, path) }

// UnitFiles is the unit's one file.
func (Language) UnitFiles(t lang.Files, unit string) []string {
	return ecma.TypeScript.UnitFiles(t, unit)
}

// Function splits an id after its file.
func (Language) Function(id string) (unit, function string) { return ecma.TypeScript.Function(id) }

// Titled is the test function of a check among those of its file.
func (Language) Titled(id string, functions []string) (function string, ok bool) {
	return ecma.TypeScript.Titled(id, functions)
}

// Surfaces lists the tests of the check file at path.
func (Language) Surfaces(t lang.Files, path string) ([]model.Surface, error) {
	return ecma.TypeScript.Surfaces(t, path)
}

// Symbols lists the symbols that the production file at path declares.
func (Language) Symbols(t lang.Files, path string) ([]model.Symbol, error) {
	return ecma.TypeScript.Symbols(t, path)
}

// Syntax reports the first syntax error of a file.
func (Language) Syntax(path string, src []byte) error { return ecma.TypeScript.Syntax(path, src) }

// Hide removes tests with all that only they used.
func (Language) Hide(t lang.Files, hidden []model.Surface) ([]model.TreeChange, error) {
	return ecma.TypeScript.Hide(t, hidden)
}

// Names lists those of symbols that the file at path names.
func (Language) Names(t lang.Files, path string, symbols []model.Symbol) ([]model.Symbol, error) {
	return ecma.TypeScript.Names(t, path, symbols)
}

// Open lists the places of production code in c that name a symbol of removed.
func (Language) Open(c lang.Files, removed []model.Symbol, before lang.Files) ([]string, error) {
	return ecma.TypeScript.Open(c, removed, before)
}
