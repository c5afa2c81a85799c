package ecma

import (
	"slices"
	"strings"
)

// function adds a function with its parameters. n is its own text, at the statement or member
// that declares it.
func (c *collector) function(name, kind string, n, at *node, exported bool) {
	end := n.End
	if b := n.Get("body"); b != nil {
		end = b.Start
	}
	start := n.Start
	if at.Start <= n.Start && n.End <= at.End {
		start = at.Start
	}
	exported = exported || !strings.Contains(name, ".") && c.given[name]
	sig := strings.TrimSuffix(strings.TrimSuffix(oneLine(string(c.src[start:end])), " {"), ";")
	c.add(name, kind, at, strings.TrimSuffix(strings.TrimSpace(sig), " =>"), exported)
	if p := n.Get("parameter"); p != nil {
		c.add(name+"."+p.Text(c.src), "parameter", p, p.Text(c.src), exported)
	}
	ps := n.Get("parameters")
	if ps == nil {
		return
	}
	for _, p := range code(ps) {
		r, sc := newRefs(c.src), &scope{names: map[string]bool{}}
		r.pattern(patternOf(p), nil)
		r.bind(p, sc)
		keys := sc.names
		if objectPattern(p) {
			keys = map[string]bool{}
			for k := range r.attrs {
				keys[k] = true
			}
		}
		for _, k := range sorted(keys) {
			if k != "this" {
				c.add(name+"."+k, "parameter", p, oneLine(p.Text(c.src)), exported)
			}
		}
		if n.Get("name").Text(c.src) == "constructor" && len(p.All("accessibility_modifier")) > 0 {
			class, _, _ := cutLast(name)
			for _, k := range sorted(sc.names) { // constructor(public x) declares a field
				c.add(class+"."+k, "variable", p, oneLine(p.Text(c.src)), exported && !strings.HasPrefix(p.Text(c.src), "private"))
			}
		}
	}
}

func patternOf(p *node) *node {
	if p.Kind == "required_parameter" || p.Kind == "optional_parameter" {
		if in := p.Get("pattern"); in != nil {
			return in
		}
		return p.Get("name")
	}
	return p
}

// objectPattern reports whether a parameter is taken apart by keys.
func objectPattern(p *node) bool {
	p = patternOf(p)
	if p != nil && p.Kind == "assignment_pattern" {
		p = p.Get("left")
	}
	return p != nil && p.Kind == "object_pattern"
}

// class adds a class with its methods and fields, those too that a constructor gives to this.
func (c *collector) class(name string, n *node, exported bool) {
	end := n.End
	b := n.Get("body")
	if b != nil {
		end = b.Start
	}
	_, last, _ := cutLast(name)
	head := string(c.src[n.Start:end])
	if i := strings.Index(head, "class"); i > 0 && strings.Contains(head[:i], "@") {
		head = head[i:]
	}
	sig := oneLine(head)
	if n.Get("name") == nil {
		sig = strings.Replace(sig, "class", "class "+last, 1)
	}
	exported = exported || !strings.Contains(name, ".") && c.given[name]
	c.add(name, "class", n, sig, exported)
	if b == nil {
		return
	}
	c.documented(b, func(m *node) { c.member(name, m, exported) })
}

func (c *collector) member(class string, m *node, exported bool) {
	nameNode := m.Get("name")
	if nameNode == nil {
		nameNode = m.Get("property")
	}
	key := keyName(nameNode, c.src)
	if key == "" || strings.ContainsAny(key, ". ") {
		return
	}
	for _, a := range m.All("accessibility_modifier") {
		exported = exported && a.Text(c.src) != "private"
	}
	full := class + "." + key
	switch m.Kind {
	case "method_definition", "method_signature", "abstract_method_signature":
		c.function(full, "method", m, m, exported)
		if key == "constructor" {
			c.fields(class, m.Get("body"), exported)
		}
	case "field_definition", "public_field_definition", "property_signature":
		if f := inner(m.Get("value")); isFunction(f) {
			c.function(full, "method", f, m, exported)
			return
		}
		end := m.End
		if v := m.Get("value"); v != nil {
			end = v.Start
		}
		c.add(full, "variable", m, strings.TrimRight(oneLine(string(c.src[m.Start:end])), " =;"), exported)
	}
}

// fields adds what a constructor's own statements give to this.
func (c *collector) fields(class string, body *node, exported bool) {
	for _, s := range code(body) {
		if s.Kind != "expression_statement" || len(code(s)) != 1 {
			continue
		}
		a := code(s)[0]
		left := a.Get("left")
		if a.Kind != "assignment_expression" || left == nil || left.Kind != "member_expression" || left.Get("object").Text(c.src) != "this" {
			continue
		}
		key := left.Get("property").Text(c.src)
		if _, there := c.at[class+"."+key]; !there {
			c.add(class+"."+key, "variable", s, "this."+key, exported)
		}
	}
}

// typed adds an interface, alias or enum with its members.
func (c *collector) typed(name string, n *node, exported bool) {
	body := n.Get("body")
	end := n.End
	if body != nil {
		end = body.Start
	}
	c.add(name, "type", n, strings.TrimSuffix(oneLine(string(c.src[n.Start:end])), ";"), exported)
	exported = exported || c.given[name]
	if v := n.Get("value"); body == nil && v != nil {
		body = v
	}
	if body == nil || !slices.Contains([]string{"interface_body", "object_type", "enum_body"}, body.Kind) {
		return
	}
	c.documented(body, func(m *node) {
		switch m.Kind {
		case "property_identifier", "string": // of an enum
			c.add(name+"."+keyName(m, c.src), "constant", m, keyName(m, c.src), exported)
		case "enum_assignment":
			k := keyName(m.Get("name"), c.src)
			c.add(name+"."+k, "constant", m, oneLine(m.Text(c.src)), exported)
		default:
			c.member(name, m, exported)
		}
	})
}
