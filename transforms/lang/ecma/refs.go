package ecma

import (
	"regexp"
	"strings"
)

// refs are what a piece of code names. Names that it binds itself are told apart by scope.
type refs struct {
	names    map[string]int    // free identifiers, types too, with their first line
	bare     map[string]bool   // those of names that stand for themselves, not before a dot
	attrs    map[string]int    // names after a dot, and keys that patterns take out of objects
	dotted   map[string]int    // a.b.c where a is free
	keys     map[string]int    // callee.key for keys of objects in the arguments of a call
	types    map[string]string // variable → class of "x = new Class(…)", of any scope
	literals map[string]bool   // all string literals
	modules  []imported        // require and import calls inside
	src      []byte
}

func newRefs(src []byte) *refs {
	return &refs{names: map[string]int{}, bare: map[string]bool{}, attrs: map[string]int{}, dotted: map[string]int{}, keys: map[string]int{},
		types: map[string]string{}, literals: map[string]bool{}, src: src}
}

func note(m map[string]int, key string, n *node) {
	if _, ok := m[key]; !ok {
		m[key] = n.Row + 1
	}
}

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

// read collects what n names. Names in the scopes around are not free.
func (r *refs) read(n *node, sc *scope) {
	if n == nil {
		return
	}
	if sc == nil {
		sc = (&scope{}).inside()
	}
	switch n.Kind {
	case "identifier", "type_identifier", "shorthand_property_identifier":
		if name := n.Text(r.src); !sc.bound(name) {
			note(r.names, name, n)
			r.bare[name] = true
		}
	case "member_expression", "nested_identifier", "nested_type_identifier":
		r.member(n, sc)
	case "subscript_expression":
		if key, ok := literal(n.Get("index"), r.src); ok {
			note(r.attrs, key, n)
		}
		r.each(n, sc)
	case "string", "template_string":
		if s, ok := literal(n, r.src); ok {
			r.literals[s] = true
			return
		}
		r.each(n, sc)
	case "call_expression", "new_expression":
		r.call(n, sc)
	case "function_declaration", "function_expression", "generator_function", "generator_function_declaration",
		"arrow_function", "method_definition", "function_signature", "method_signature", "abstract_method_signature",
		"call_signature", "construct_signature", "function_type", "constructor_type":
		r.function(n, sc)
	case "class_declaration", "class", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration",
		"internal_module", "module":
		in := sc.inside()
		if name := n.Get("name"); name != nil {
			in.names[name.Text(r.src)] = true
		}
		r.each(n, in)
	case "type_parameter":
		sc.names[n.Get("name").Text(r.src)] = true
		r.each(n, sc)
	case "infer_type":
		for _, c := range n.Children {
			sc.names[c.Text(r.src)] = true
		}
	case "mapped_type_clause", "index_signature":
		in := sc.inside()
		in.names[n.Get("name").Text(r.src)] = true
		r.each(n, in)
	case "statement_block", "program", "switch_body", "class_static_block":
		in := sc.inside()
		r.declare(n, in)
		r.each(n, in)
	case "for_statement", "for_in_statement", "catch_clause":
		in := sc.inside()
		r.declare(n, in)
		for _, f := range []string{"left", "parameter"} {
			if p := n.Get(f); p != nil && (f == "parameter" || n.Get("kind") != nil || loopDeclares(n, r.src)) {
				r.bind(p, in)
			}
		}
		r.each(n, in)
	case "variable_declarator":
		r.declarator(n, sc)
	case "pair":
		if k := n.Get("key"); k != nil && k.Kind == "computed_property_name" {
			r.read(k, sc)
		}
		r.read(n.Get("value"), sc)
	case "import_statement":
	case "export_statement":
		if n.Get("source") == nil {
			r.each(n, sc)
		}
	case "export_specifier":
		r.read(n.Get("name"), sc)
	case "enum_assignment":
		r.read(n.Get("value"), sc)
	case "labeled_statement":
		r.read(n.Get("body"), sc)
	case "object_pattern", "array_pattern":
		// a pattern in an assignment to names that are there
		r.pattern(n, sc)
	default:
		r.each(n, sc)
	}
}

func (r *refs) each(n *node, sc *scope) {
	for _, c := range n.Children {
		r.read(c, sc)
	}
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

// pattern reads what a pattern takes out of a value, and its defaults.
func (r *refs) pattern(n *node, sc *scope) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "shorthand_property_identifier_pattern":
		note(r.attrs, n.Text(r.src), n)
		if name := n.Text(r.src); !sc.bound(name) {
			note(r.names, name, n)
		}
	case "pair_pattern":
		if k := n.Get("key"); k.Kind == "computed_property_name" {
			r.read(k, sc)
		} else {
			note(r.attrs, keyName(k, r.src), n)
		}
		r.pattern(n.Get("value"), sc)
	case "assignment_pattern", "object_assignment_pattern":
		r.pattern(n.Get("left"), sc)
		r.read(n.Get("right"), sc)
	case "object_pattern", "array_pattern", "rest_pattern":
		for _, c := range n.Children {
			r.pattern(c, sc)
		}
	default:
		r.read(n, sc)
	}
}

