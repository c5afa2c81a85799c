package node

import (
	"regexp"
	"strings"
)

const separator = " > "

// identity is the check id of a case: its file and titles.
func identity(file string, path []string) string {
	return file + separator + strings.Join(path, separator)
}

// Function cuts a check id into its file and the titles, without the ordinal of one of several
// equal ones. A title that itself ends like an ordinal, or that a template made, is told by
// Titled.
func Function(id string) (unit, function string) {
	unit, function = split(id)
	return unit, ordinal.ReplaceAllString(function, "")
}

var ordinal = regexp.MustCompile(` #(?:[2-9]|[1-9][0-9]+)$`)

// split cuts an id after the file: the first separator behind an extension of code, else the
// first separator.
func split(id string) (file, rest string) {
	for from := 0; ; {
		i := strings.Index(id[from:], separator)
		if i < 0 {
			break
		}
		if file := id[:from+i]; code(file) {
			return file, id[from+i+len(separator):]
		}
		from += i + len(separator)
	}
	file, rest, _ = strings.Cut(id, separator)
	return file, rest
}

// Titled is the test function of a check among functions, those of its unit as the parser names
// them: the one of its whole title, of its title without an ordinal, or the template that could
// have made the title, the one with the most literal text first. False where there is none.
func Titled(id string, functions []string) (function string, ok bool) {
	_, whole := split(id)
	short := ordinal.ReplaceAllString(whole, "")
	for _, title := range []string{whole, short} {
		for _, f := range functions {
			if f == title {
				return f, true
			}
		}
	}
	for _, f := range functions { // AVA trims and joins the words of a title
		if blank(f) == blank(whole) || blank(f) == blank(short) {
			return f, true
		}
	}
	best := -1
	for _, f := range functions {
		t := parseTemplate(f)
		if t.holes == 0 || t.literal <= best && ok {
			continue
		}
		if t.match(short) || t.match(whole) {
			function, best, ok = f, t.literal, true
		}
	}
	return function, ok
}

func blank(title string) string { return strings.Join(strings.Fields(title), " ") }

// A template is a title with holes: %s and its like of each, $name and ${expression}.
type template struct {
	parts   []string // literal texts around the holes
	holes   int
	literal int // bytes of literal text
}

var hole = regexp.MustCompile(`%[sdifjoOpc#$]|\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\$[A-Za-z_#][\w.]*`)

func parseTemplate(title string) template {
	var t template
	at := 0
	for _, h := range hole.FindAllStringIndex(title, 1000) {
		t.parts = append(t.parts, strings.ReplaceAll(title[at:h[0]], "%%", "%"))
		at = h[1]
		t.holes++
	}
	t.parts = append(t.parts, strings.ReplaceAll(title[at:], "%%", "%"))
	for _, p := range t.parts {
		t.literal += len(p)
	}
	return t
}

// match reports whether a title can be made by the template.
func (t template) match(title string) bool {
	rest, ok := strings.CutPrefix(title, t.parts[0])
	if !ok {
		return false
	}
	if len(t.parts) == 1 {
		return rest == ""
	}
	for _, p := range t.parts[1 : len(t.parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, t.parts[len(t.parts)-1])
}

// pattern is a regular expression, of JavaScript, that matches the whole titles of functions;
// titles are joined by between.
func pattern(functions []string, between string) string {
	each := make([]string, len(functions))
	for i, f := range functions {
		t := parseTemplate(f)
		var b strings.Builder
		for j, p := range t.parts {
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
