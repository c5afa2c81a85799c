package lang

import (
	"regexp"
	"strings"
)

// A Caller is a Language that lists the calls of a file.
type Caller interface {
	// Calls lists what the file of this name calls, as Callee writes it, in source order; one
	// entry a call. A constructor is called by its type's name. A file with a syntax error is
	// an error.
	Calls(path string, src []byte) ([]string, error)
}

var callee = regexp.MustCompile(`[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$`)

// Callee is the name under which the text of a called expression is known: the dotted names at
// its end, without white space, type arguments and optional chaining; empty where it ends in no
// name. What comes before a name that stands on a call's result is not known by text.
func Callee(expression string) string {
	s := strings.Join(strings.Fields(expression), "")
	s = strings.NewReplacer("?.", ".", "!!.", ".", "!.", ".", "::", ".").Replace(s)
	if i := strings.IndexAny(s, "<["); i > 0 && strings.HasSuffix(s, map[byte]string{'<': ">", '[': "]"}[s[i]]) {
		s = s[:i]
	}
	return callee.FindString(s)
}
