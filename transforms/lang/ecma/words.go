package ecma

import (
	"maps"
	"slices"
	"strings"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// inWord reports whether a byte is a part of an identifier.
func inWord(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'
}

// cutWord cuts a word and the space after it from the start of a text.
func cutWord(text, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, word)
	if !ok || rest != "" && inWord(rest[0]) {
		return text, false
	}
	return strings.TrimLeft(rest, " \t\r\n"), true
}

func hasWord(text, word string) bool {
	_, ok := cutWord(text, word)
	return ok
}

// wordsOf are the identifiers in a text, in comments and strings too.
func wordsOf(data []byte) map[string]bool {
	out := map[string]bool{}
	start := -1
	for i := 0; i <= len(data); i++ {
		if i < len(data) && inWord(data[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out[string(data[start:i])] = true
			start = -1
		}
	}
	return out
}

// cutLast splits a dotted name before its last part.
func cutLast(dotted string) (before, last string, ok bool) {
	i := strings.LastIndexByte(dotted, '.')
	if i < 0 {
		return "", dotted, false
	}
	return dotted[:i], dotted[i+1:], true
}
