package patch

// Weights of git's indent heuristic, which its author fitted to a corpus of diffs that people
// had judged (git's diff.indentHeuristic; github.com/mhagger/diff-slider-tools).
const (
	weightIndent                 = 60
	weightStartOfFile            = 1
	weightEndOfFile              = 21
	weightBlank                  = -30
	weightBlankAfter             = 6
	weightIndented               = -4
	weightIndentedWithBlank      = 10
	weightOutdented              = 24 // and what follows is indented again
	weightOutdentedWithBlank     = 17
	weightDedented               = 23
	weightDedentedWithBlank      = 17
	maxSlide                     = 100
	maxBlanks                    = 20
	maxIndent                    = 200
	blank                    int = -1 // indent of a blank line, and of none
)

// bestEnd is where a run of size lines best ends, between first and last: where both its ends
// split the text most naturally, the later one at a tie.
func bestEnd(text []string, first, last, size int) int {
	if first == last {
		return last
	}
	best, bestScore := -1, split{}
	for end := max(first, last-size-1, last-maxSlide); end <= last; end++ {
		score := splitAt(text, end).plus(splitAt(text, end-size))
		if best < 0 || score.compare(bestScore) <= 0 {
			best, bestScore = end, score
		}
	}
	return best
}

// A split is how unnatural it is to cut a text before a line.
type split struct{ indent, penalty int }

func (s split) plus(t split) split { return split{s.indent + t.indent, s.penalty + t.penalty} }

func (s split) compare(t split) int {
	order := 0
	switch {
	case s.indent > t.indent:
		order = 1
	case s.indent < t.indent:
		order = -1
	}
	return weightIndent*order + s.penalty - t.penalty
}

func splitAt(text []string, at int) split {
	var s split
	indent := blank
	if at >= len(text) {
		s.penalty += weightEndOfFile
	} else {
		indent = indentOf(text[at])
	}
	before, blanksBefore := nearby(text, at-1, -1)
	after, blanksAfter := nearby(text, at+1, 1)
	if before == blank && blanksBefore == 0 {
		s.penalty += weightStartOfFile
	}
	if indent == blank {
		blanksAfter, indent = blanksAfter+1, after
	} else {
		blanksAfter = 0
	}
	s.penalty += weightBlank*(blanksBefore+blanksAfter) + weightBlankAfter*blanksAfter
	s.indent = indent
	weigh := func(plain, withBlank int) {
		if blanksBefore+blanksAfter > 0 {
			plain = withBlank
		}
		s.penalty += plain
	}
	switch {
	case indent == blank, before == blank, indent == before:
	case indent > before:
		weigh(weightIndented, weightIndentedWithBlank)
	case after != blank && after > indent:
		weigh(weightOutdented, weightOutdentedWithBlank)
	default:
		weigh(weightDedented, weightDedentedWithBlank)
	}
	return s
}

// nearby is the indent of the next line that is not blank from at on, and how many blank ones
// lie before it.
func nearby(text []string, at, step int) (indent, blanks int) {
	for ; at >= 0 && at < len(text); at += step {
		if indent = indentOf(text[at]); indent != blank {
			return indent, blanks
		}
		if blanks++; blanks == maxBlanks {
			return 0, blanks
		}
	}
	return blank, blanks
}

// indentOf is the width of the white space before a line's text, with tabs of 8.
func indentOf(line string) int {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\n', '\r', '\v', '\f':
		default:
			return width
		}
		if width >= maxIndent {
			return maxIndent
		}
	}
	return blank
}
