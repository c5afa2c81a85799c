package ecma

import "strings"

// block cuts the statements of n, which belong to owner or to the module.
func (s *source) block(n *node, owner *decl) {
	for _, c := range code(n) {
		s.statement(c, owner)
	}
}

func (s *source) add(d *decl) *decl {
	if d.refs == nil {
		d.refs = newRefs(s.src)
	}
	d.file = s
	if d.stmt == nil {
		d.stmt = d.node
	}
	s.decls = append(s.decls, d)
	if d.owner != nil {
		d.owner.members = append(d.owner.members, d)
	} else {
		s.top = append(s.top, d)
	}
	return d
}

// group makes d one that has members.
func (d *decl) group(body *node) {
	d.body, d.scope = body, map[string][]*decl{}
	if d.binds == nil {
		d.binds = map[string]bool{}
	}
}

func (s *source) read(n *node) *refs {
	r := newRefs(s.src)
	r.read(n, nil)
	return r
}

func (s *source) statement(c *node, owner *decl) {
	switch c.Kind {
	case "empty_statement", "hash_bang_line":
	case "import_statement":
		s.imports(c, owner, importsOf(c, s.src))
	case "export_statement":
		s.export(c, owner)
	case "expression_statement":
		s.expression(c, owner)
	case "lexical_declaration", "variable_declaration":
		s.variables(c, c, owner)
	case "function_declaration", "generator_function_declaration":
		s.function(c, c, owner)
	case "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration",
		"ambient_declaration", "function_signature", "import_alias", "module":
		d := s.add(&decl{what: isName, node: c, owner: owner, refs: s.read(c), names: declared(c, s.src)})
		if len(d.names) == 0 || strings.ContainsAny(d.names[0], `./*"'`) {
			d.what, d.names = isAnchor, nil
		}
	default:
		if s.holdsTests(c) {
			s.compound(c, owner)
			return
		}
		s.add(&decl{what: isAnchor, node: c, owner: owner, refs: s.read(c)})
	}
}

// imports adds a declaration for each name of an import.
func (s *source) imports(stmt *node, owner *decl, imps []imported) {
	for _, i := range imps {
		i.stmt = stmt
		d := &decl{what: isImport, node: i.node, stmt: stmt, owner: owner, imp: i, list: i.node != stmt && len(imps) > 1}
		if i.bound == "" {
			d.what, d.node, d.list = isAnchor, stmt, false
			d.refs = newRefs(s.src)
			d.refs.modules = []imported{i}
		} else {
			d.names = []string{i.bound}
		}
		s.add(d)
	}
}

// variables cuts a declaration of variables; stmt is it with its export.
func (s *source) variables(c, stmt *node, owner *decl) {
	ds := c.All("variable_declarator")
	if len(ds) == 1 && stmt == c {
		if m, ok := required(ds[0].Get("value"), s.src); ok {
			if imps := requires(ds[0], m, s.src); imps[0].bound != "" && (len(imps) > 1 || imps[0].node == ds[0] || len(code(ds[0].Get("name"))) == 1) {
				s.imports(stmt, owner, imps)
				return
			}
		}
	}
	if len(ds) == 1 && ds[0].Get("name").Kind == "identifier" {
		if f := inner(ds[0].Get("value")); isFunction(f) && s.holdsTests(f.Get("body")) {
			s.testFunction(&decl{node: stmt, owner: owner, names: []string{ds[0].Get("name").Text(s.src)}}, f)
			return
		}
	}
	s.add(&decl{what: isName, node: stmt, owner: owner, refs: s.read(c), names: declared(c, s.src)})
}

func (s *source) function(c, stmt *node, owner *decl) {
	d := &decl{what: isName, node: stmt, owner: owner, names: declared(c, s.src)}
	if s.holdsTests(c.Get("body")) {
		s.testFunction(d, c)
		return
	}
	d.refs = s.read(c)
	s.add(d)
}

// testFunction cuts a function that holds tests.
func (s *source) testFunction(d *decl, f *node) {
	d.what = isShared
	d.group(f.Get("body"))
	s.head(d, f)
	s.add(d)
	s.body(d)
}

// head reads what a function has before its body, and binds its parameters for its members.
func (s *source) head(d *decl, f *node) {
	if d.refs == nil {
		d.refs = newRefs(s.src)
	}
	in := (&scope{}).inside()
	d.refs.bind(f.Get("parameter"), in)
	if ps := f.Get("parameters"); ps != nil {
		d.refs.bind(ps, in)
		d.refs.parameters(ps, in)
	}
	for n := range in.names {
		d.binds[n] = true
	}
	for _, p := range append(code(f.Get("parameters")), f.All("identifier")...) {
		if p.Field == "body" || p.Field == "name" {
			continue
		}
		name := patternOf(p)
		if name != nil && name.Kind == "assignment_pattern" {
			name = name.Get("left")
		}
		if name == nil || name.Kind != "identifier" {
			d.params = append(d.params, "")
			continue
		}
		d.params = append(d.params, name.Text(s.src))
	}
}

