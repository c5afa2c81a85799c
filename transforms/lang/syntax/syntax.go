// Package syntax turns source text into a syntax tree of plain values by a tree-sitter grammar,
// and edits text by the places of its nodes.
package syntax

import (
	"errors"
	"fmt"
	"unsafe"

	ts "github.com/tree-sitter/go-tree-sitter"
)

// MaxSource is how many bytes of a file are parsed.
const MaxSource = 4 << 20

const maxDepth = 10000 // nesting of syntax nodes: a union of types nests once a member

// A Node is a named node of the syntax tree, copied so that nothing of the parser's memory
// outlives a call.
type Node struct {
	Kind       string
	Field      string // its field in the parent
	Start, End int    // bytes, end exclusive
	Row, Last  int    // 0-based lines of the first and the last byte
	Children   []*Node
}

// Parse returns the root node of src in a grammar, as a grammar module's Language gives it. bad
// is the 1-based line of the first syntax error, or 0 where there is none. Text of more than
// 4 MiB and trees of more than 10,000 levels are errors.
func Parse(grammar unsafe.Pointer, src []byte) (root *Node, bad int, err error) {
	if len(src) > MaxSource {
		return nil, 0, fmt.Errorf("parse: %d bytes are more than %d", len(src), MaxSource)
	}
	p := ts.NewParser()
	defer p.Close()
	if err := p.SetLanguage(ts.NewLanguage(grammar)); err != nil {
		return nil, 0, fmt.Errorf("parse: %w", err)
	}
	tree := p.Parse(src, nil)
	if tree == nil {
		return nil, 0, errors.New("parse: no tree")
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
func convert(c *ts.TreeCursor, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errors.New("parse: nested too deeply")
	}
	n := c.Node()
	out := &Node{
		Kind: n.Kind(), Field: c.FieldName(),
		Start: int(n.StartByte()), End: int(n.EndByte()),
		Row: int(n.StartPosition().Row), Last: int(n.EndPosition().Row),
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
			out.Children = append(out.Children, child)
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

// Get is the first child in a field.
func (n *Node) Get(field string) *Node {
	for _, c := range n.Children {
		if c.Field == field {
			return c
		}
	}
	return nil
}

// Text is the source of n.
func (n *Node) Text(src []byte) string {
	if n == nil {
		return ""
	}
	return string(src[n.Start:n.End])
}

// Walk visits n and what is below it, parents first; visit returns false to stay above.
func (n *Node) Walk(visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range n.Children {
		c.Walk(visit)
	}
}

// All are the children of a kind; n may be nil.
func (n *Node) All(kind string) []*Node {
	if n == nil {
		return nil
	}
	var out []*Node
	for _, c := range n.Children {
		if c.Kind == kind {
			out = append(out, c)
		}
	}
	return out
}
