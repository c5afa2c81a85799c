package jvmsource

import (
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

const maxSignature = 2000 // bytes

// Symbols lists what a file declares, in source order, by names within its package: types (Type,
// Outer.Inner), methods and functions (Type.method; function), fields, properties and constants
// (Type.FIELD), constructors (Type.Type), enum constants (Type.NAME), and of Kotlin functions the
// parameters (function.name). Members of a companion are those of its class. Declarations of one
// name (overloads, extensions of several types) are one symbol with all their signatures, joined
// by "; ", and a digest of all.
func Symbols(t lang.Files, p string) ([]model.Symbol, error) {
	if !Parsed(p) {
		return nil, nil
	}
	f, ok, err := t.Read(p)
	if err != nil {
		return nil, err
	}
	if !ok || f.Mode&0o170000 == 0o120000 {
		return nil, nil
	}
	s, err := cut(p, f.Data)
	if err != nil {
		return nil, err
	}
	l := &lister{source: s, at: map[string]int{}}
	for _, d := range s.top {
		l.decl(d, "", true)
	}
	return l.out, nil
}

type lister struct {
	*source
	out []model.Symbol
	at  map[string]int
}

func (l *lister) decl(d *decl, prefix string, exported bool) {
	exported = exported && l.exported(d)
	switch d.what {
	case isType:
		name := prefix
		if d.flavor != "companion" {
			name += d.name()
			l.add(name, d.flavor, exported, d.node, l.head(d))
			name += "."
		}
		l.primary(d, name, exported)
		for _, k := range constants(d) {
			l.add(name+l.constantName(k), "constant", exported, k, strings.TrimSuffix(name, ".")+" "+l.until(k, nil))
		}
		for _, m := range d.members {
			l.decl(m, name, exported)
		}
	case isMethod:
		kind := "method"
		if prefix == "" {
			kind = "function"
		}
		l.add(prefix+d.name(), kind, exported, d.node, l.until(d.node, d.body))
		if l.kotlin {
			l.parameters(d.node.All("function_value_parameters"), prefix+d.name(), exported)
		}
	case isConstructor:
		class := strings.TrimSuffix(prefix, ".")
		l.add(prefix+last(class), "constructor", exported, d.node, l.until(d.node, l.constructorBody(d)))
	case isField:
		l.field(d, prefix, exported)
	case isAlias:
		l.add(prefix+d.name(), "type", exported, d.node, l.until(d.node, nil))
	}
}

// constants are the constants of an enum.
func constants(d *decl) []*syntax.Node {
	return append(d.body.All("enum_constant"), d.body.All("enum_entry")...)
}

func (l *lister) constantName(k *syntax.Node) string {
	for _, c := range k.Children {
		if c.Kind == "identifier" {
			return bare(c.Text(l.src))
		}
	}
	return ""
}

func (l *lister) constructorBody(d *decl) *syntax.Node {
	if d.body != nil {
		return d.body
	}
	for _, k := range d.node.Children {
		if k.Kind == "constructor_delegation_call" || k.Kind == "block" {
			return k
		}
	}
	return nil
}

// primary lists the constructor in a head: a record's, or Kotlin's, with its properties.
func (l *lister) primary(d *decl, prefix string, exported bool) {
	name := prefix + d.name()
	if d.flavor == "record" {
		ps := d.node.Get("parameters")
		l.add(name, "constructor", exported, ps, d.name()+ps.Text(l.src))
		for _, p := range ps.All("formal_parameter") {
			l.add(prefix+p.Get("name").Text(l.src), "method", exported, p, p.Text(l.src))
		}
		return
	}
	for _, c := range d.node.All("primary_constructor") {
		private := false
		for _, m := range c.All("modifiers") {
			private = private || strings.Contains(m.Text(l.src), "private") || strings.Contains(m.Text(l.src), "internal")
		}
		for _, ps := range c.All("class_parameters") {
			l.add(name, "constructor", exported && !private, ps, d.name()+ps.Text(l.src))
			for _, p := range ps.All("class_parameter") {
				text := l.until(p, nil)
				if property.MatchString(text) {
					l.add(prefix+l.constantName(p), "property", exported && !hiddenWord.MatchString(text), p, text)
				}
			}
		}
	}
}

var (
	property   = regexp.MustCompile(`^(?:[\w@()."]+ )*?(?:val|var) `)
	hiddenWord = regexp.MustCompile(`\b(?:private|internal) `)
)

// parameters lists a function's parameters, since Kotlin's callers may name them.
func (l *lister) parameters(lists []*syntax.Node, function string, exported bool) {
	for _, ps := range lists {
		for i, p := range ps.Children {
			if p.Kind != "parameter" {
				continue
			}
			end := p.End
			if i+1 < len(ps.Children) && strings.Contains(string(l.src[p.End:ps.Children[i+1].Start]), "=") {
				end = ps.Children[i+1].End
			}
			l.add(function+"."+l.constantName(p), "parameter", exported, p, string(l.src[p.Start:end]))
		}
	}
}

func (l *lister) field(d *decl, prefix string, exported bool) {
	kind := "field"
	if l.kotlin {
		kind = "property"
	}
	if d.has("const") || d.has("static") && d.has("final") || d.node.Kind == "constant_declaration" {
		kind = "constant"
	}
	var value *syntax.Node
	if l.kotlin {
		// The type, where it is told; the value decides it where it is not, and is not told.
		for _, k := range d.node.Children {
			if k.Kind == "variable_declaration" || k.Kind == "multi_variable_declaration" {
				value = &syntax.Node{Start: k.End}
				break
			}
		}
		for _, n := range d.names {
			l.add(prefix+n, kind, exported, d.node, strings.TrimSuffix(l.until(d.node, value), " ="))
		}
		return
	}
	for _, k := range d.node.Children {
		if k.Field == "declarator" {
			n := k.Get("name")
			text := l.until(d.node, &syntax.Node{Start: d.firstDeclarator()}) + " " + n.Text(l.src) + k.Get("dimensions").Text(l.src)
			l.add(prefix+n.Text(l.src), kind, exported, d.node, text)
		}
	}
}

func (d *decl) firstDeclarator() int {
	for _, k := range d.node.Children {
		if k.Field == "declarator" {
			return k.Start
		}
	}
	return d.node.End
}

// head is a type's head: without its annotations, its constructor and its body.
func (l *lister) head(d *decl) string {
	text := l.until(d.node, d.body)
	for _, c := range append(d.node.All("primary_constructor"), d.node.All("formal_parameters")...) {
		text = strings.Replace(text, oneLine(c.Text(l.src)), "", 1)
	}
	return oneLine(text)
}

// until is the source of n up to a node, on one line, without annotations in front but those that
// a caller must know of.
func (l *lister) until(n, end *syntax.Node) string {
	from, to := n.Start, n.End
	if end != nil {
		to = min(to, max(from, end.Start))
	}
	for _, m := range n.All("modifiers") {
		for _, k := range m.Children {
			if (k.Kind == "annotation" || k.Kind == "marker_annotation") && k.Start == from {
				from = k.End
				for from < to && strings.IndexByte(" \t\r\n", l.src[from]) >= 0 {
					from++
				}
			}
		}
	}
	if from >= to {
		return ""
	}
	return strings.TrimRight(strings.TrimSuffix(oneLine(string(l.src[from:to])), " ="), ";: ")
}

// exported reports whether users of the library can name d.
func (l *lister) exported(d *decl) bool {
	if l.kotlin {
		return !d.has("private") && !d.has("internal")
	}
	return d.has("public") || d.has("protected")
}

func (l *lister) add(name, kind string, exported bool, n *syntax.Node, signature string) {
	if strings.HasSuffix(name, ".") || name == "" {
		return
	}
	signature = oneLine(signature)
	s := model.Symbol{
		Path: l.path, Name: name, Kind: kind, Exported: exported, Start: n.Row + 1, End: n.Last + 1,
		Signature: signature[:min(len(signature), maxSignature)], Digest: model.Sum([]byte(n.Text(l.src))),
	}
	var doc int
	s.Doc, doc = l.doc(n)
	s.Start = min(s.Start, doc)
	i, ok := l.at[name]
	if !ok {
		l.at[name] = len(l.out)
		l.out = append(l.out, s)
		return
	}
	o := &l.out[i]
	o.Digest = model.Sum([]byte(string(o.Digest) + string(s.Digest)))
	o.Exported = o.Exported || s.Exported
	if joined := o.Signature + "; " + s.Signature; len(joined) <= maxSignature {
		o.Signature = joined
	}
	if o.Doc == "" {
		o.Doc = s.Doc
	}
}

// doc is the documentation comment right in front of n, and the 1-based line where it, or n,
// begins.
func (l *lister) doc(n *syntax.Node) (string, int) {
	text := strings.TrimRight(string(l.src[:n.Start]), " \t\r\n")
	if !strings.HasSuffix(text, "*/") {
		return "", n.Row + 1
	}
	i := strings.LastIndex(text, "/*")
	if i < 0 || !strings.HasPrefix(text[i:], "/**") {
		return "", n.Row + 1
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSuffix(text[i+3:], "*/")) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "*"))
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), n.Row + 1 - strings.Count(string(l.src[i:n.Start]), "\n")
}

var (
	lineComment  = regexp.MustCompile(`(?m)(^|\s)//[^\n]*$`)
	blockComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// oneLine is code without comments, with runs of space made one.
func oneLine(s string) string {
	s = blockComment.ReplaceAllString(lineComment.ReplaceAllString(s, " "), " ")
	s = strings.Join(strings.Fields(s), " ")
	for _, r := range [][2]string{{"( ", "("}, {", )", ")"}, {" )", ")"}} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	return strings.TrimSpace(s)
}
