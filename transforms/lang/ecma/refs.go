package ecma

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
