package python

import (
	"fmt"

	grammar "github.com/tree-sitter/tree-sitter-python/bindings/go"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

type node = syntax.Node

// parse returns the module node of src. bad is the 1-based line of the first syntax error, or
// 0 where there is none.
func parse(src []byte) (root *node, bad int, err error) {
	if root, bad, err = syntax.Parse(grammar.Language(), src); err != nil {
		return nil, 0, fmt.Errorf("python: %w", err)
	}
	return root, bad, nil
}

// bare is the definition inside decorators.
func bare(n *node) *node {
	if n.Kind == "decorated_definition" {
		if d := n.Get("definition"); d != nil {
			return d
		}
	}
	return n
}

// decorators are the expressions of the decorators of n.
func decorators(n *node) []*node {
	var out []*node
	if n.Kind == "decorated_definition" {
		for _, c := range n.Children {
			if c.Kind == "decorator" {
				out = append(out, c)
			}
		}
	}
	return out
}
