package jvmsource

import (
	"bytes"
	"slices"
	"sort"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// relaxed is Kotlin source of the same length and meaning for a grammar that wants the last member
// of a class to end its line (class A { fun f() {} }) and no comment between a line's begin and a
// member: blanks before a closing brace become line ends, comments before code become blanks.
func relaxed(src []byte) []byte {
	out := slices.Clone(src)
	for i := 0; i < len(src); {
		rest := src[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			i += index(rest, "\n", 0)
		case bytes.HasPrefix(rest, []byte("/*")):
			end := i + comment(rest)
			line, _, _ := bytes.Cut(src[end:], []byte("\n"))
			if before := src[syntax.LineStart(src, i):i]; len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(line)) > 0 {
				for k := i; k < end; k++ {
					if out[k] != '\n' && out[k] != '\r' {
						out[k] = ' '
					}
				}
			}
			i = end
		case bytes.HasPrefix(rest, []byte(`"""`)):
			i += index(rest, `"""`, 3)
			for i < len(src) && src[i] == '"' {
				i++
			}
		case rest[0] == '"' || rest[0] == '\'':
			i++
			for i < len(src) && src[i] != rest[0] && src[i] != '\n' {
				if src[i] == '\\' {
					i++
				}
				i++
			}
			i++
		default:
			if rest[0] == '}' && i > 0 && (src[i-1] == ' ' || src[i-1] == '\t') {
				out[i-1] = '\n'
			}
			i++
		}
	}
	return out
}

// index is the end of the first end in text behind from, or of the text.
func index(text []byte, end string, from int) int {
	if i := bytes.Index(text[from:], []byte(end)); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// comment is the length of the comment that text begins with; Kotlin's nest.
func comment(text []byte) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '/' && text[i+1] == '*':
			depth++
			i++
		case text[i] == '*' && text[i+1] == '/':
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// renumbered is a copy of the tree whose lines are those of src.
func renumbered(root *syntax.Node, src []byte) *syntax.Node {
	var ends []int
	for i, b := range src {
		if b == '\n' {
			ends = append(ends, i)
		}
	}
	var again func(n *syntax.Node) *syntax.Node
	again = func(n *syntax.Node) *syntax.Node {
		out := *n
		out.Row, out.Last = sort.SearchInts(ends, n.Start), sort.SearchInts(ends, n.End)
		out.Children = make([]*syntax.Node, len(n.Children))
		for i, c := range n.Children {
			out.Children[i] = again(c)
		}
		return &out
	}
	return again(root)
}
