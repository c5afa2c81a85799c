package ecma

// An imported is one name that a module takes from another.
type imported struct {
	module string
	name   string // as the other module exports it; "" for the module itself, "*" for all of "export *"
	bound  string // the name here; "" where none is bound
	types  bool   // of types alone
	line   int
	node   *node // the part of the statement that binds it
	stmt   *node
}

// required is the module of require("m") or import("m"), also awaited; its name is what a member
// directly behind takes.
func required(n *node, src []byte) (imported, bool) {
	n = inner(n)
	if n == nil {
		return imported{}, false
	}
	if n.Kind == "member_expression" {
		if m, ok := required(n.Get("object"), src); ok && m.name == "" {
			m.name = n.Get("property").Text(src)
			return m, true
		}
		return imported{}, false
	}
	if n.Kind != "call_expression" {
		return imported{}, false
	}
	f, args := n.Get("function"), arguments(n)
	if f == nil || len(args) == 0 || f.Kind != "import" && f.Text(src) != "require" {
		return imported{}, false
	}
	m, ok := literal(args[0], src)
	return imported{module: m, line: n.Row + 1, node: n, stmt: n}, ok && m != ""
}

// requires are the names that a declarator binds of a module that its value is.
func requires(d *node, m imported, src []byte) []imported {
	name := d.Get("name")
	m.node, m.line = d, d.Row+1
	switch {
	case name == nil:
	case name.Kind == "identifier":
		m.bound = name.Text(src)
	case name.Kind == "object_pattern" && m.name == "":
		out := []imported{}
		for _, p := range code(name) {
			i := m
			i.node, i.line = p, p.Row+1
			v := p
			if p.Kind == "pair_pattern" {
				i.name, v = keyName(p.Get("key"), src), p.Get("value")
			}
			if v != nil && (v.Kind == "object_assignment_pattern" || v.Kind == "assignment_pattern") {
				v = v.Get("left")
			}
			if v == nil || p.Kind == "rest_pattern" || v.Kind != "identifier" && v.Kind != "shorthand_property_identifier_pattern" {
				return append(out, m)
			}
			i.bound = v.Text(src)
			if i.name == "" {
				i.name = i.bound
			}
			out = append(out, i)
		}
		if len(out) == 0 {
			return []imported{m}
		}
		return out
	}
	return []imported{m}
}

