package ecma

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const (
	maxMembers   = 200 // of one object literal
	maxSignature = 500 // bytes
)

// Symbols lists what a production file declares at its top level and in namespaces, in source
// order: functions, classes with their methods and fields, variables, members of object literals
// that are functions or exported, types, interfaces and enums with their members, what it gives
// away under another name, and parameters (kind parameter, name "f.x" or "C.m.x"; the keys of a
// parameter that is taken apart are parameters too). Interfaces, enums, namespaces and aliases
// are types; fields are variables. A default export without a name is "default".
//
// Several declarations of one name (overloads, accessors, merged interfaces) are one symbol with
// the signature of the last and a digest of all. Exported says that the module gives the symbol
// away, and that no part of its name is private.
func (d Dialect) Symbols(t lang.Files, p string) ([]model.Symbol, error) {
	if k := d.Kind(p); k != model.Production && k != model.Generated || !isSource(p) {
		return nil, nil
	}
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok || f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
		return nil, nil
	}
	return symbols(p, f.Data)
}

func symbols(p string, src []byte) ([]model.Symbol, error) {
	root, bad, err := parse(p, src)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	if bad > 0 {
		return nil, fmt.Errorf("parse %s: syntax error at line %d", p, bad)
	}
	c := &collector{path: p, src: src, at: map[string]int{}, given: map[string]bool{}, own: map[string]bool{}}
	c.exports(root)
	c.block(root, "", declares(p) && len(c.given) == 0)
	return c.out, nil
}

type collector struct {
	path  string
	src   []byte
	out   []model.Symbol
	at    map[string]int
	given map[string]bool // local names that the module gives away
	own   map[string]bool // top-level names
	lead  *node           // doc comment of the statement that is read
	begin *node           // the statement
}

// exports reads which names the module gives away, and which are its own.
func (c *collector) exports(root *node) {
	for _, s := range root.Children {
		switch s.Kind {
		case "export_statement":
			for _, e := range exportsOf(s, c.src) {
				c.given[e.local] = c.given[e.local] || e.module == ""
			}
			if d := s.Get("declaration"); d != nil {
				for _, n := range declared(d, c.src) {
					c.own[n] = true
				}
			}
		case "expression_statement":
			if k := code(s); len(k) == 1 {
				for _, e := range commonExports(k[0], c.src) {
					c.given[e.local] = true
				}
			}
		case "lexical_declaration", "variable_declaration":
			for _, n := range declared(s, c.src) {
				c.own[n] = true
			}
			for _, d := range s.All("variable_declarator") { // var app = module.exports = {}
				if v := inner(d.Get("value")); v != nil && v.Kind == "assignment_expression" {
					if whole, name := exportTarget(v.Get("left"), c.src); whole || name != "" {
						c.given[d.Get("name").Text(c.src)] = true
					}
				}
			}
		case "function_declaration", "class_declaration", "generator_function_declaration", "abstract_class_declaration":
			c.own[s.Get("name").Text(c.src)] = true
		}
	}
	delete(c.given, "")
}

func (c *collector) block(n *node, owner string, exported bool) {
	c.documented(n, func(s *node) { c.statement(s, owner, exported) })
}

// documented visits the children of n that are code, each with the doc comment right above it.
func (c *collector) documented(n *node, visit func(*node)) {
	var before *node
	for _, s := range n.Children {
		if s.Kind == "comment" {
			before = s
			continue
		}
		c.lead, c.begin = nil, s
		if before != nil && before.Last+1 == s.Row && strings.HasPrefix(before.Text(c.src), "/*") {
			c.lead = before
		}
		before = nil
		visit(s)
	}
}

