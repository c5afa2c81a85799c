package ecma

import (
	"regexp"
	"strings"
)

// A scope holds the names that a function or block binds.
type scope struct {
	up    *scope
	names map[string]bool
}

func (s *scope) inside() *scope { return &scope{up: s, names: map[string]bool{}} }

func (s *scope) bound(name string) bool {
	for ; s != nil; s = s.up {
		if s.names[name] {
			return true
		}
	}
	return false
}

var loopHead = regexp.MustCompile(`^for\s*(?:await\s*)?\(\s*(?:const|let|var|using)\b`)

// loopDeclares reports whether a for-in or for-of statement declares its variable: the keyword
// is no named node.
func loopDeclares(n *node, src []byte) bool {
	return loopHead.Match(src[n.Start:min(n.End, n.Start+40)])
}

// declare puts the names that the statements of a block bind into its scope.
func (r *refs) declare(n *node, sc *scope) {
	for _, c := range n.Children {
		switch c.Kind {
		case "lexical_declaration", "variable_declaration":
			for _, d := range c.All("variable_declarator") {
				r.bind(d.Get("name"), sc)
			}
		case "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
			"interface_declaration", "type_alias_declaration", "enum_declaration", "function_signature":
			sc.names[c.Get("name").Text(r.src)] = true
		case "switch_case", "switch_default":
			r.declare(c, sc)
		}
	}
}

// hoist puts the names of var declarations below n, up to nested functions, into a function's
// scope.
func (r *refs) hoist(n *node, sc *scope) {
	n.Walk(func(c *node) bool {
		switch c.Kind {
		case "function_declaration", "function_expression", "generator_function", "generator_function_declaration", "arrow_function", "method_definition", "class_body":
			return c == n
		case "variable_declaration":
			for _, d := range c.All("variable_declarator") {
				r.bind(d.Get("name"), sc)
			}
		case "for_in_statement":
			if strings.Contains(string(r.src[c.Start:min(c.End, c.Start+20)]), "var ") {
				r.bind(c.Get("left"), sc)
			}
		}
		return true
	})
}

// bind puts the names of a pattern into a scope.
func (r *refs) bind(n *node, sc *scope) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "identifier", "shorthand_property_identifier_pattern":
		sc.names[n.Text(r.src)] = true
	case "assignment_pattern", "object_assignment_pattern":
		r.bind(n.Get("left"), sc)
	case "pair_pattern":
		r.bind(n.Get("value"), sc)
	case "required_parameter", "optional_parameter":
		r.bind(n.Get("pattern"), sc)
		r.bind(n.Get("name"), sc)
	case "object_pattern", "array_pattern", "rest_pattern", "formal_parameters":
		for _, c := range n.Children {
			r.bind(c, sc)
		}
	}
}
