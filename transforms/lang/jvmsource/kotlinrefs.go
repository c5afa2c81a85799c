package jvmsource

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// readKotlin collects what n names. Binding sites count as locals.
func (r *refs) readKotlin(n *syntax.Node, src []byte) {
	n.Walk(func(c *syntax.Node) bool { return r.visitKotlin(c, src) })
}

func (r *refs) kotlinAll(nodes []*syntax.Node, src []byte) {
	for _, n := range nodes {
		r.readKotlin(n, src)
	}
}

func (r *refs) visitKotlin(c *syntax.Node, src []byte) bool {
	switch c.Kind {
	case "identifier":
		if n := c.Text(src); n != "true" && n != "false" && n != "null" {
			r.name(bare(n), c)
		}
	case "user_type":
		r.userType(c, src)
		return false
	case "navigation_expression":
		r.navigation(c, src, anyArity)
		return false
	case "call_expression":
		r.call(c, src)
		return false
	case "infix_expression":
		if len(c.Children) == 3 {
			r.member(bare(c.Children[1].Text(src)), anyArity, c.Children[1])
			r.readKotlin(c.Children[0], src)
			r.readKotlin(c.Children[2], src)
			return false
		}
	case "callable_reference":
		r.callable(c, src)
		return false
	case "string_literal", "multiline_string_literal":
		r.literal(kotlinString(c, src))
	case "value_argument":
		if named(c, src) {
			r.kotlinAll(c.Children[1:], src)
			return false
		}
	case "property_declaration":
		// A local: its type may be that of the object it is given.
		typ := kotlinType(c, src)
		for _, v := range c.All("variable_declaration") {
			if len(v.Children) == 1 && v.Children[0].Kind == "identifier" && typ != "" {
				r.bind(bare(v.Children[0].Text(src)), typ)
				for _, k := range c.Children {
					if k != v {
						r.readKotlin(k, src)
					}
				}
				return false
			}
		}
	case "parameter", "variable_declaration", "class_parameter", "catch_block", "type_parameter":
		r.binding(c, src)
		return false
	case "function_declaration", "class_declaration", "object_declaration":
		if n := c.Get("name"); n != nil {
			r.locals[bare(n.Text(src))] = true
		}
		for _, k := range c.Children {
			if k.Field != "name" {
				r.readKotlin(k, src)
			}
		}
		return false
	case "enum_entry", "type_constraint", "setter":
		r.binding(c, src)
		return false
	case "return_expression", "break_expression", "continue_expression":
		for _, k := range c.Children {
			if k.Field != "label" {
				r.readKotlin(k, src)
			}
		}
		return false
	case "this_expression":
		return false
	case "super_expression":
		r.kotlinAll(c.All("user_type"), src)
		return false
	}
	return true
}

// binding takes the first identifier of c as bound and reads the rest.
func (r *refs) binding(c *syntax.Node, src []byte) {
	name, typ := "", ""
	for _, k := range c.Children {
		if k.Kind == "identifier" && name == "" {
			name = bare(k.Text(src))
			continue
		}
		if k.Kind == "user_type" && typ == "" {
			typ = strings.Join(names(k, src), ".")
		}
		r.readKotlin(k, src)
	}
	if name != "" && c.Kind != "type_constraint" {
		r.bind(name, typ)
	}
}

// kotlinType is the type of a property as written, or that of the object that it is given. ""
// where it is not told.
func kotlinType(p *syntax.Node, src []byte) string {
	for _, v := range p.All("variable_declaration") {
		for _, t := range v.All("user_type") {
			return strings.Join(names(t, src), ".")
		}
		if len(v.Children) > 1 {
			return ""
		}
	}
	for _, c := range p.All("call_expression") {
		if c.Children[0].Kind == "identifier" {
			if n := c.Children[0].Text(src); n[0] >= 'A' && n[0] <= 'Z' {
				return n
			}
		}
	}
	return ""
}

