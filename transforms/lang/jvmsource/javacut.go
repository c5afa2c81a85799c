package jvmsource

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// cutJava cuts the syntax tree of a Java file.
func (s *source) cutJava() {
	for _, c := range s.root.Children {
		switch c.Kind {
		case "package_declaration":
			for _, k := range c.Children {
				if k.Kind == "identifier" || k.Kind == "scoped_identifier" {
					s.pkg = strings.Join(names(k, s.src), ".")
				}
			}
		case "import_declaration":
			s.imports = append(s.imports, s.javaImport(c))
		default:
			s.javaMember(c, nil)
		}
	}
}

func (s *source) javaImport(c *syntax.Node) imported {
	i := imported{node: c}
	for _, k := range c.Children {
		switch k.Kind {
		case "identifier", "scoped_identifier":
			i.path = strings.Join(names(k, s.src), ".")
			before := strings.Fields(string(s.src[c.Start:k.Start]))
			i.static = len(before) > 1 && before[1] == "static"
		case "asterisk":
			i.star = true
		}
	}
	return i
}

var javaTypes = map[string]string{
	"class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
	"record_declaration": "record", "annotation_type_declaration": "annotation",
}

// javaMember cuts one declaration of a file or of a type's body.
func (s *source) javaMember(c *syntax.Node, owner *decl) {
	d := &decl{node: c, owner: owner, refs: newRefs()}
	s.javaHead(d)
	switch c.Kind {
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		d.what, d.flavor, d.body = isType, javaTypes[c.Kind], c.Get("body")
		s.javaType(s.add(d))
	case "method_declaration", "annotation_type_element_declaration":
		d.what, d.body = isMethod, c.Get("body")
		d.void = c.Get("type").Text(s.src) == "void"
		s.javaParameters(d)
		d.refs.except(c, s.src, "name")
		d.provides()
		s.add(d)
	case "constructor_declaration", "compact_constructor_declaration":
		d.what, d.body = isConstructor, c.Get("body")
		s.javaParameters(d)
		d.refs.except(c, s.src, "name")
		s.add(d)
	case "field_declaration", "constant_declaration":
		d.what, d.names = isField, nil
		for _, k := range c.Children {
			if k.Field == "declarator" {
				d.names = append(d.names, k.Get("name").Text(s.src))
			}
		}
		if c.Kind == "constant_declaration" {
			d.modifiers["static"], d.modifiers["public"] = true, true
		}
		d.typ = javaType(c.Get("type"), nil, s.src)
		d.refs.readJava(c, s.src)
		d.unbind()
		s.add(d)
	case "static_initializer", "block":
		d.what = isBlock
		d.refs.readJava(c, s.src)
		s.add(d)
	}
}

// javaHead reads modifiers, annotations and the name.
func (s *source) javaHead(d *decl) {
	d.modifiers = map[string]bool{}
	if n := d.node.Get("name"); n != nil {
		d.names = []string{n.Text(s.src)}
	}
	for _, m := range d.node.All("modifiers") {
		at := m.Start
		for _, k := range append(m.Children, &syntax.Node{Start: m.End, End: m.End}) {
			for w := range strings.FieldsSeq(string(s.src[at:k.Start])) {
				d.modifiers[w] = true
			}
			at = k.End
			if k.Kind == "marker_annotation" || k.Kind == "annotation" {
				q := strings.Join(names(k.Get("name"), s.src), ".")
				d.annotations = append(d.annotations, annotation{name: last(q), qualified: q, text: k.Get("arguments").Text(s.src)})
			}
		}
	}
	if d.owner != nil && (d.owner.flavor == "interface" || d.owner.flavor == "annotation") && !d.has("private") {
		d.modifiers["public"] = true
	}
}

func (s *source) javaParameters(d *decl) {
	ps := d.node.Get("parameters")
	if ps == nil {
		return
	}
	for _, p := range ps.Children {
		switch p.Kind {
		case "formal_parameter":
			d.params++
		case "spread_parameter":
			d.params++
			d.variadic = true
		}
	}
}

// javaType reads a type's head and cuts its body.
func (s *source) javaType(d *decl) {
	for _, k := range d.node.Children {
		switch k.Field {
		case "name", "body":
			continue
		}
		d.refs.readJava(k, s.src)
		switch k.Kind {
		case "superclass", "super_interfaces", "extends_interfaces":
			d.supers = append(d.supers, s.javaSupers(k)...)
		}
	}
	if d.body == nil {
		return
	}
	for _, k := range d.body.Children {
		switch k.Kind {
		case "enum_constant":
			d.refs.readJava(k, s.src)
		case "enum_body_declarations":
			for _, m := range k.Children {
				s.javaMember(m, d)
			}
		default:
			s.javaMember(k, d)
		}
	}
}

func (s *source) javaSupers(n *syntax.Node) []string {
	var out []string
	for _, k := range n.Children {
		if k.Kind == "type_list" {
			out = append(out, s.javaSupers(k)...)
		} else if k.Kind != "line_comment" && k.Kind != "block_comment" {
			out = append(out, strings.Join(names(k, s.src), "."))
		}
	}
	return out
}