func (r *refs) function(n *node, sc *scope) {
	in := sc.inside()
	if n.Kind == "function_expression" || n.Kind == "generator_function" {
		if name := n.Get("name"); name != nil {
			in.names[name.Text(r.src)] = true
		}
	}
	if n.Kind == "function_declaration" || n.Kind == "function_expression" {
		in.names["arguments"] = true
	}
	r.bind(n.Get("parameter"), in)
	r.bind(n.Get("parameters"), in)
	if b := n.Get("body"); b != nil {
		r.hoist(b, in)
	}
	r.read(n.Get("type_parameters"), in)
	for _, c := range n.Children {
		switch c.Field {
		case "name":
			if c.Kind == "computed_property_name" {
				r.read(c, sc)
			}
		case "parameter", "type_parameters":
		case "parameters":
			r.parameters(c, in)
		default:
			r.read(c, in)
		}
	}
}

// parameters reads the defaults, types and decorators of parameters.
func (r *refs) parameters(n *node, sc *scope) {
	for _, p := range n.Children {
		switch p.Kind {
		case "required_parameter", "optional_parameter":
			for _, c := range p.Children {
				switch c.Field {
				case "pattern", "name":
					r.pattern(c, sc)
				default:
					r.read(c, sc)
				}
			}
		default:
			r.pattern(p, sc)
		}
	}
}

func (r *refs) declarator(n *node, sc *scope) {
	name, value := n.Get("name"), n.Get("value")
	if name != nil && name.Kind != "identifier" {
		r.pattern(name, sc)
	}
	r.read(n.Get("type"), sc)
	if name != nil && name.Kind == "identifier" {
		if v := inner(value); v != nil && v.Kind == "new_expression" {
			r.types[name.Text(r.src)] = v.Get("constructor").Text(r.src)
		}
	}
	if m, ok := required(value, r.src); ok {
		r.modules = append(r.modules, requires(n, m, r.src)...)
		r.literals[m.module] = true
		return
	}
	r.read(value, sc)
}

// member reads a chain of names after dots.
func (r *refs) member(n *node, sc *scope) {
	var chain []string
	at := n
	for at != nil {
		var last *node
		switch at.Kind {
		case "member_expression", "nested_identifier":
			last = at.Get("property")
			note(r.attrs, last.Text(r.src), last)
			chain = append(chain, last.Text(r.src))
			at = inner(at.Get("object"))
			continue
		case "nested_type_identifier":
			last = at.Get("name")
			note(r.attrs, last.Text(r.src), last)
			chain = append(chain, last.Text(r.src))
			at = at.Get("module")
			continue
		}
		break
	}
	if at == nil {
		return
	}
	if m, ok := required(at, r.src); ok && len(chain) > 0 {
		m.name = chain[len(chain)-1]
		r.modules = append(r.modules, m)
		r.literals[m.module] = true
		return
	}
	if at.Kind != "identifier" && at.Kind != "this" {
		r.read(at, sc)
		return
	}
	if name := at.Text(r.src); at.Kind == "identifier" && !sc.bound(name) {
		note(r.names, name, at)
	}
	var b strings.Builder
	b.WriteString(at.Text(r.src))
	if sc.bound(b.String()) && r.types[b.String()] == "" {
		return
	}
	for i := len(chain) - 1; i >= 0; i-- {
		b.WriteString("." + chain[i])
		note(r.dotted, b.String(), n)
	}
}

// call reads a call: the modules that it loads, and the keys of objects that it is given.
func (r *refs) call(n *node, sc *scope) {
	if m, ok := required(n, r.src); ok {
		r.modules = append(r.modules, m)
		r.literals[m.module] = true
		return
	}
	f := n.Get("function")
	if f == nil {
		f = n.Get("constructor")
	}
	if callee := lastName(f, r.src); callee != "" {
		for _, a := range arguments(n) {
			if a.Kind == "object" {
				for _, p := range a.Children {
					if k := objectKey(p, r.src); k != "" {
						note(r.keys, callee+"."+k, p)
					}
				}
			}
		}
	}
	r.each(n, sc)
}

// lastName is the last word of a callee: f of f, a.f and new a.f.
func lastName(n *node, src []byte) string {
	n = inner(n)
	if n == nil {
		return ""
	}
	switch n.Kind {
	case "identifier", "type_identifier":
		return n.Text(src)
	case "member_expression":
		return n.Get("property").Text(src)
	}
	return ""
}

// objectKey is the name of a member of an object literal; "" where it is computed.
func objectKey(p *node, src []byte) string {
	switch p.Kind {
	case "pair":
		return keyName(p.Get("key"), src)
	case "method_definition":
		return keyName(p.Get("name"), src)
	case "shorthand_property_identifier":
		return p.Text(src)
	}
	return ""
}

// keyName is the text of a property's name; "" where it is computed.
func keyName(k *node, src []byte) string {
	if k == nil || k.Kind == "computed_property_name" {
		return ""
	}
	if s, ok := literal(k, src); ok {
		return s
	}
	return k.Text(src)
}
