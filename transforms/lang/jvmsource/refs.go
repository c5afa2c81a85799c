package jvmsource

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang/syntax"
)

// anyArity stands for a name that is used without a list of arguments.
const anyArity = -1

// refs are what a piece of code names.
type refs struct {
	names    map[string]bool   // bare identifiers and types
	calls    map[string][]int  // bare calls: numbers of arguments
	members  map[string][]int  // names behind a dot whose receiver is not known
	self     map[string][]int  // names behind this or super
	dotted   map[string][]int  // A.b.c that begins with a bare identifier: numbers of arguments
	lines    map[string]int    // of names, members and dotted names: the first
	types    map[string]string // of names that it binds: their type as written, where it is
	locals   map[string]bool   // names that it binds itself
	words    map[string]bool   // string literals that could be names, without what stands before # or .
	literals map[string]bool
	keywords map[string]bool // callee.name of named arguments
}

func newRefs() *refs {
	return &refs{names: map[string]bool{}, calls: map[string][]int{}, members: map[string][]int{}, self: map[string][]int{},
		dotted: map[string][]int{}, lines: map[string]int{}, types: map[string]string{}, locals: map[string]bool{},
		words: map[string]bool{}, literals: map[string]bool{}, keywords: map[string]bool{}}
}

func (r *refs) name(n string, at *syntax.Node) {
	if n != "" {
		r.names[n] = true
		r.line(n, at)
	}
}

func (r *refs) line(n string, at *syntax.Node) {
	if _, ok := r.lines[n]; !ok {
		r.lines[n] = at.Row + 1
	}
}

func (r *refs) member(n string, arity int, at *syntax.Node) {
	if n != "" {
		count(r.members, n, arity)
		r.line(n, at)
	}
}

func count(m map[string][]int, name string, arity int) {
	if name != "" && !slices.Contains(m[name], arity) {
		m[name] = append(m[name], arity)
	}
}

// free reports whether a bare name is read and not bound inside.
func (r *refs) free(name string) bool {
	return r.names[name] && !r.locals[name]
}

// mentions reports whether a bare name is read or called.
func (r *refs) mentions(name string) bool { return r.names[name] || r.calls[name] != nil }

// wordLiteral is a name, or a.b.Class#method, with or without parameters, as annotations have them.
var wordLiteral = regexp.MustCompile(`^(?:[\p{L}_$][\p{L}\p{N}_$.]*[#.])?([\p{L}_$][\p{L}\p{N}_$]*)(?:\([^()]*\))?$`)

func (r *refs) literal(text string) {
	if text == "" {
		return
	}
	r.literals[text] = true
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if m := wordLiteral.FindStringSubmatch(part); m != nil {
			r.words[m[1]] = true
			if class, _, ok := strings.Cut(part, "#"); ok {
				r.words[last(class[strings.LastIndexByte(class, '$')+1:])] = true
			}
		}
	}
}

// chain notes a dotted name and each beginning of it; arity is of the whole.
func (r *refs) chain(parts []string, arity int, at *syntax.Node) {
	r.name(parts[0], at)
	var name strings.Builder
	name.WriteString(parts[0])
	for i, p := range parts[1:] {
		name.WriteString("." + p)
		r.line(name.String(), at)
		r.line(p, at)
		if i == len(parts)-2 {
			count(r.dotted, name.String(), arity)
		} else {
			count(r.dotted, name.String(), anyArity)
		}
	}
}

// bind notes a name that is bound, and its type where that is known.
func (r *refs) bind(name, typ string) {
	r.locals[name] = true
	if was, ok := r.types[name]; ok && was != typ {
		typ = "" // two locals of one name
	}
	r.types[name] = typ
}

// bare is a Kotlin name without its backticks.
func bare(name string) string { return strings.Trim(name, "`") }
