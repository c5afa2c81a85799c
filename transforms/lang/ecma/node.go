package ecma

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

type node = syntax.Node

// parse returns the root of src in the grammar of its extension. bad is the 1-based line of the
// first syntax error, or 0 where there is none. JavaScript that is none may be JavaScript with
// types (Flow's annotations are TypeScript's for the most part), so it is tried as that too.
func parse(p string, src []byte) (root *node, bad int, err error) {
	var grammars []unsafe.Pointer
	switch strings.ToLower(path.Ext(p)) {
	case ".ts", ".mts", ".cts":
		grammars = []unsafe.Pointer{typescript.LanguageTypescript()}
	case ".tsx":
		grammars = []unsafe.Pointer{typescript.LanguageTSX()}
	default:
		grammars = []unsafe.Pointer{javascript.Language(), typescript.LanguageTSX()}
	}
	texts := [][]byte{src}
	for i := 0; i < len(texts); i++ {
		for _, g := range grammars {
			r, b, err := syntax.Parse(g, texts[i])
			if err != nil {
				return nil, 0, fmt.Errorf("ecma: %w", err)
			}
			if root == nil || b == 0 {
				root, bad = r, b
			}
			if b == 0 {
				return root, 0, nil
			}
		}
		if other := bridged(src); i == 0 && other != nil {
			texts = append(texts, other)
		}
	}
	return root, bad, nil
}

// inner takes off what does not change which value an expression is: parentheses, await, and
// TypeScript's assertions.
func inner(n *node) *node {
	for n != nil {
		switch n.Kind {
		case "parenthesized_expression", "await_expression", "as_expression", "satisfies_expression", "non_null_expression", "type_assertion":
		default:
			return n
		}
		var next *node
		for _, c := range n.Children {
			if c.Kind != "comment" && c.Kind != "type_arguments" {
				next = c
				break
			}
		}
		n = next
	}
	return nil
}

// isFunction reports whether an expression is a function's own text.
func isFunction(n *node) bool {
	return n != nil && (n.Kind == "arrow_function" || n.Kind == "function_expression" || n.Kind == "generator_function")
}

// arguments are the arguments of a call; none for a tagged template.
func arguments(call *node) []*node {
	a := call.Get("arguments")
	if a == nil || a.Kind != "arguments" {
		return nil
	}
	return code(a)
}

// code are the children of n that are not comments.
func code(n *node) []*node {
	if n == nil {
		return nil
	}
	out := make([]*node, 0, len(n.Children))
	for _, c := range n.Children {
		if c.Kind != "comment" && c.Kind != "html_comment" {
			out = append(out, c)
		}
	}
	return out
}

// literal is the value of a string, or of a template without substitutions.
func literal(n *node, src []byte) (string, bool) {
	if n == nil || n.Kind != "string" && n.Kind != "template_string" || n.End-n.Start < 2 {
		return "", false
	}
	if n.Kind == "template_string" {
		for _, c := range n.Children {
			if c.Kind == "template_substitution" {
				return "", false
			}
		}
	}
	return unescape(string(src[n.Start+1 : n.End-1])), true
}

// unescape reads the escapes of a string literal.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'v':
			b.WriteByte('\v')
		case '0':
			b.WriteByte(0)
		case '\n':
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case 'x', 'u':
			r, n := codePoint(s[i:])
			b.WriteRune(r)
			i += n - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// codePoint reads x41, u0041 and u{41} at the start of s, with surrogates in pairs.
func codePoint(s string) (r rune, n int) {
	hex := func(t string) (rune, bool) {
		v, err := strconv.ParseUint(t, 16, 32)
		return rune(v), err == nil && v <= utf8.MaxRune
	}
	if s[0] == 'x' && len(s) >= 3 {
		if v, ok := hex(s[1:3]); ok {
			return v, 3
		}
	}
	if end := strings.IndexByte(s, '}'); s[0] == 'u' && strings.HasPrefix(s, "u{") && end > 2 {
		if v, ok := hex(s[2:end]); ok {
			return v, end + 1
		}
	}
	if s[0] == 'u' && len(s) >= 5 {
		if v, ok := hex(s[1:5]); ok {
			if v >= 0xd800 && v < 0xdc00 && len(s) >= 11 && s[5:7] == `\u` {
				if low, ok := hex(s[7:11]); ok && low >= 0xdc00 && low < 0xe000 {
					return (v-0xd800)<<10 + (low - 0xdc00) + 0x10000, 11
				}
			}
			return v, 5
		}
	}
	return rune(s[0]), 1
}

// oneLine joins the lines of a declaration.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for _, r := range []struct{ from, to string }{{"( ", "("}, {", )", ")"}, {" )", ")"}} {
		s = strings.ReplaceAll(s, r.from, r.to)
	}
	return s
}
