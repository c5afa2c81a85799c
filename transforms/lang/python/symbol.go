package python

import (
	"fmt"
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Symbols lists the functions, classes, methods, module-level and class-level names, and
// parameters (kind parameter, name "f.x" or "C.m.x") of a production file, in source order.
// Several definitions of one name (overloads, property setters, branches of an if) are one
// symbol with the signature of the last and a digest of all.
func (Language) Symbols(t lang.Files, p string) ([]model.Symbol, error) {
	if k := kind(p); (k != model.Production && k != model.Generated) || path.Ext(p) != ".py" && path.Ext(p) != ".pyi" {
		return nil, nil
	}
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok || f.Mode&0o170000 == 0o120000 {
		return nil, nil
	}
	return symbols(p, f.Data)
}

func symbols(p string, src []byte) ([]model.Symbol, error) {
	root, bad, err := parse(src)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	c := &collector{path: p, src: src, at: map[string]int{}}
	c.block(root, "")
	return c.out, nil
}

type collector struct {
	path string
	src  []byte
	out  []model.Symbol
	at   map[string]int
}

func (c *collector) block(n *node, owner string) {
	for _, s := range n.Children {
		d := bare(s)
		switch d.Kind {
		case "function_definition":
			c.function(s, d, owner)
		case "class_definition":
			name := owner + d.Get("name").Text(c.src)
			sig := "class " + d.Get("name").Text(c.src) + oneLine(d.Get("superclasses").Text(c.src))
			c.add(name, "class", s, sig, docstring(d.Get("body"), c.src))
			c.block(d.Get("body"), name+".")
		case "expression_statement":
			if len(d.Children) == 1 && d.Children[0].Kind == "assignment" {
				c.assignment(d, d.Children[0], owner)
			}
		case "if_statement", "try_statement", "with_statement", "else_clause", "elif_clause", "except_clause", "finally_clause", "block":
			c.block(d, owner)
		}
	}
}

func (c *collector) function(s, d *node, owner string) {
	name := owner + d.Get("name").Text(c.src)
	what := "function"
	if owner != "" {
		what = "method"
	}
	end := d.End
	for _, field := range []string{"parameters", "return_type"} { // a comment may stand before the body
		if n := d.Get(field); n != nil {
			end = n.End
		}
	}
	sig := oneLine(string(c.src[d.Start:end]))
	for _, dec := range decorators(s) {
		switch t := oneLine(dec.Text(c.src)); t {
		case "@property", "@staticmethod", "@classmethod", "@cached_property", "@functools.cached_property":
			sig = t + " " + sig
		}
	}
	c.add(name, what, s, sig, docstring(d.Get("body"), c.src))
	if ps := d.Get("parameters"); ps != nil {
		index := 0
		newRefs().parameters(ps, c.src, func(n string, p *node) {
			index++
			if index == 1 && owner != "" && (n == "self" || n == "cls" || n == "mcs") {
				return
			}
			c.add(name+"."+n, "parameter", p, oneLine(p.Text(c.src)), "")
		})
	}
}

func (c *collector) assignment(s, a *node, owner string) {
	names, ok := targets(a.Get("left"), c.src)
	if !ok {
		return
	}
	for _, n := range names {
		what := "variable"
		if strings.ToUpper(n) == n && strings.ToLower(n) != n {
			what = "constant"
		}
		sig := n
		if ty := a.Get("type"); ty != nil {
			sig += ": " + oneLine(ty.Text(c.src))
		}
		c.add(owner+n, what, s, sig, "")
	}
}

func (c *collector) add(name, what string, n *node, sig, doc string) {
	s := model.Symbol{
		Path: c.path, Name: name, Kind: what, Exported: exported(name), Start: n.Row + 1, End: lastRow(n, c.src),
		Signature: sig, Doc: doc, Digest: model.Sum([]byte(n.Text(c.src))),
	}
	if i, ok := c.at[name]; ok {
		s.Digest = model.Sum([]byte(string(c.out[i].Digest) + string(s.Digest)))
		s.Doc = first(s.Doc, c.out[i].Doc)
		c.out[i] = s
		return
	}
	c.at[name] = len(c.out)
	c.out = append(c.out, s)
}

// exported reports whether no part of a qualified name is private.
func exported(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if strings.HasPrefix(part, "_") && !(strings.HasPrefix(part, "__") && strings.HasSuffix(part, "__")) {
			return false
		}
	}
	return true
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.ReplaceAll(s, "( ", "(")
	s = strings.ReplaceAll(s, ", )", ")")
	return strings.ReplaceAll(s, " )", ")")
}

// docstring is the first string of a body, its indentation taken off.
func docstring(body *node, src []byte) string {
	if body == nil {
		return ""
	}
	for _, c := range body.Children {
		if c.Kind == "comment" {
			continue
		}
		if c.Kind != "expression_statement" || len(c.Children) != 1 || c.Children[0].Kind != "string" {
			return ""
		}
		var lines []string
		for _, k := range c.Children[0].Children {
			if k.Kind == "string_content" {
				for line := range strings.Lines(k.Text(src)) {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
		}
		return strings.TrimSpace(strings.Join(lines, "\n"))
	}
	return ""
}
