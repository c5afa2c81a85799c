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
	names    map[string]int   // bare identifiers and types, with their first line
	calls    map[string][]int // bare calls: numbers of arguments
	members  map[string][]int // names behind a dot whose receiver is not known
	self     map[string][]int // names behind this or super
	dotted   map[string]int   // A.b.c that begins with a bare identifier, with its first line
	locals   map[string]bool  // names that it binds itself
	words    map[string]bool  // string literals that could be names, without what stands before # or .
	literals map[string]bool
	keywords map[string]bool // callee.name of named arguments
}

func newRefs() *refs {
	return &refs{names: map[string]int{}, calls: map[string][]int{}, members: map[string][]int{}, self: map[string][]int{},
		dotted: map[string]int{}, locals: map[string]bool{}, words: map[string]bool{}, literals: map[string]bool{}, keywords: map[string]bool{}}
}

func (r *refs) name(n string, at *syntax.Node) { note(r.names, n, at) }

func note(m map[string]int, name string, at *syntax.Node) {
	if _, ok := m[name]; !ok && name != "" {
		m[name] = at.Row + 1
	}
}

func count(m map[string][]int, name string, arity int) {
	if name != "" && !slices.Contains(m[name], arity) {
		m[name] = append(m[name], arity)
	}
}

// free reports whether a bare name is read and not bound inside.
func (r *refs) free(name string) bool {
	_, ok := r.names[name]
	return ok && !r.locals[name]
}

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

// chain notes a dotted name and each beginning of it.
func (r *refs) chain(parts []string, at *syntax.Node) {
	name := parts[0]
	for _, p := range parts[1:] {
		name += "." + p
		note(r.dotted, name, at)
	}
}

// bare is a Kotlin name without its backticks.
func bare(name string) string { return strings.Trim(name, "`") }
