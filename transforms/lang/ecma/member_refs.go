package ecma

import "strings"

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
