package construct

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/patch"
)

// A block of a hunk: its lines after and before the change between shared lines of context.
type span struct {
	lead, post, pre, trail []string
}

// spanOf cuts a hunk of the source patch down to n lines of context.
func spanOf(h patch.Hunk, n int) span {
	first, last := len(h.Lines), -1
	for i, l := range h.Lines {
		if l.Op != ' ' {
			first, last = min(first, i), i
		}
	}
	var s span
	for i, l := range h.Lines {
		switch {
		case i < first:
			s.lead = append(s.lead, l.Text)
		case i > last:
			s.trail = append(s.trail, l.Text)
		default:
			if l.Op != '-' {
				s.post = append(s.post, l.Text)
			}
			if l.Op != '+' {
				s.pre = append(s.pre, l.Text)
			}
		}
	}
	s.lead = s.lead[max(0, len(s.lead)-n):]
	s.trail = s.trail[:min(n, len(s.trail))]
	return s
}

// findBlock is where the lines of a span stand in text, indentation aside: the line at which its
// core begins. found counts the places; only one is an answer.
func (s span) findBlock(text []string) (at, found int) {
	want := slices.Concat(s.lead, s.post, s.trail)
	for i, l := range want {
		want[i] = strings.TrimSpace(l)
	}
	if len(strings.Join(want, "")) == 0 {
		return 0, 0
	}
	for i := 0; i+len(want) <= len(text); i++ {
		if matches(text[i:i+len(want)], want) {
			found++
			at = i + len(s.lead)
		}
	}
	return at, found
}

func matches(text, want []string) bool {
	for i, w := range want {
		if strings.TrimSpace(text[i]) != w {
			return false
		}
	}
	return true
}

// put replaces the core of a span at a line of text by what it was before, indented as the place
// is. false where the indentation of the place is no shift of the span's own.
func (s span) put(text []string, at int) ([]string, bool) {
	own := slices.Concat(s.lead, s.post, s.trail)
	there := text[at-len(s.lead) : at+len(s.post)+len(s.trail)]
	add, cut := "", ""
	for i, l := range own {
		if strings.TrimSpace(l) == "" {
			continue
		}
		was, is := indentation(l), indentation(there[i])
		if more, ok := strings.CutSuffix(is, was); ok {
			add = more
		} else if less, ok := strings.CutSuffix(was, is); ok {
			cut = less
		} else {
			return nil, false
		}
		break
	}
	pre := make([]string, len(s.pre))
	for i, l := range s.pre {
		switch {
		case strings.TrimSpace(l) == "":
			pre[i] = l
		case !strings.HasPrefix(l, cut):
			return nil, false
		default:
			pre[i] = add + strings.TrimPrefix(l, cut)
		}
	}
	return slices.Concat(text[:at], pre, text[at+len(s.post):]), true
}

func indentation(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// replaceBlock undoes one hunk of a file's text by its block.
func replaceBlock(text string, h patch.Hunk, context int) (string, model.Reason) {
	s := spanOf(h, context)
	lines := splitLines(text)
	at, found := s.findBlock(lines)
	switch {
	case found == 0:
		return "", model.DoesNotReverse
	case found > 1:
		return "", model.AmbiguousBlock
	}
	out, ok := s.put(lines, at)
	if !ok {
		return "", model.DoesNotReverse
	}
	return strings.Join(out, ""), ""
}
