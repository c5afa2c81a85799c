package ecma

import (
	"math"
	"slices"
	"strings"
)

// title is the title that a runner's call gives: its text, with "${…}" for what is known only
// at run time. texts are the constants of the module.
func title(call *node, src []byte, texts map[string]string) string {
	args := arguments(call)
	if len(args) == 0 {
		return ""
	}
	first := inner(args[0])
	if isFunction(first) {
		if name := first.Get("name"); name != nil {
			return name.Text(src)
		}
		return "<anonymous>" // node:test's word
	}
	return titleText(first, src, texts, 0)
}

func titleText(n *node, src []byte, texts map[string]string, depth int) string {
	n = inner(n)
	if n == nil || depth > 32 {
		return ""
	}
	if s, ok := literal(n, src); ok {
		return s
	}
	switch n.Kind {
	case "number", "true", "false", "null", "undefined":
		return n.Text(src)
	case "identifier":
		if s, ok := texts[n.Text(src)]; ok {
			return s
		}
	case "template_string":
		var b strings.Builder
		at := n.Start + 1
		for _, c := range n.Children {
			if c.Kind == "template_substitution" {
				b.WriteString(unescape(string(src[at:c.Start])))
				if s, ok := texts[strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.Text(src), "${"), "}"))]; ok {
					b.WriteString(s)
				} else {
					b.WriteString(oneLine(c.Text(src)))
				}
				at = c.End
			}
		}
		b.WriteString(unescape(string(src[at : n.End-1])))
		return b.String()
	case "binary_expression":
		l, r := n.Get("left"), n.Get("right")
		if l != nil && r != nil && strings.TrimSpace(string(src[l.End:r.Start])) == "+" {
			return titleText(l, src, texts, depth+1) + titleText(r, src, texts, depth+1)
		}
	}
	return "${" + oneLine(n.Text(src)) + "}"
}

// Titled is the test function of a check among functions, those of its file by their names: the
// one of its whole title, with or without its number, or but for white space (AVA joins the
// words of a title); else the one with the most text in common of those whose subtest it is, and
// those whose title, read as a pattern, it matches; the first in order of equal ones.
func (d Dialect) Titled(id string, functions []string) (function string, ok bool) {
	_, whole := d.Function(id)
	plain := unnumbered(whole)
	length := -1
	for _, f := range functions {
		n := -1
		switch {
		case f == whole:
			return f, true
		case f == plain:
			n = math.MaxInt
		case words(f) == words(plain):
			n = math.MaxInt - 1
		case strings.HasPrefix(whole, f+separator):
			n = len(f + separator)
		default:
			n = matches(f, plain)
		}
		if n > length {
			function, length, ok = f, n, true
		}
	}
	return function, ok
}

// unnumbered takes the " #2" of an equal id off.
func unnumbered(function string) string {
	i := strings.LastIndex(function, " #")
	if i < 0 || i+2 == len(function) || strings.Trim(function[i+2:], "0123456789") != "" {
		return function
	}
	return function[:i]
}

// matches reports how many bytes of name are fixed text of a title as the source has it, or of
// its part before a subtest's title; -1 where it does not match. A title without places is none.
func matches(title, name string) int {
	parts := Pieces(unnumbered(title))
	if len(parts) < 2 {
		return -1
	}
	fixed := 0
	for _, p := range parts {
		fixed += len(p)
	}
	if glob(parts, name) || glob(append(slices.Clip(slices.Clone(parts[:len(parts)-1])), parts[len(parts)-1]+separator, ""), name) {
		return fixed
	}
	return -1
}

// glob reports whether a name is the parts with any text between them.
func glob(parts []string, name string) bool {
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return len(rest) >= len(last) && strings.HasSuffix(rest, last)
}

// Pieces cuts a title at its places: ${…} of templates, and $name, $#, %s and their like of
// tables. Of a title without places it is the title alone.
func Pieces(title string) []string {
	var out []string
	var b strings.Builder
	place := func() {
		out = append(out, b.String())
		b.Reset()
	}
	for i := 0; i < len(title); {
		rest := title[i:]
		switch {
		case strings.HasPrefix(rest, "${"):
			i += closing(rest)
			place()
		case rest[0] == '%' && len(rest) > 1 && rest[1] == '%':
			b.WriteByte('%')
			i += 2
		case rest[0] == '%' && len(rest) > 1 && strings.IndexByte("sdifjoOpc#$", rest[1]) >= 0:
			i += 2
			place()
		case rest[0] == '$' && len(rest) > 1 && (rest[1] == '#' || inWord(rest[1])):
			i += 2
			for i < len(title) && (inWord(title[i]) || title[i] == '.' && i+1 < len(title) && inWord(title[i+1])) {
				i++
			}
			place()
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return append(out, b.String())
}

// closing is the length of a "${…}" at the start of s.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
