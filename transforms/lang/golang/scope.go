package golang

//lint:file-ignore SA1019 The parser's own name resolution is what is wanted: scopes by syntax
// alone, for trees that do not type-check. Its known gap, keys of composite literals, is closed
// by counting such a key as a use of every name it could mean.

import (
	"go/ast"
	"go/token"
)

// References are the names that a piece of syntax uses and does not declare locally.
type references struct {
	names      map[string]bool    // bare identifiers: of the package, the universe, or before a dot
	qualifiers map[string]bool    // of these, the ones before a dot
	selected   map[[2]string]bool // X.Sel with X a bare identifier
	members    map[string]bool    // Sel of any other x.Sel, and keys of composite literals
	literals   []string           // string literals, quoted
}

func newReferences() *references {
	return &references{
		names: map[string]bool{}, qualifiers: map[string]bool{},
		selected: map[[2]string]bool{}, members: map[string]bool{},
	}
}

func (r *references) add(o *references) {
	for n := range o.names {
		r.names[n] = true
	}
	for n := range o.qualifiers {
		r.qualifiers[n] = true
	}
	for n := range o.selected {
		r.selected[n] = true
	}
	for n := range o.members {
		r.members[n] = true
	}
	r.literals = append(r.literals, o.literals...)
}

// collect gathers the references in n, a declaration or a spec of file.
func collect(file *ast.File, n ast.Node) *references {
	c := &collector{file: file, references: newReferences()}
	ast.Walk(c, n)
	return c.references
}

type collector struct {
	file *ast.File
	*references
}

// local reports whether an identifier is declared inside a function, a signature or a type.
func (c *collector) local(id *ast.Ident) bool {
	return id.Obj != nil && c.file.Scope.Lookup(id.Name) != id.Obj
}

func (c *collector) ident(id *ast.Ident) {
	if id.Name != "_" && !c.local(id) {
		c.names[id.Name] = true
	}
}

func (c *collector) walk(nodes ...ast.Node) {
	for _, n := range nodes {
		ast.Walk(c, n)
	}
}

// Visit implements ast.Visitor. It walks past the names that are declared, labels and fields.
func (c *collector) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		c.ident(n)
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			c.literals = append(c.literals, n.Value)
		}
	case *ast.SelectorExpr:
		c.selector(n)
		return nil
	case *ast.KeyValueExpr:
		// A bare key is a field, or a constant or variable of the package.
		if id, ok := n.Key.(*ast.Ident); ok {
			c.names[id.Name], c.members[id.Name] = true, true
		} else {
			c.walk(n.Key)
		}
		c.walk(n.Value)
		return nil
	case *ast.Field:
		if n.Type != nil {
			c.walk(n.Type)
		}
		return nil
	case *ast.FuncDecl:
		if n.Recv != nil {
			c.walk(n.Recv)
		}
		c.walk(n.Type)
		if n.Body != nil {
			c.walk(n.Body)
		}
		return nil
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			c.walk(n.TypeParams)
		}
		c.walk(n.Type)
		return nil
	case *ast.ValueSpec:
		if n.Type != nil {
			c.walk(n.Type)
		}
		for _, v := range n.Values {
			c.walk(v)
		}
		return nil
	case *ast.LabeledStmt:
		c.walk(n.Stmt)
		return nil
	case *ast.BranchStmt, *ast.CommentGroup, *ast.ImportSpec:
		return nil
	}
	return c
}

func (c *collector) selector(n *ast.SelectorExpr) {
	id, ok := n.X.(*ast.Ident)
	if !ok {
		c.walk(n.X)
		c.members[n.Sel.Name] = true
		return
	}
	if c.local(id) {
		if !testParameter(id.Obj) {
			c.members[n.Sel.Name] = true
		}
		return
	}
	c.names[id.Name], c.qualifiers[id.Name] = true, true
	c.selected[[2]string{id.Name, n.Sel.Name}] = true
}

// testParameter reports whether a local name is a parameter of type *testing.T, B, F, M or PB, or
// testing.TB: its methods are no symbols of the tree.
func testParameter(o *ast.Object) bool {
	f, ok := o.Decl.(*ast.Field)
	if !ok {
		return false
	}
	typ := f.Type
	if s, ok := typ.(*ast.StarExpr); ok {
		typ = s.X
	}
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "testing"
}
