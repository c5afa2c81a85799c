package patch

import (
	"regexp"
	"slices"
	"strings"
)

// maxMerged bounds a text that is merged, in bytes.
const maxMerged = 4 << 20

// Merge takes the change from base to theirs over to ours, a three-way merge: on lines, and where
// both changed the same lines and ours is still akin to base, on the tokens of those. clean is false where they still disagree,
// or where a text is larger than 4 MiB. Changes of both sides that touch without overlapping
// disagree, as in git.
func Merge(base, ours, theirs string) (merged string, clean bool) {
	if max(len(base), len(ours), len(theirs)) > maxMerged {
		return "", false
	}
	parts, clean := merge(splitLines(base), splitLines(ours), splitLines(theirs), func(b, o, t []string) ([]string, bool) {
		tb, to := tokens(b), tokens(o)
		if !akin(tb, to) {
			return nil, false
		}
		return merge(tb, to, tokens(t), nil)
	})
	return strings.Join(parts, ""), clean
}

// MergeLines is Merge without the second look at tokens.
func MergeLines(base, ours, theirs string) (merged string, clean bool) {
	if max(len(base), len(ours), len(theirs)) > maxMerged {
		return "", false
	}
	parts, clean := merge(splitLines(base), splitLines(ours), splitLines(theirs), nil)
	return strings.Join(parts, ""), clean
}

// akin reports whether at least half of the tokens of either side are the other's too: of what
// was rewritten, tokens that happen to be alike are no guide.
func akin(a, b []string) bool {
	count := map[string]int{}
	for _, t := range a {
		if strings.TrimSpace(t) != "" {
			count[t]++
		}
	}
	all, shared := 0, 0
	for _, n := range count {
		all += n
	}
	for _, t := range b {
		if strings.TrimSpace(t) == "" {
			continue
		}
		if all++; count[t] > 0 {
			count[t]--
			shared++
		}
	}
	return 4*shared >= all
}

var token = regexp.MustCompile(`[\pL\pN_]+|[ \t]+|\r?\n|.`)

func tokens(lines []string) []string { return token.FindAllString(strings.Join(lines, ""), -1) }

// merge merges sequences. settle is asked for each region that both sides changed differently.
func merge(base, ours, theirs []string, settle func(base, ours, theirs []string) ([]string, bool)) ([]string, bool) {
	m := &image{known: map[string]int{}}
	number := func(s []string) []int {
		out := make([]int, len(s))
		for i, l := range s {
			out[i] = m.id(l)
		}
		return out
	}
	ib := number(base)
	mine := script(ib, number(ours), base, ours)
	other := script(ib, number(theirs), base, theirs)
	var out []string
	at, shiftOurs, shiftTheirs := 0, 0, 0
	for len(mine) > 0 || len(other) > 0 {
		region, nm, no := next(mine, other)
		out = append(out, base[at:region.a0]...)
		o := ours[region.a0+shiftOurs : region.a1+shiftOurs+grown(mine[:nm])]
		t := theirs[region.a0+shiftTheirs : region.a1+shiftTheirs+grown(other[:no])]
		b := base[region.a0:region.a1]
		switch {
		case no == 0 || slices.Equal(o, t):
			out = append(out, o...)
		case nm == 0:
			out = append(out, t...)
		default:
			if settle == nil {
				return nil, false
			}
			settled, ok := settle(b, o, t)
			if !ok {
				return nil, false
			}
			out = append(out, settled...)
		}
		shiftOurs += grown(mine[:nm])
		shiftTheirs += grown(other[:no])
		at, mine, other = region.a1, mine[nm:], other[no:]
	}
	return append(out, base[at:]...), true
}

// next is the first region of base that either side changed, joined with all that overlap or
// touch it, and how many groups of each side are in it.
func next(mine, other []group) (region group, nm, no int) {
	switch {
	case len(other) == 0 || len(mine) > 0 && mine[0].a0 <= other[0].a0:
		region.a0, region.a1 = mine[0].a0, mine[0].a1
		nm = 1
	default:
		region.a0, region.a1 = other[0].a0, other[0].a1
		no = 1
	}
	for {
		switch {
		case nm < len(mine) && no > 0 && mine[nm].a0 <= region.a1:
			region.a1 = max(region.a1, mine[nm].a1)
			nm++
		case no < len(other) && nm > 0 && other[no].a0 <= region.a1:
			region.a1 = max(region.a1, other[no].a1)
			no++
		default:
			return region, nm, no
		}
	}
}

// grown is by how much groups lengthen what they change.
func grown(groups []group) int {
	n := 0
	for _, g := range groups {
		n += (g.b1 - g.b0) - (g.a1 - g.a0)
	}
	return n
}
