package jvmsource

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// cutKotlin cuts the syntax tree of a Kotlin file.
func (s *source) cutKotlin() {
	for _, c := range s.root.Children {
		switch c.Kind {
		case "package_header":
			s.pkg = s.dotted(c)
		case "import":
			s.imports = append(s.imports, s.kotlinImport(c))
		default:
			s.kotlinMember(c, nil)
		}
	}
}

// dotted is the name below n, without backticks.
func (s *source) dotted(n *syntax.Node) string {
	var parts []string
	for _, q := range n.All("qualified_identifier") {
		for _, i := range q.All("identifier") {
			parts = append(parts, bare(i.Text(s.src)))
		}
	}
	return strings.Join(parts, ".")
}

func (s *source) kotlinImport(c *syntax.Node) imported {
	i := imported{node: c, path: s.dotted(c), star: strings.HasSuffix(strings.TrimRight(c.Text(s.src), "; \t\r\n"), "*")}
	for _, k := range c.All("identifier") {
		i.alias = bare(k.Text(s.src))
	}
	return i
}

// kotlinMember cuts one declaration of a file or of a type's body.
func (s *source) kotlinMember(c *syntax.Node, owner *decl) {
	d := &decl{node: c, owner: owner, refs: newRefs()}
	s.kotlinHead(d)
	switch c.Kind {
	case "class_declaration", "object_declaration", "companion_object":
		d.what = isType
		s.kotlinType(s.add(d))
	case "function_declaration":
		d.what = isMethod
		s.kotlinFunction(d)
		d.provides()
		s.add(d)
	case "property_declaration":
		d.what, d.names = isField, nil
		s.kotlinProperty(d)
		s.add(d)
	case "type_alias":
		d.what = isAlias
		if n := c.Get("type"); n != nil {
			d.names = []string{bare(n.Text(s.src))}
		}
		for _, k := range c.Children {
			if k.Field != "type" || k.Kind != "identifier" {
				d.refs.readKotlin(k, s.src)
			}
		}
		s.add(d)
	case "secondary_constructor":
		d.what, d.variadic = isConstructor, true
		d.refs.readKotlin(c, s.src)
		s.add(d)
	case "line_comment", "block_comment", "file_annotation", "shebang":
	default:
		// An initializer, or a statement of a script.
		d.what = isBlock
		d.refs.readKotlin(c, s.src)
		s.add(d)
	}
}

func (s *source) kotlinHead(d *decl) {
	d.modifiers = map[string]bool{}
	if n := d.node.Get("name"); n != nil {
		d.names = []string{bare(n.Text(s.src))}
	}
	for _, m := range d.node.All("modifiers") {
		for _, k := range m.Children {
			if k.Kind != "annotation" {
				d.modifiers[k.Text(s.src)] = true
				continue
			}
			d.annotations = append(d.annotations, s.kotlinAnnotations(k)...)
		}
	}
}

func (s *source) kotlinAnnotations(n *syntax.Node) []annotation {
	var out []annotation
	for _, k := range n.Children {
		typ, args := k, ""
		if k.Kind == "constructor_invocation" && len(k.Children) > 0 {
			typ = k.Children[0]
			for _, a := range k.All("value_arguments") {
				args = a.Text(s.src)
			}
		}
		if typ.Kind == "use_site_target" {
			continue
		}
		q := strings.Join(names(typ, s.src), ".")
		out = append(out, annotation{name: last(q), qualified: q, text: args})
	}
	return out
}

func (s *source) kotlinFunction(d *decl) {
	d.void = true
	for _, k := range d.node.Children {
		if k.Field == "name" {
			continue
		}
		switch {
		case k.Kind == "function_body":
			d.body = k
		case k.Kind == "function_value_parameters":
			d.params = len(k.All("parameter"))
			for _, m := range k.All("parameter_modifiers") {
				d.variadic = d.variadic || strings.Contains(m.Text(s.src), "vararg")
			}
		case d.node.Get("name") != nil && k.End <= d.node.Get("name").Start && (k.Kind == "user_type" || k.Kind == "nullable_type" || k.Kind == "parenthesized_type"):
			d.receiver = k.Text(s.src)
		}
		d.refs.readKotlin(k, s.src)
	}
}

func (s *source) kotlinProperty(d *decl) {
	bind := func(v *syntax.Node) {
		for _, k := range v.Children {
			if k.Kind == "identifier" && len(d.names) < 20 {
				d.names = append(d.names, bare(k.Text(s.src)))
				return
			}
		}
	}
	for _, k := range d.node.Children {
		switch k.Kind {
		case "variable_declaration":
			bind(k)
		case "multi_variable_declaration":
			for _, v := range k.All("variable_declaration") {
				bind(v)
			}
		case "user_type", "nullable_type", "parenthesized_type":
			d.receiver = k.Text(s.src)
		}
		d.refs.readKotlin(k, s.src)
	}
	d.typ = kotlinType(d.node, s.src)
	d.unbind()
}

// kotlinType reads a type's head and cuts its body.
func (s *source) kotlinType(d *decl) {
	c := d.node
	switch {
	case c.Kind == "companion_object":
		d.flavor = "companion"
		if len(d.names) == 0 {
			d.names = []string{"Companion"}
		}
	case c.Kind == "object_declaration":
		d.flavor = "object"
	default:
		d.flavor = s.classFlavor(d)
	}
	for _, k := range c.Children {
		switch {
		case k.Field == "name":
		case k.Kind == "class_body" || k.Kind == "enum_class_body":
			d.body = k
		case k.Kind == "delegation_specifiers":
			d.supers = append(d.supers, s.kotlinSupers(k)...)
			d.refs.readKotlin(k, s.src)
		default:
			d.refs.readKotlin(k, s.src)
		}
	}
	if d.body == nil {
		return
	}
	for _, k := range d.body.Children {
		if k.Kind == "enum_entry" {
			d.refs.readKotlin(k, s.src)
		} else {
			s.kotlinMember(k, d)
		}
	}
}

func (s *source) classFlavor(d *decl) string {
	from := d.node.Start
	if m := d.node.All("modifiers"); len(m) > 0 {
		from = m[0].End
	}
	words := strings.Fields(string(s.src[from:max(from, d.node.Get("name").Start)]))
	switch {
	case len(words) > 0 && words[len(words)-1] == "interface":
		return "interface"
	case d.has("enum"):
		return "enum"
	case d.has("annotation"):
		return "annotation"
	}
	return "class"
}

func (s *source) kotlinSupers(n *syntax.Node) []string {
	var out []string
	for _, spec := range n.All("delegation_specifier") {
		for _, k := range spec.Children {
			if k.Kind == "annotation" {
				continue
			}
			typ := k
			for typ.Kind != "user_type" && len(typ.Children) > 0 {
				typ = typ.Children[0]
			}
			var parts []string
			for _, i := range typ.All("identifier") {
				parts = append(parts, bare(i.Text(s.src)))
			}
			if len(parts) > 0 {
				out = append(out, strings.Join(parts, "."))
			}
			break
		}
	}
	return out
}
