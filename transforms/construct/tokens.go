package construct

import (
	"regexp"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
)

var lexeme = regexp.MustCompile(`[\pL\pN_]+|[^\s\pL\pN_]`)

// A lexical is a token with its place in a text, in bytes.
type lexical struct {
	text       string
	start, end int
}

// lexicals are the tokens of a text without what formatters change: white space, the kind of
// quotes, and a comma before a closing bracket.
func lexicals(text string) []lexical {
	var out []lexical
	for _, at := range lexeme.FindAllStringIndex(text, -1) {
		l := lexical{text[at[0]:at[1]], at[0], at[1]}
		switch l.text {
		case "'", "`":
			l.text = `"`
		case ")", "]", "}":
			if n := len(out); n > 0 && out[n-1].text == "," {
				out = out[:n-1]
			}
		}
		out = append(out, l)
	}
	return out
}

// minTokens is the least number of tokens by which a place is found, ours: fewer stand in many
// places by chance.
const minTokens = 6

// replaceTokens undoes one hunk of a file's text by the tokens of its block: whole lines of the
// place, from the first token of the core to its last, become what the core was before.
func replaceTokens(text string, h patch.Hunk, context int) (string, model.Reason) {
	s := spanOf(h, context)
	lead, core, trail := lexicals(strings.Join(s.lead, "")), lexicals(strings.Join(s.post, "")), lexicals(strings.Join(s.trail, ""))
	want := append(append(lead, core...), trail...)
	if len(want) < minTokens {
		return "", model.DoesNotReverse
	}
	have := lexicals(text)
	at, found := -1, 0
	for i := 0; i+len(want) <= len(have); i++ {
		if sameTokens(have[i:i+len(want)], want) {
			found++
			at = i
		}
	}
	switch {
	case found == 0:
		return "", model.DoesNotReverse
	case found > 1:
		return "", model.AmbiguousBlock
	}
	start, end := coreLines(text, have[at:at+len(want)], len(lead), len(core))
	if start < 0 {
		return "", model.DoesNotReverse
	}
	pre, ok := reindent(s, text[start:])
	if !ok {
		return "", model.DoesNotReverse
	}
	return text[:start] + pre + text[end:], ""
}

func sameTokens(have, want []lexical) bool {
	for i, w := range want {
		if have[i].text != w.text {
			return false
		}
	}
	return true
}

// coreLines are the whole lines that hold the core's tokens and no others of the place; start is
// -1 where a line holds both. A core without tokens is the empty place before the trail.
func coreLines(text string, place []lexical, lead, core int) (start, end int) {
	if core == 0 {
		if lead == len(place) {
			end = lineEnd(text, place[lead-1].end)
			return end, end
		}
		start = lineStart(text, place[lead].start)
		if lead > 0 && place[lead-1].end > start {
			return -1, 0
		}
		return start, start
	}
	start = lineStart(text, place[lead].start)
	end = lineEnd(text, place[lead+core-1].end)
	if lead > 0 && place[lead-1].end > start || lead+core < len(place) && place[lead+core].start < end {
		return -1, 0
	}
	return start, end
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// reindent is a span's text before the change, shifted to the indentation of the first line of
// there.
func reindent(s span, there string) (string, bool) {
	own := s.post
	if len(own) == 0 {
		own = s.trail
	}
	was, is := "", indentation(there)
	for _, l := range own {
		if strings.TrimSpace(l) != "" {
			was = indentation(l)
			break
		}
	}
	var b strings.Builder
	for _, l := range s.pre {
		rest, ok := strings.CutPrefix(l, was)
		switch {
		case strings.TrimSpace(l) == "":
			b.WriteString(l)
		case ok:
			b.WriteString(is + rest)
		case was == is:
			b.WriteString(l)
		default:
			return "", false
		}
	}
	return b.String(), true
}