func (c *collector) statement(s *node, owner string, exported bool) {
	switch s.Kind {
	case "export_statement":
		c.export(s, owner)
	case "function_declaration", "generator_function_declaration", "function_signature":
		c.function(owner+s.Get("name").Text(c.src), "function", s, s, exported)
	case "class_declaration", "abstract_class_declaration":
		c.class(owner+s.Get("name").Text(c.src), s, exported)
	case "lexical_declaration", "variable_declaration":
		for _, d := range s.All("variable_declarator") {
			c.variable(d, owner, exported)
		}
	case "interface_declaration", "type_alias_declaration", "enum_declaration":
		c.typed(owner+s.Get("name").Text(c.src), s, exported)
	case "internal_module", "module":
		c.namespace(s, owner, exported)
	case "ambient_declaration":
		for _, k := range code(s) {
			if k.Kind == "statement_block" { // declare global
				c.block(k, owner, true)
			} else {
				c.statement(k, owner, exported || declares(c.path))
			}
		}
	case "expression_statement":
		for _, k := range code(s) {
			switch k.Kind {
			case "internal_module":
				c.namespace(k, owner, exported)
			case "assignment_expression":
				c.assignment(k, owner)
			}
		}
	case "if_statement", "else_clause", "try_statement", "catch_clause", "statement_block":
		c.block(s, owner, exported)
	}
}

func (c *collector) export(s *node, owner string) {
	if d := s.Get("declaration"); d != nil {
		if d.Get("name") == nil && (strings.HasPrefix(d.Kind, "function") || strings.HasPrefix(d.Kind, "class")) {
			c.value("default", d, s, true)
			return
		}
		c.statement(d, owner, true)
		return
	}
	if v := inner(s.Get("value")); v != nil {
		if v.Kind != "identifier" {
			c.value("default", v, s, true)
		}
		return
	}
	for _, e := range exportsOf(s, c.src) {
		if e.name != "" && e.name != "*" && e.name != "default" && (e.module != "" || e.local != e.name) {
			c.add(owner+e.name, "variable", e.node, "export { "+oneLine(e.node.Text(c.src))+" }", true)
		}
	}
}

// value adds what an expression is under a name: a function, a class, an object with members.
func (c *collector) value(name string, v, at *node, exported bool) {
	v = inner(v)
	for v != nil && v.Kind == "assignment_expression" {
		v = inner(v.Get("right"))
	}
	switch {
	case v == nil:
	case isFunction(v), v.Kind == "function_declaration", v.Kind == "generator_function_declaration", v.Kind == "function_signature":
		kind := "function"
		if strings.Contains(name, ".") {
			kind = "method"
		}
		c.function(name, kind, v, at, exported)
	case v.Kind == "class", v.Kind == "class_declaration", v.Kind == "abstract_class_declaration":
		c.class(name, v, exported)
	default:
		kind := "variable"
		if _, last, _ := cutLast(name); strings.ToUpper(last) == last && strings.ToLower(last) != last {
			kind = "constant"
		}
		sig := name
		if t := at.Get("type"); t != nil {
			sig += oneLine(t.Text(c.src))
		}
		c.add(name, kind, at, sig, exported)
		if v.Kind == "object" {
			c.object(name+".", v, exported)
		}
	}
}

// object adds the members of an object literal.
func (c *collector) object(owner string, v *node, exported bool) {
	members := code(v)
	for _, m := range members[:min(len(members), maxMembers)] {
		key := objectKey(m, c.src)
		if key == "" || strings.ContainsAny(key, ". ") {
			continue
		}
		switch f := inner(m.Get("value")); {
		case m.Kind == "method_definition":
			c.function(owner+key, "method", m, m, exported)
		case isFunction(f):
			c.function(owner+key, "method", f, m, exported)
		case exported:
			c.add(owner+key, "variable", m, key, exported)
		}
	}
}

func (c *collector) variable(d *node, owner string, exported bool) {
	name, value := d.Get("name"), d.Get("value")
	if name == nil {
		return
	}
	if name.Kind == "identifier" {
		n := name.Text(c.src)
		if _, ok := required(value, c.src); ok {
			return // another module's
		}
		c.value(owner+n, orSelf(value, d), d, exported || owner == "" && c.given[n])
		return
	}
	if _, ok := required(value, c.src); ok {
		return
	}
	r, sc := newRefs(c.src), &scope{names: map[string]bool{}}
	r.bind(name, sc)
	for _, n := range sorted(sc.names) {
		c.add(owner+n, "variable", d, n, exported || owner == "" && c.given[n])
	}
}

func orSelf(n, self *node) *node {
	if n == nil {
		return self
	}
	return n
}