// body cuts the members of d; the body of an arrow function may be one expression.
func (s *source) body(d *decl) {
	if d.body == nil {
		return
	}
	if d.body.Kind == "statement_block" {
		s.block(d.body, d)
		return
	}
	s.expression(d.body, d)
}

// export cuts an export statement.
func (s *source) export(c *node, owner *decl) {
	for _, e := range exportsOf(c, s.src) {
		s.exports[e.name] = append(s.exports[e.name], e)
	}
	if dec := c.Get("declaration"); dec != nil {
		switch dec.Kind {
		case "lexical_declaration", "variable_declaration":
			s.variables(dec, c, owner)
		case "function_declaration", "generator_function_declaration":
			s.function(dec, c, owner)
		default:
			s.add(&decl{what: isName, node: c, owner: owner, refs: s.read(dec), names: declared(dec, s.src)})
		}
		return
	}
	clause := c.All("export_clause")
	if v := c.Get("value"); v != nil {
		s.add(&decl{what: isExport, node: c, owner: owner, refs: s.read(v), exp: first(exportsOf(c, s.src))})
		return
	}
	if len(clause) == 0 {
		d := s.add(&decl{what: isAnchor, node: c, owner: owner, refs: s.read(c)})
		if m, ok := literal(c.Get("source"), s.src); ok {
			d.refs.modules = append(d.refs.modules, imported{module: m, name: "*", line: c.Row + 1, node: c, stmt: c})
		}
		return
	}
	for _, e := range exportsOf(c, s.src) {
		d := &decl{what: isExport, node: e.node, stmt: c, list: true, owner: owner, exp: e, refs: newRefs(s.src)}
		if e.module != "" {
			d.refs.modules = []imported{{module: e.module, name: e.from, line: e.node.Row + 1, node: e.node, stmt: c}}
		} else {
			note(d.refs.names, e.local, e.node)
		}
		s.add(d)
	}
}

// compound cuts the blocks of a statement around tests; what stands outside them is its own.
func (s *source) compound(c *node, owner *decl) {
	d := &decl{what: isGroup, node: c, owner: owner}
	d.group(nil)
	d.refs = newRefs(s.src)
	s.add(d)
	s.parts(c, d)
}

func (s *source) parts(c *node, d *decl) {
	if c.Kind == "for_in_statement" || c.Kind == "for_statement" || c.Kind == "catch_clause" {
		in := (&scope{}).inside()
		d.refs.declare(c, in)
		d.refs.bind(c.Get("left"), in)
		d.refs.bind(c.Get("parameter"), in)
		for n := range in.names {
			d.binds[n] = true
		}
	}
	for _, k := range code(c) {
		switch {
		case k.Kind == "statement_block":
			s.block(k, d)
		case k.Kind == "else_clause", k.Kind == "catch_clause", k.Kind == "finally_clause", k.Kind == "switch_body", k.Kind == "switch_case", k.Kind == "switch_default":
			s.parts(k, d)
		case k.Field == "body", k.Field == "consequence", c.Kind == "else_clause":
			s.statement(k, d)
		default:
			in := (&scope{}).inside()
			for n := range d.binds {
				in.names[n] = true
			}
			d.refs.read(k, in)
		}
	}
}

// holdsTests reports whether a test or suite is registered at or below n.
func (s *source) holdsTests(n *node) bool {
	found := false
	n.Walk(func(c *node) bool {
		if found {
			return false
		}
		if c.Kind == "call_expression" {
			if _, m := s.words.call(c); (m == callsTest || m == callsSuite) && s.registers(c) {
				found = true
			}
			if f := inner(c.Get("function")); f != nil && f.Kind == "identifier" && s.shared[f.Text(s.src)] {
				found = true
			}
		}
		return !found
	})
	return found
}

// registers reports whether a call of a runner's name looks like one: with a title, or a
// function.
func (s *source) registers(c *node) bool {
	call, m := s.words.call(c)
	args := arguments(call)
	if len(args) == 0 {
		return false
	}
	first := inner(args[0])
	if first == nil {
		return false
	}
	if len(args) == 1 {
		f := inner(call.Get("function"))
		todo := f != nil && f.Kind == "member_expression" && (f.Get("property").Text(s.src) == "todo" || f.Get("property").Text(s.src) == "skip")
		return isFunction(first) || m == callsTest && (todo || first.Kind == "string" || first.Kind == "template_string")
	}
	return true
}
