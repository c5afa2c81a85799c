package jvmsource

import (
	"fmt"
	"path"

	kt "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// Parsed reports whether a file of this name is read by a grammar.
func Parsed(p string) bool {
	switch path.Ext(p) {
	case ".java", ".kt", ".kts":
		return true
	}
	return false
}

// parse reads Java, or Kotlin by any other extension. Nodes are of src, comments between a line's
// begin and a member may be missing.
func parse(p string, src []byte) (root *syntax.Node, bad int, err error) {
	if path.Ext(p) == ".java" {
		return syntax.Parse(java.Language(), src)
	}
	if root, bad, err = syntax.Parse(kt.Language(), src); bad == 0 || err != nil {
		return root, bad, err
	}
	if again, still, err := syntax.Parse(kt.Language(), relaxed(src)); err == nil && still == 0 {
		return renumbered(again, src), 0, nil
	}
	return root, bad, nil
}

// Syntax reports the first syntax error of a Java or Kotlin file with its line; other files have
// none.
func Syntax(p string, src []byte) error {
	if !Parsed(p) {
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