// importsOf are the names that an import statement binds; a statement that binds none gives its
// module alone.
func importsOf(n *node, src []byte) []imported {
	base := imported{stmt: n, node: n, line: n.Row + 1, types: typeOnly(n, src)}
	base.module, _ = literal(n.Get("source"), src)
	if r := n.All("import_require_clause"); len(r) > 0 {
		base.module, _ = literal(r[0].Get("source"), src)
		if len(r[0].Children) > 0 {
			base.bound = r[0].Children[0].Text(src)
		}
		return []imported{base}
	}
	var out []imported
	for _, clause := range n.All("import_clause") {
		for _, c := range code(clause) {
			i := base
			i.node, i.line = c, c.Row+1
			switch c.Kind {
			case "identifier":
				i.name, i.bound = "default", c.Text(src)
			case "namespace_import":
				if len(c.Children) > 0 {
					i.bound = c.Children[0].Text(src)
				}
			case "named_imports":
				for _, sp := range c.All("import_specifier") {
					i.node, i.line = sp, sp.Row+1
					i.name = keyName(sp.Get("name"), src)
					if i.bound = sp.Get("alias").Text(src); i.bound == "" {
						i.bound = i.name
					}
					out = append(out, i)
				}
				continue
			}
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return []imported{base}
	}
	return out
}

// typeOnly reports whether a statement is "import type" or "export type".
func typeOnly(n *node, src []byte) bool {
	text := string(src[n.Start:min(n.End, n.Start+32)])
	for _, word := range []string{"import", "export"} {
		if rest, ok := cutWord(text, word); ok {
			if rest, ok = cutWord(rest, "type"); ok {
				return len(rest) > 0 && rest[0] != ',' && !hasWord(rest, "from")
			}
		}
	}
	return false
}

// An exported is one name that a module gives away.
type exported struct {
	name   string // "default", "*" for all of another module, "" for the module's whole value (module.exports = x)
	local  string // what it is here
	module string // or the module it is handed on from, and the name there
	from   string
	node   *node
}

// exportsOf are the names that an export statement gives away.
func exportsOf(n *node, src []byte) []exported {
	module, _ := literal(n.Get("source"), src)
	var out []exported
	for _, c := range code(n) {
		switch {
		case c.Kind == "export_clause":
			for _, sp := range c.All("export_specifier") {
				e := exported{local: keyName(sp.Get("name"), src), node: sp}
				if e.name = keyName(sp.Get("alias"), src); e.name == "" {
					e.name = e.local
				}
				if module != "" {
					e.module, e.from, e.local = module, e.local, ""
				}
				out = append(out, e)
			}
		case c.Kind == "namespace_export":
			if len(c.Children) > 0 {
				out = append(out, exported{name: keyName(c.Children[0], src), module: module, node: n})
			}
		case c.Field == "declaration":
			for _, name := range declared(c, src) {
				e := exported{name: name, local: name, node: n}
				if isDefault(n, src) {
					e.name = "default"
				}
				out = append(out, e)
			}
		case c.Field == "value":
			e := exported{name: "default", local: "default", node: n}
			if v := inner(c); v != nil && v.Kind == "identifier" {
				e.local = v.Text(src)
			}
			out = append(out, e)
		case c.Kind == "identifier": // export = x
			out = append(out, exported{local: c.Text(src), node: n}, exported{name: "default", local: c.Text(src), node: n})
		}
	}
	if len(out) == 0 && module != "" {
		out = append(out, exported{name: "*", module: module, from: "*", node: n})
	}
	return out
}

// isDefault reports whether an export statement is "export default".
func isDefault(n *node, src []byte) bool {
	rest, ok := cutWord(string(src[n.Start:min(n.End, n.Start+40)]), "export")
	if !ok {
		return false
	}
	_, ok = cutWord(rest, "default")
	return ok
}

// declared are the names that a declaration binds.
func declared(n *node, src []byte) []string {
	switch n.Kind {
	case "lexical_declaration", "variable_declaration":
		r, sc := newRefs(src), &scope{names: map[string]bool{}}
		var out []string
		for _, d := range n.All("variable_declarator") {
			clear(sc.names)
			r.bind(d.Get("name"), sc)
			out = append(out, sorted(sc.names)...)
		}
		return out
	case "ambient_declaration":
		for _, c := range code(n) {
			if names := declared(c, src); len(names) > 0 {
				return names
			}
		}
		return nil
	case "import_alias":
		if c := code(n); len(c) > 0 {
			return []string{c[0].Text(src)}
		}
		return nil
	}
	if name := n.Get("name"); name != nil {
		return []string{keyName(name, src)}
	}
	return nil
}

// commonExports are the names that an assignment to module.exports or exports gives away.
func commonExports(a *node, src []byte) []exported {
	if a.Kind != "assignment_expression" {
		return nil
	}
	left, right := a.Get("left"), a.Get("right")
	for right != nil && right.Kind == "assignment_expression" { // module.exports = exports = x
		right = right.Get("right")
	}
	var out []exported
	give := func(name string, value, at *node) {
		e := exported{name: name, local: name, node: at}
		switch v := inner(value); {
		case v == nil:
		case v.Kind == "identifier" || v.Kind == "shorthand_property_identifier":
			e.local = v.Text(src)
		default:
			if m, ok := required(v, src); ok {
				e.module, e.from, e.local = m.module, m.name, ""
			} else if isFunction(v) || v.Kind == "class" {
				if n := v.Get("name"); n != nil && name == "" {
					e.local = n.Text(src)
				}
			}
			if e.local == "" && e.module == "" {
				e.local = "default"
			}
		}
		out = append(out, e)
	}
	switch whole, name := exportTarget(left, src); {
	case name != "":
		give(name, right, a)
	case whole:
		if v := inner(right); v != nil && v.Kind == "object" {
			for _, p := range code(v) {
				switch p.Kind {
				case "spread_element":
					if m, ok := required(p.Children[0], src); ok {
						out = append(out, exported{name: "*", module: m.module, from: "*", node: p})
					}
				case "pair":
					give(objectKey(p, src), p.Get("value"), p)
				case "shorthand_property_identifier":
					give(p.Text(src), p, p)
				default:
					give(objectKey(p, src), nil, p)
				}
			}
			return out
		}
		give("", right, a)
	}
	return out
}

// exportTarget reads module.exports, exports.x and module.exports.x.
func exportTarget(n *node, src []byte) (whole bool, name string) {
	if n == nil || n.Kind != "member_expression" {
		return n != nil && n.Kind == "identifier" && n.Text(src) == "exports", ""
	}
	obj, prop := n.Get("object"), n.Get("property").Text(src)
	switch text := obj.Text(src); {
	case text == "module" && prop == "exports":
		return true, ""
	case text == "exports", text == "module.exports":
		return false, prop
	}
	return false, ""
}