func (r *refs) userType(c *syntax.Node, src []byte) {
	var parts []string
	for _, k := range c.Children {
		if k.Kind == "identifier" {
			parts = append(parts, bare(k.Text(src)))
		} else {
			r.readKotlin(k, src)
		}
	}
	if len(parts) > 0 {
		r.chain(parts, anyArity, c)
	}
}

// navigated are the parts of a chain made of identifiers alone.
func navigated(c *syntax.Node, src []byte) ([]string, bool) {
	switch {
	case c.Kind == "identifier":
		return []string{bare(c.Text(src))}, true
	case c.Kind == "navigation_expression" && len(c.Children) == 2 && c.Children[1].Kind == "identifier":
		parts, ok := navigated(c.Children[0], src)
		return append(parts, bare(c.Children[1].Text(src))), ok
	}
	return nil, false
}

func (r *refs) navigation(c *syntax.Node, src []byte, arity int) {
	if parts, ok := navigated(c, src); ok {
		r.chain(parts, arity, c)
		return
	}
	for i, k := range c.Children {
		switch {
		case i == 0 && (k.Kind == "this_expression" || k.Kind == "super_expression"):
			r.readKotlin(k, src)
		case i > 0 && k.Kind == "identifier":
			if first := c.Children[0].Kind; first == "this_expression" || first == "super_expression" {
				count(r.self, bare(k.Text(src)), arity)
			} else {
				r.member(bare(k.Text(src)), arity, k)
			}
		default:
			r.readKotlin(k, src)
		}
	}
}

// call reads a call. A lambda behind it is an argument.
func (r *refs) call(c *syntax.Node, src []byte) {
	arity := 0
	for _, k := range c.Children {
		switch k.Kind {
		case "value_arguments":
			arity += len(k.All("value_argument"))
		case "annotated_lambda":
			arity++
		}
	}
	callee := ""
	for i, k := range c.Children {
		switch {
		case i == 0 && k.Kind == "identifier":
			callee = bare(k.Text(src))
			r.line(callee, k)
			count(r.calls, callee, arity)
		case i == 0 && k.Kind == "navigation_expression":
			if n := len(k.Children); n > 1 {
				callee = bare(k.Children[n-1].Text(src))
			}
			r.navigation(k, src, arity)
		default:
			r.readKotlin(k, src)
		}
		if k.Kind == "value_arguments" && callee != "" {
			r.arguments(k, callee, src)
		}
	}
}

// arguments notes the names of named arguments.
func (r *refs) arguments(args *syntax.Node, callee string, src []byte) {
	for _, a := range args.All("value_argument") {
		if named(a, src) {
			r.keywords[callee+"."+bare(a.Children[0].Text(src))] = true
		}
	}
}

// named reports whether an argument is name = value.
func named(a *syntax.Node, src []byte) bool {
	return len(a.Children) > 1 && a.Children[0].Kind == "identifier" && strings.Contains(string(src[a.Children[0].End:a.Children[1].Start]), "=")
}

// callable reads X::name and ::name.
func (r *refs) callable(c *syntax.Node, src []byte) {
	n := len(c.Children)
	for i, k := range c.Children {
		switch {
		case i == n-1 && k.Kind == "identifier" && n == 1:
			r.name(bare(k.Text(src)), k)
			count(r.calls, bare(k.Text(src)), anyArity)
		case i == n-1 && k.Kind == "identifier":
			if c.Children[0].Kind == "user_type" {
				r.chain(append(names(c.Children[0], src), bare(k.Text(src))), anyArity, k)
			} else {
				r.member(bare(k.Text(src)), anyArity, k)
			}
		default:
			r.readKotlin(k, src)
		}
	}
}

// kotlinString is the content of a string literal; what is interpolated is left out.
func kotlinString(c *syntax.Node, src []byte) string {
	var b strings.Builder
	for _, k := range c.Children {
		if k.Kind == "string_content" || k.Kind == "escape_sequence" {
			b.WriteString(k.Text(src))
		}
	}
	return b.String()
}
