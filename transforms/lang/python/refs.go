package python

import (
	"regexp"
	"strings"
)

// refs are what a piece of code names.
type refs struct {
	names    map[string]int    // identifiers that are read, with their first line
	locals   map[string]bool   // identifiers that it binds itself
	attrs    map[string]int    // names after a dot
	dotted   map[string]int    // a.b.c whose first part is an identifier
	keywords map[string]int    // callee.keyword of calls, by the callee's last name
	words    map[string]bool   // string literals that could be names, whole or dotted
	literals map[string]bool   // all string literals
	imports  []imported        // import statements inside
	fixtures []string          // parameters of the function itself
	types    map[string]string // local name → callee of "x = Callee(…)"
}

func newRefs() *refs {
	return &refs{names: map[string]int{}, locals: map[string]bool{}, attrs: map[string]int{}, dotted: map[string]int{},
		keywords: map[string]int{}, words: map[string]bool{}, literals: map[string]bool{}, types: map[string]string{}}
}

// free reports whether name is read and not bound inside.
func (r *refs) free(name string) bool {
	_, ok := r.names[name]
	return ok && !r.locals[name]
}

var wordLiteral = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)

func note(m map[string]int, key string, n *node) {
	if _, ok := m[key]; !ok {
		m[key] = n.Row + 1
	}
}

// read collects what n names. Binding sites count as locals.
func (r *refs) read(n *node, src []byte) {
	n.Walk(func(c *node) bool { return r.visit(c, src) })
}

func (r *refs) visit(c *node, src []byte) bool {
	switch c.Kind {
	case "identifier":
		note(r.names, c.Text(src), c)
	case "attribute":
		r.attribute(c, src)
		return false
	case "call":
		callee := lastName(c.Get("function"), src)
		for _, kw := range c.Get("arguments").All("keyword_argument") {
			if callee != "" {
				note(r.keywords, callee+"."+kw.Get("name").Text(src), kw)
			}
		}
	case "keyword_argument":
		r.read(c.Get("value"), src)
		return false
	case "string":
		if s := literal(c, src); s != "" {
			r.literals[s] = true
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); wordLiteral.MatchString(part) {
					r.words[part] = true
				}
			}
		}
	case "import_statement", "import_from_statement", "future_import_statement":
		for _, i := range importsOf(c, src) {
			r.imports = append(r.imports, i)
			r.locals[i.bound()] = true
		}
		return false
	case "function_definition", "class_definition":
		r.locals[c.Get("name").Text(src)] = true
		for _, k := range c.Children {
			switch {
			case k.Field == "name":
			case k.Kind == "parameters":
				r.parameters(k, src, nil)
			default:
				r.read(k, src)
			}
		}
		return false
	case "lambda":
		for _, k := range c.Children {
			if k.Kind == "lambda_parameters" {
				r.parameters(k, src, nil)
			} else {
				r.read(k, src)
			}
		}
		return false
	case "assignment", "for_statement", "for_in_clause":
		left := c.Get("left")
		r.bind(left, src)
		if right := c.Get("right"); right != nil && right.Kind == "call" && left != nil && left.Kind == "identifier" {
			r.types[left.Text(src)] = lastName(right.Get("function"), src)
		}
		for _, k := range c.Children {
			if k != left {
				r.read(k, src)
			}
		}
		return false
	case "named_expression":
		r.bind(c.Get("name"), src)
		r.read(c.Get("value"), src)
		return false
	case "as_pattern_target":
		r.bind(c, src)
		return false
	}
	return true
}

// bind notes the names that a target binds; what it reads (x.y, x[i]) is read.
func (r *refs) bind(n *node, src []byte) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "identifier":
		r.locals[n.Text(src)] = true
	case "attribute", "subscript":
		r.read(n, src)
	default:
		for _, c := range n.Children {
			r.bind(c, src)
		}
	}
}

// parameters binds parameter names and reads defaults and annotations; each is called for every
// parameter.
func (r *refs) parameters(n *node, src []byte, each func(name string, p *node)) {
	for _, p := range n.Children {
		name := p
		switch p.Kind {
		case "default_parameter", "typed_default_parameter":
			name = p.Get("name")
			r.read(p.Get("value"), src)
			r.read(p.Get("type"), src)
		case "typed_parameter":
			name = nil
			if len(p.Children) > 0 {
				name = p.Children[0]
			}
			r.read(p.Get("type"), src)
		}
		if name != nil && (name.Kind == "list_splat_pattern" || name.Kind == "dictionary_splat_pattern") && len(name.Children) > 0 {
			name = name.Children[0]
		}
		if name == nil || name.Kind != "identifier" {
			continue
		}
		r.locals[name.Text(src)] = true
		if each != nil {
			each(name.Text(src), p)
		}
	}
}

func (r *refs) attribute(c *node, src []byte) {
	note(r.attrs, c.Get("attribute").Text(src), c)
	chain, n := []string{c.Get("attribute").Text(src)}, c.Get("object")
	for n != nil && n.Kind == "attribute" {
		note(r.attrs, n.Get("attribute").Text(src), n)
		chain = append(chain, n.Get("attribute").Text(src))
		n = n.Get("object")
	}
	if n == nil {
		return
	}
	if n.Kind != "identifier" {
		r.read(n, src)
		return
	}
	note(r.names, n.Text(src), n)
	var name strings.Builder
	name.WriteString(n.Text(src))
	for i := len(chain) - 1; i >= 0; i-- {
		name.WriteString("." + chain[i])
		note(r.dotted, name.String(), c)
	}
}

// An imported is one name that an import binds.
type imported struct {
	module string // dotted, without leading dots
	level  int    // leading dots
	name   string // "" for "import module", "*" for all
	alias  string
	line   int
	node   *node // the part of the statement that binds it
	stmt   *node
}

// bound is the name that the import binds.
func (i imported) bound() string {
	switch {
	case i.alias != "":
		return i.alias
	case i.name != "":
		return i.name
	}
	first, _, _ := strings.Cut(i.module, ".")
	return first
}

func importsOf(n *node, src []byte) []imported {
	var out []imported
	base := imported{stmt: n}
	for _, c := range n.Children {
		if c.Field == "module_name" {
			name := strings.Map(func(r rune) rune {
				if r == ' ' || r == '\t' {
					return -1
				}
				return r
			}, c.Text(src))
			base.module = strings.TrimLeft(name, ".")
			base.level = len(name) - len(base.module)
		}
	}
	from := n.Kind != "import_statement"
	if n.Kind == "future_import_statement" {
		base.module = "__future__"
	}
	for _, c := range n.Children {
		i := base
		i.node, i.line = c, c.Row+1
		switch {
		case c.Field == "module_name":
			continue
		case c.Kind == "wildcard_import":
			i.name = "*"
		case c.Kind == "dotted_name", c.Kind == "aliased_import":
			name := c
			if c.Kind == "aliased_import" {
				name, i.alias = c.Get("name"), c.Get("alias").Text(src)
			}
			if from {
				i.name = name.Text(src)
			} else {
				i.module = name.Text(src)
			}
		default:
			continue
		}
		out = append(out, i)
	}
	return out
}
