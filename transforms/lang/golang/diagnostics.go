package golang

import (
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// maxDiagnostics bounds what one build may say.
const maxDiagnostics = 10_000

// position is file.go:line:column: message, as the compiler and the loader write it.
var position = regexp.MustCompile(`^([^\s:][^:\n]*\.(?:go|s|c|h)):(\d+)(?::\d+)?: (.+)$`)

// dir is the folder that the paths of a run's diagnostics are relative to.
func (s *stream) dir(r model.Run) string { return r.Command.Dir }

// diagnostics reads compiler output. Paths are made relative to the tree's root; dir is where
// the command ran. Indented lines continue the message before them. Equal lines (a package and
// its test variant) are one.
func diagnostics(builds []output, dir string) []model.Diagnostic {
	var out []model.Diagnostic
	type place struct {
		path    string
		line    int
		message string
	}
	seen := map[place]bool{}
	for _, b := range builds {
		open := false // the last line began the last diagnostic
		for line := range strings.Lines(string(b.output)) {
			line = strings.TrimRight(line, "\r\n")
			if strings.HasPrefix(line, "\t") && open {
				d := &out[len(out)-1]
				d.Message += "; " + strings.TrimSpace(line)
				continue
			}
			open = false
			m := position.FindStringSubmatch(line)
			if m == nil || len(out) >= maxDiagnostics {
				continue
			}
			n, err := strconv.Atoi(m[2])
			if err != nil {
				continue
			}
			d := model.Diagnostic{Path: inTree(m[1], dir), Line: n, Message: m[3]}
			if seen[place{d.Path, d.Line, d.Message}] {
				continue
			}
			seen[place{d.Path, d.Line, d.Message}] = true
			out, open = append(out, d), true
		}
	}
	for i := range out {
		out[i].FollowUp = followUp.MatchString(out[i].Message)
		out[i].Names = names(out[i].Message)
	}
	return out
}

func inTree(p, dir string) string {
	if _, rest, ok := strings.Cut(p, "/testbed/"); ok && path.IsAbs(p) {
		return rest
	}
	if path.IsAbs(p) {
		return p
	}
	return path.Join(dir, p)
}

var followUp = regexp.MustCompile(`^(declared and not used: |label \S+ defined and not used|"[^"]*" imported (as \S+ )?and not used)`)

// The compiler's messages that name a symbol, each with the symbol as the first groups.
var messages = []*regexp.Regexp{
	regexp.MustCompile(`^undefined: (\S+)`),
	regexp.MustCompile(`^(.+) undefined \(type (.+) has no field or method ([^\s),]+)`),
	regexp.MustCompile(`^(\S+) undefined`),
	regexp.MustCompile(`^(?:unknown field|cannot refer to unexported field) (\S+) in struct literal of type (\S+)`),
	regexp.MustCompile(`(?:not enough|too many) arguments in call to (\S+)`),
	regexp.MustCompile(`in argument to ([\w.\[\]]+)`),
	regexp.MustCompile(`(?:variables?|values?) but (\S+?)(?:\(.*\))? returns`),
	regexp.MustCompile(`^(\S+) redeclared`),
	regexp.MustCompile(`^(?:method|field) (\S+) already declared`),
	regexp.MustCompile(`missing method (\w+)`),
	regexp.MustCompile(`wrong type for method (\w+)`),
	regexp.MustCompile(`does not implement ([\w.\[\]]+)`),
	regexp.MustCompile(`^(\S+) \(.*\) is not (?:a type|an expression)`),
	regexp.MustCompile(`^(\S+) is not a type`),
	regexp.MustCompile(`cannot call non-function (\S+)`),
	regexp.MustCompile(`^(\S+)(?:\(.*\))? \(no value\) used as value`),
	regexp.MustCompile(`type arguments but (\S+) has`),
	regexp.MustCompile(`in call to ([\w.\[\]]+),? `),
	regexp.MustCompile(`name (\S+) not exported by package`),
	regexp.MustCompile(`(?:provides|finding|find) (?:module providing )?package (\S+?)[;:]?(?: |$)`),
	regexp.MustCompile(`^package (\S+) is not in std`),
	regexp.MustCompile(`could not import (\S+)`),
}

// operand is the expression that "cannot use EXPR (…) as …" and its like speak of, and the
// types beside it.
var (
	operand = regexp.MustCompile(`^(?:cannot use|cannot infer|invalid operation:|invalid argument:|impossible type \w+:|cannot assign to|missing return|cannot convert|cannot range over|first argument to append must be a slice; have) ?(.*)$`)
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	word    = regexp.MustCompile(`[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*`)
)

// names lists what a message names: each symbol bare (its last part), and T.member where the
// message tells the type. Import paths of missing packages are whole.
func names(message string) []string {
	var out []string
	add := func(n string) {
		if n != "" && !token.IsKeyword(n) && types.Universe.Lookup(n) == nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for _, re := range messages {
		m := re.FindStringSubmatch(message)
		switch {
		case m == nil:
		case len(m) == 4:
			add(m[3])
			add(last(m[2]) + "." + m[3])
		case len(m) == 3:
			add(m[1])
			add(last(m[2]) + "." + m[1])
			add(last(m[2]))
		case strings.Contains(m[1], "/"):
			add(m[1])
		default:
			add(last(m[1]))
		}
	}
	if m := operand.FindStringSubmatch(message); m != nil {
		first, _, _ := strings.Cut(m[1], ";")
		for _, w := range word.FindAllString(quoted.ReplaceAllString(first, ""), -1) {
			// Prose is in lower case and without dots; so are local variables.
			if n := last(w); strings.Contains(w, ".") || n != strings.ToLower(n) || strings.Contains(first, n+"(") {
				add(n)
			}
		}
	}
	slices.Sort(out)
	return out
}

// last is the name behind the last dot, without pointers, instances and call brackets.
func last(n string) string {
	n, _, _ = strings.Cut(n, "[")
	n, _, _ = strings.Cut(n, "(")
	n = n[strings.LastIndexByte(n, '.')+1:]
	return strings.Trim(n, "*&,;:")
}
