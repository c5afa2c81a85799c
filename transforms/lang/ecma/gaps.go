package ecma

import (
	"bytes"
	"regexp"
)

var (
	exportTypeAll = regexp.MustCompile(`(?m)^([ \t]*export )type( \*)`)
	callSignature = regexp.MustCompile(`(?m)([\w\])>'"}])([ \t]*(?://.*)?\r?\n(?:[ \t]*(?://.*)?\r?\n)*[ \t]*)[ \t]<`)
	usingName     = regexp.MustCompile(`(?m)^([ \t]*)using( [\w$])`)
	awaitUsing    = regexp.MustCompile(`(?m)^([ \t]*)await using( [\w$])`)
)

// bridged is a text with what the grammars do not know written so that they do: every byte keeps
// its place, so that a tree of it is one of the text. Nil where there is nothing of that kind.
//
//   - "export type * from" loses its "type";
//   - a call signature with type parameters gets a semicolon before it: after a signature without
//     one the grammar reads on with type arguments;
//   - "using" and "await using" become "const".
func bridged(src []byte) []byte {
	out := exportTypeAll.ReplaceAll(src, []byte("$1    $2"))
	out = callSignature.ReplaceAll(out, []byte("$1$2;<"))
	out = usingName.ReplaceAll(out, []byte("${1}const$2"))
	out = awaitUsing.ReplaceAll(out, []byte("${1}const      $2"))
	if len(out) != len(src) || bytes.Equal(out, src) {
		return nil
	}
	return out
}
