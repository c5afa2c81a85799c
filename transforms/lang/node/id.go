package node

import (
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

const separator = " > "

// identity is the check id of a case: its file and titles.
func identity(file string, path []string) string {
	return file + separator + strings.Join(path, separator)
}

// split cuts an id after the file.
func split(id string) (file, rest string) { return ecma.JavaScript.Function(id) }

// pattern is a regular expression, of JavaScript, that matches the whole titles of functions;
// titles are joined by between.
func pattern(functions []string, between string) string {
	each := make([]string, len(functions))
	for i, f := range functions {
		var b strings.Builder
		for j, p := range ecma.Pieces(f) {
			if j > 0 {
				b.WriteString(`[^]*?`)
			}
			b.WriteString(strings.ReplaceAll(quoteJS(p), separator, between))
		}
		each[i] = b.String()
	}
	return "^(?:" + strings.Join(each, "|") + ")$"
}

// quoteJS quotes what a regular expression of JavaScript, with the flag u or without, reads as
// an operator.
func quoteJS(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\^$.*+?()[]{}|`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
