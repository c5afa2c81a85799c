package jvmsource

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// readJava collects what n names. Binding sites count as locals.
func (r *refs) readJava(n *syntax.Node, src []byte) {
	n.Walk(func(c *syntax.Node) bool { return r.visitJava(c, src) })
}

func (r *refs) below(n *syntax.Node, src []byte) {
	if n == nil {
		return
	}
	for _, c := range n.Children {
		r.readJava(c, src)
	}
}

func (r *refs) visitJava(c *syntax.Node, src []byte) bool {
	switch c.Kind {
	case "identifier", "type_identifier":
		r.name(c.Text(src), c)
	case "scoped_type_identifier", "scoped_identifier":
		r.scoped(c, src)
		return false
	case "method_invocation":
		r.invocation(c, src)
		return false
	case "field_access":
		r.access(c, src)
		return false
	case "method_reference":
		r.reference(c, src)
		return false
	case "string_literal":
		r.literal(javaString(c.Text(src)))
	case "local_variable_declaration":
		for _, d := range c.Children {
			if d.Field == "declarator" {
				r.bind(d.Get("name").Text(src), javaType(c.Get("type"), d.Get("value"), src))
				r.except(d, src, "name")
			} else {
				r.readJava(d, src)
			}
		}
		return false
	case "variable_declarator":
		if name := c.Get("name"); name != nil {
			r.bind(name.Text(src), "")
		}
		r.except(c, src, "name")
		return false
	case "formal_parameter", "resource", "enhanced_for_statement":
		if name := c.Get("name"); name != nil {
			r.bind(name.Text(src), javaType(c.Get("type"), c.Get("value"), src))
		}
		r.except(c, src, "name")
		return false
	case "instanceof_expression":
		if name := c.Get("name"); name != nil {
			r.bind(name.Text(src), javaType(c.Get("right"), nil, src))
		}
		r.except(c, src, "name")
		return false
	case "catch_formal_parameter", "type_pattern", "record_pattern_component":
		for _, k := range c.Children {
			if k.Kind == "identifier" {
				r.bind(k.Text(src), "")
			} else {
				r.readJava(k, src)
			}
		}
		return false
	case "inferred_parameters":
		for _, k := range c.Children {
			r.bind(k.Text(src), "")
		}
		return false
	case "lambda_expression":
		if p := c.Get("parameters"); p != nil && p.Kind == "identifier" {
			r.bind(p.Text(src), "")
			r.except(c, src, "parameters")
			return false
		}
	case "labeled_statement":
		if len(c.Children) > 1 {
			r.readJava(c.Children[len(c.Children)-1], src)
		}
		return false
	case "break_statement", "continue_statement":
		return false
	case "element_value_pair":
		r.readJava(c.Get("value"), src)
		return false
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		r.locals[c.Get("name").Text(src)] = true
		r.except(c, src, "name")
		return false
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration", "enum_constant", "annotation_type_element_declaration":
		r.except(c, src, "name")
		return false
	case "type_parameter":
		for _, k := range c.Children {
			if k.Kind == "type_identifier" {
				r.locals[k.Text(src)] = true
			} else {
				r.readJava(k, src)
			}
		}
		return false
	}
	return true
}

// except reads the children of c but those in a field.
func (r *refs) except(c *syntax.Node, src []byte, field string) {
	for _, k := range c.Children {
		if k.Field != field {
			r.readJava(k, src)
		}
	}
}

func (r *refs) scoped(c *syntax.Node, src []byte) {
	r.chain(names(c, src), anyArity, c)
	c.Walk(func(k *syntax.Node) bool {
		if k.Kind == "type_arguments" || k.Kind == "annotation" || k.Kind == "marker_annotation" {
			r.readJava(k, src)
			return false
		}
		return true
	})
}

