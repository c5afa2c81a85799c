// Package ecma turns the source of JavaScript and TypeScript projects into test functions,
// symbols and trees with hidden tests, for the languages of both names.
//
// A unit is one test file. A check id is "file > describe > title", as a runner tells the
// titles; equal ones are numbered " #2", " #3". A test function is one call of a runner's test
// function; its name is the part of the id after the file, with the title as the source has it:
// "adds %i" or "adds ${a}" where the title is made for each row of a table or round of a loop.
// Titled tells which test function such a check belongs to.
package ecma

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// A Dialect is JavaScript or TypeScript. They differ in which files are production code: both
// read each other's test files, and TypeScript projects hold JavaScript.
type Dialect int

// The dialects.
const (
	JavaScript Dialect = iota
	TypeScript
)

// separator stands between the titles of an id.
const separator = " > "

var extensions = []string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}

// Extensions are those of program text, best known first.
func Extensions() []string { return slices.Clone(extensions) }

// Source reports whether a path is program text that a runtime loads, of either dialect.
func Source(p string) bool { return isSource(p) && !declares(p) }

// isSource reports whether a path is text of either dialect.
func isSource(p string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(p))) }

// declares reports whether a path holds declarations of types alone.
func declares(p string) bool {
	l := strings.ToLower(p)
	return strings.HasSuffix(l, ".d.ts") || strings.HasSuffix(l, ".d.mts") || strings.HasSuffix(l, ".d.cts")
}

// Unit is the test file itself. A file whose name only says that it lies among the tests
// (test/parse.js, test/tools.js) is a unit where it calls a runner's test functions; t may be
// nil, then it is none.
func (d Dialect) Unit(t lang.Files, p string) (string, bool) {
	if d.Kind(p) != model.CheckFile || !isSource(p) || declares(p) || typeTest(path.Base(p)) {
		return "", false
	}
	if unitName(p) {
		return p, true
	}
	if t == nil {
		return "", false
	}
	f, ok, err := t.Read(p)
	if err != nil || !ok || f.Mode == model.ModeSymlink || !mayTest(f.Data) {
		return "", false
	}
	s, err := cut(p, f.Data)
	if err != nil || !s.tested() {
		return "", false
	}
	return p, true
}

// UnitFiles is the unit's one file.
func (Dialect) UnitFiles(t lang.Files, unit string) []string { return []string{unit} }

// Function splits an id after its file: at the first " > " that follows a file name of either
// dialect. It is the name of the test function where its title is not made at run time; else
// Titled knows the function.
func (Dialect) Function(id string) (unit, function string) {
	for at := 0; ; {
		i := strings.Index(id[at:], separator)
		if i < 0 {
			return id, ""
		}
		if at += i; isSource(id[:at]) {
			return id[:at], id[at+len(separator):]
		}
		at += len(separator)
	}
}

// Approximate says that Syntax is.
func (Dialect) Approximate() {}

// Syntax reports the first syntax error of a file; files of neither dialect have none.
//
// The grammars know less than the runtimes do. What package ecma bridges (see bridged) is no
// error; regular expressions with nested classes in JavaScript, accessors beside const type
// parameters and attributes of type-only imports in TypeScript are errors still. So an error in
// a file that had one before says nothing: callers compare.
func (Dialect) Syntax(p string, src []byte) error {
	if !isSource(p) {
		return nil
	}
	_, bad, err := parse(p, src)
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	return nil
}
