// Package golang answers the questions of lang.Language for Go: it turns trees into units,
// surfaces and symbols by go/parser, runs into `go test -json` commands, and their event
// streams into verdicts.
//
// A unit is the package named by its import path; the tests of its external test package
// (foo_test) belong to it, as go test has it. Everything here works on syntax alone: a state
// in which production code was removed does not type-check, and is the usual case.
package golang

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// maxSource bounds a source file that is parsed, in bytes. Larger ones are tables that a
// generator wrote.
const maxSource = 8 << 20

// Language is Go.
type Language struct{}

var _ lang.Language = Language{}

// Name is go.
func (Language) Name() string { return "go" }

// Syntax reports the first syntax error of a Go file as "line:column: message"; files with
// another extension have none.
func (Language) Syntax(p string, src []byte) error {
	if path.Ext(p) != ".go" {
		return nil
	}
	if len(src) > maxSource {
		return fmt.Errorf("parse %s: %d bytes are over the limit of %d", p, len(src), maxSource)
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		return fmt.Errorf("parse %s: %d:%d: %s", p, list[0].Pos.Line, list[0].Pos.Column, list[0].Msg)
	}
	return err
}

// Function cuts import/path::TestX/sub into import/path and TestX.
func (Language) Function(id string) (unit, function string) {
	unit, name, ok := strings.Cut(id, "::")
	if !ok {
		return "", id
	}
	function, _, _ = strings.Cut(name, "/")
	return unit, function
}

// Open answers nothing: the compiler finds every open name when C is built.
func (Language) Open(lang.Files, []model.Symbol, lang.Files) ([]string, error) { return nil, nil }