// names are the parts of a dotted name; type arguments and annotations in it are left out.
func names(c *syntax.Node, src []byte) []string {
	var out []string
	c.Walk(func(k *syntax.Node) bool {
		switch k.Kind {
		case "type_arguments", "annotation", "marker_annotation":
			return false
		case "identifier", "type_identifier":
			out = append(out, bare(k.Text(src)))
		}
		return true
	})
	if len(out) == 0 {
		out = []string{c.Text(src)}
	}
	return out
}

// plain are the parts of a field access that is made of identifiers alone.
func plain(c *syntax.Node, src []byte) ([]string, bool) {
	switch {
	case c == nil:
		return nil, false
	case c.Kind == "identifier":
		return []string{c.Text(src)}, true
	case c.Kind == "field_access":
		parts, ok := plain(c.Get("object"), src)
		field := c.Get("field")
		if !ok || field == nil || field.Kind != "identifier" {
			return nil, false
		}
		return append(parts, field.Text(src)), true
	}
	return nil, false
}

func isSelf(c *syntax.Node) bool { return c != nil && (c.Kind == "this" || c.Kind == "super") }

func (r *refs) invocation(c *syntax.Node, src []byte) {
	name, object, args := c.Get("name").Text(src), c.Get("object"), c.Get("arguments")
	arity := arguments(args)
	switch parts, ok := plain(object, src); {
	case object == nil:
		count(r.calls, name, arity)
	case isSelf(object):
		count(r.self, name, arity)
	case ok:
		r.chain(append(parts, name), arity, c)
	default:
		r.readJava(object, src)
		r.member(name, arity, c)
	}
	r.below(c.Get("type_arguments"), src)
	r.below(args, src)
}

// arguments counts the arguments of a call.
func arguments(args *syntax.Node) int {
	n := 0
	if args != nil {
		for _, a := range args.Children {
			if a.Kind != "line_comment" && a.Kind != "block_comment" {
				n++
			}
		}
	}
	return n
}

func (r *refs) access(c *syntax.Node, src []byte) {
	name := c.Get("field").Text(src)
	object := c.Get("object")
	parts, ok := plain(c, src)
	switch {
	case ok:
		r.chain(parts, anyArity, c)
	case isSelf(object):
		count(r.self, name, anyArity)
	default:
		r.readJava(object, src)
		if name != "this" {
			r.member(name, anyArity, c)
		}
	}
}

func (r *refs) reference(c *syntax.Node, src []byte) {
	if len(c.Children) == 0 {
		return
	}
	object := c.Children[0]
	name := ""
	if k := c.Children[len(c.Children)-1]; k != object && k.Kind == "identifier" {
		name = k.Text(src)
	}
	if isSelf(object) {
		count(r.self, name, anyArity)
		return
	}
	r.readJava(object, src)
	switch object.Kind {
	case "identifier", "type_identifier", "field_access", "scoped_type_identifier", "generic_type":
		if name != "" {
			r.chain(append(names(object, src), name), anyArity, c)
		}
	default:
		r.member(name, anyArity, c)
	}
	for _, k := range c.Children[1:] {
		if k.Kind == "type_arguments" {
			r.readJava(k, src)
		}
	}
}

// javaString is the content of a string literal; one with escapes stays as written.
func javaString(text string) string {
	if t, ok := strings.CutPrefix(text, `"""`); ok {
		return strings.TrimSpace(strings.TrimSuffix(t, `"""`))
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
}

// javaType is the type of a variable as written, without type arguments; of one declared with
// var, that of the object that it is given. "" where it is not told.
func javaType(typ, value *syntax.Node, src []byte) string {
	if typ == nil {
		return ""
	}
	if typ.Kind == "type_identifier" && typ.Text(src) == "var" {
		if value == nil || value.Kind != "object_creation_expression" {
			return ""
		}
		typ = value.Get("type")
	}
	switch {
	case typ == nil, typ.Kind == "array_type":
		return "[]"
	}
	return strings.Join(names(typ, src), ".")
}
