// Package syntax turns source text into a syntax tree of plain values by a tree-sitter grammar,
// and edits text by the places of its nodes.
package syntax

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"unique"
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
// 4 MiB and trees of more than 10,000 levels are errors. The nodes are shared with other callers
// and are not to be changed.
func Parse(grammar unsafe.Pointer, src []byte) (root *Node, bad int, err error) {
	if len(src) > MaxSource {
		return nil, 0, fmt.Errorf("parse: %d bytes are more than %d", len(src), MaxSource)
	}
	key := source{grammar, sha256.Sum256(src)}
	if p, ok := recent.get(key); ok {
		return p.root, p.bad, nil
	}
	p, err := parse(grammar, src)
	if err != nil {
		return nil, 0, err
	}
	recent.put(key, p)
	return p.root, p.bad, nil
}

// A parsed is the tree of one text.
type parsed struct {
	root *Node
	bad  int
	size int // nodes
}

func parse(grammar unsafe.Pointer, src []byte) (out parsed, err error) {
	p := ts.NewParser()
	defer p.Close()
	if err := p.SetLanguage(ts.NewLanguage(grammar)); err != nil {
		return parsed{}, fmt.Errorf("parse: %w", err)
	}
	tree := p.Parse(src, nil)
	if tree == nil {
		return parsed{}, errors.New("parse: no tree")
	}
	defer tree.Close()
	c := tree.RootNode().Walk()
	defer c.Close()
	if tree.RootNode().HasError() {
		out.bad = 1
		if line, ok := badLine(c); ok {
			out.bad = line
		}
		c.Reset(*tree.RootNode())
	}
	out.root, err = out.convert(c, c.Node(), 0)
	return out, err
}

// convert copies n, where the cursor stands, and the named nodes below it, and counts them.
func (p *parsed) convert(c *ts.TreeCursor, n *ts.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errors.New("parse: nested too deeply")
	}
	p.size++
	out := &Node{
		Kind: unique.Make(n.Kind()).Value(), Field: unique.Make(c.FieldName()).Value(),
		Start: int(n.StartByte()), End: int(n.EndByte()),
		Row: int(n.StartPosition().Row), Last: int(n.EndPosition().Row),
	}
	if n.ChildCount() == 0 || !c.GotoFirstChild() {
		return out, nil
	}
	defer c.GotoParent()
	for {
		if below := c.Node(); below.IsNamed() {
			child, err := p.convert(c, below, depth+1)
			if err != nil {
				return nil, err
			}
			out.Children = append(out.Children, child)
		}
		if !c.GotoNextSibling() {
			out.Children = slices.Clip(out.Children) // whoever appends gets a copy
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
