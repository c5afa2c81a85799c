package python

import (
	"errors"
	"fmt"

	ts "github.com/tree-sitter/go-tree-sitter"
	grammar "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

const (
	maxSource = 4 << 20 // bytes of a file that is parsed
	maxDepth  = 1500    // nesting of syntax nodes
)

var errDeep = errors.New("parse python: nested too deeply")

// A node is a named node of the syntax tree, copied so that nothing of the parser's memory
// outlives a call.
type node struct {
	kind       string
	field      string // its field in the parent
	start, end int    // bytes, end exclusive
	row, last  int    // 0-based lines of the first and the last byte
	children   []*node
}

// parse returns the module node of src. bad is the 1-based line of the first syntax error, or
// 0 where there is none.
func parse(src []byte) (root *node, bad int, err error) {
	if len(src) > maxSource {
		return nil, 0, fmt.Errorf("parse python: %d bytes are more than %d", len(src), maxSource)
	}
	p := ts.NewParser()
	defer p.Close()
	if err := p.SetLanguage(ts.NewLanguage(grammar.Language())); err != nil {
		return nil, 0, fmt.Errorf("parse python: %w", err)
	}
	tree := p.Parse(src, nil)
	if tree == nil {
		return nil, 0, errors.New("parse python: no tree")
	}
	defer tree.Close()
	c := tree.RootNode().Walk()
	defer c.Close()
	if tree.RootNode().HasError() {
		bad = 1
		if line, ok := badLine(c); ok {
			bad = line
		}
		c.Reset(*tree.RootNode())
	}
	root, err = convert(c, 0)
	return root, bad, err
}

// convert copies the named nodes at and below the cursor.
func convert(c *ts.TreeCursor, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	n := c.Node()
	out := &node{
		kind: n.Kind(), field: c.FieldName(),
		start: int(n.StartByte()), end: int(n.EndByte()),
		row: int(n.StartPosition().Row), last: int(n.EndPosition().Row),
	}
	if !c.GotoFirstChild() {
		return out, nil
	}
	defer c.GotoParent()
	for {
		if c.Node().IsNamed() {
			child, err := convert(c, depth+1)
			if err != nil {
				return nil, err
			}
			out.children = append(out.children, child)
		}
		if !c.GotoNextSibling() {
			return out, nil
		}
	}
}

// badLine finds the first ERROR or missing node, depth first, without recursion.
func badLine(c *ts.TreeCursor) (int, bool) {
	for {
		n := c.Node()
		if n.IsError() || n.IsMissing() {
			return int(n.StartPosition().Row) + 1, true
		}
		if n.HasError() && c.GotoFirstChild() {
			continue
		}
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				return 0, false
			}
		}
	}
}

// get is the first child in a field.
func (n *node) get(field string) *node {
	for _, c := range n.children {
		if c.field == field {
			return c
		}
	}
	return nil
}

// text is the source of n.
func (n *node) text(src []byte) string {
	if n == nil {
		return ""
	}
	return string(src[n.start:n.end])
}

// walk visits n and what is below it, parents first; visit returns false to stay above.
func (n *node) walk(visit func(*node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range n.children {
		c.walk(visit)
	}
}

// bare is the definition inside decorators.
func (n *node) bare() *node {
	if n.kind == "decorated_definition" {
		if d := n.get("definition"); d != nil {
			return d
		}
	}
	return n
}

// decorators are the expressions of the decorators of n.
func (n *node) decorators() []*node {
	var out []*node
	if n.kind == "decorated_definition" {
		for _, c := range n.children {
			if c.kind == "decorator" {
				out = append(out, c)
			}
		}
	}
	return out
}