// assignment adds exports.x = …, module.exports = …, T.x = … and T.prototype.x = ….
func (c *collector) assignment(a *node, owner string) {
	if whole, _ := exportTarget(a.Get("left"), c.src); whole {
		c.whole(a)
		return
	}
	if out := commonExports(a, c.src); len(out) > 0 {
		if e := out[0]; e.local == e.name || e.module != "" || e.local == "" {
			if !c.own[e.name] {
				c.value(e.name, a.Get("right"), a, true)
			}
		} else if e.local != e.name {
			c.add(e.name, "variable", a, "exports."+e.name, true)
		}
		return
	}
	left := a.Get("left")
	if left == nil || left.Kind != "member_expression" {
		return
	}
	parts := strings.Split(left.Text(c.src), ".")
	if len(parts) == 3 && parts[1] == "prototype" {
		parts = []string{parts[0], parts[2]}
	}
	if len(parts) != 2 || !c.own[parts[0]] || strings.ContainsAny(parts[1], " ()[]?\n") || parts[1] == "prototype" {
		return
	}
	c.value(owner+parts[0]+"."+parts[1], a.Get("right"), a, c.given[parts[0]])
}

// whole adds what module.exports = x gives away: the members of an object by their own names.
func (c *collector) whole(a *node) {
	right := inner(a.Get("right"))
	for right != nil && right.Kind == "assignment_expression" {
		right = inner(right.Get("right"))
	}
	if right == nil || right.Kind == "identifier" {
		return
	}
	if right.Kind != "object" {
		if _, ok := required(right, c.src); ok {
			return
		}
		name := "default"
		if n := right.Get("name"); n != nil && (isFunction(right) || right.Kind == "class") {
			name = n.Text(c.src)
		}
		c.value(name, right, a, true)
		return
	}
	members := code(right)
	for _, m := range members[:min(len(members), maxMembers)] {
		key := objectKey(m, c.src)
		switch {
		case key == "" || strings.ContainsAny(key, ". "):
		case m.Kind == "method_definition":
			c.function(key, "function", m, m, true)
		case m.Kind == "pair":
			if v := inner(m.Get("value")); v != nil && (v.Kind != "identifier" || v.Text(c.src) != key) {
				c.value(key, v, m, true)
			}
		case !c.own[key]:
			c.add(key, "variable", m, key, true)
		}
	}
}

func (c *collector) namespace(n *node, owner string, exported bool) {
	name := n.Get("name")
	if name == nil || name.Kind == "string" {
		if b := n.Get("body"); b != nil { // declare module "x"
			c.block(b, owner, true)
		}
		return
	}
	full := owner + name.Text(c.src)
	c.add(full, "type", n, "namespace "+full, exported || c.given[full])
	if b := n.Get("body"); b != nil {
		c.block(b, full+".", exported)
	}
}

func (c *collector) add(name, kind string, n *node, sig string, exported bool) {
	if len(sig) > maxSignature {
		sig = strings.ToValidUTF8(sig[:maxSignature], "") + "…"
	}
	s := model.Symbol{
		Path: c.path, Name: name, Kind: kind, Exported: exported && public(name), Start: n.Row + 1, End: lastRow(n, c.src),
		Signature: sig, Digest: model.Sum([]byte(n.Text(c.src))),
	}
	if !strings.Contains(name, ".") && c.given[name] {
		s.Exported = public(name)
	}
	if c.lead != nil && c.begin != nil && kind != "parameter" && n.Start <= c.begin.Start+64 && n.End <= c.begin.End && n.Row <= c.begin.Row+2 {
		s.Doc, s.Start = doc(c.lead.Text(c.src)), c.lead.Row+1
		c.lead = nil
	}
	if i, ok := c.at[name]; ok {
		s.Digest = model.Sum([]byte(string(c.out[i].Digest) + string(s.Digest)))
		if s.Doc == "" {
			s.Doc = c.out[i].Doc
		}
		s.Exported = s.Exported || c.out[i].Exported
		c.out[i] = s
		return
	}
	c.at[name] = len(c.out)
	c.out = append(c.out, s)
}

// public reports whether no part of a qualified name is private.
func public(name string) bool {
	return !slices.ContainsFunc(strings.Split(name, "."), func(part string) bool {
		return strings.HasPrefix(part, "#") || strings.HasPrefix(part, "_") && strings.Trim(part, "_") != ""
	})
}

// doc is the text of a comment without its frame.
func doc(comment string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSuffix(strings.TrimLeft(comment, "/*"), "*/")) {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*")))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
