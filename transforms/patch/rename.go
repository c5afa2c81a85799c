package patch

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
)

const (
	minSimilarity  = 0.5  // git's default
	sameNameMin    = 0.75 // git's bar for two files of the same unique name, tried first
	maxComparisons = 1000 * 1000
	maxPerTarget   = 4 // candidates that are kept for a new file, as in git
)

// A pair is a deleted and an added file, by index, that are one file renamed.
type pair struct {
	from, to int
	score    float64
}

// renames pairs deleted files with added ones: equal contents first, then the same unique name,
// then the most similar, as git does.
func renames(gone, come []side) map[int]int {
	found := map[int]int{} // added to deleted
	used := make([]bool, len(gone))
	take := func(p pair) {
		found[p.to] = p.from
		used[p.from] = true
	}
	exact(gone, come, used, take)
	// Only regular files with contents can be similar.
	score := similarity(gone, come)
	for _, p := range sameName(gone, come, used, found) {
		if s := score(p.from, p.to); s >= sameNameMin {
			take(p)
		}
	}
	var froms, tos []int
	for i := range gone {
		if !used[i] && gone[i].regular() {
			froms = append(froms, i)
		}
	}
	for i := range come {
		if _, ok := found[i]; !ok && come[i].regular() {
			tos = append(tos, i)
		}
	}
	if len(froms)*len(tos) > maxComparisons {
		return found
	}
	for _, p := range ranked(gone, come, froms, tos, score) {
		if _, ok := found[p.to]; !ok && !used[p.from] {
			take(p)
		}
	}
	return found
}

// exact pairs files of equal content, of the same name where there is a choice.
func exact(gone, come []side, used []bool, take func(pair)) {
	by := map[model.Hash][]int{}
	for i, g := range gone {
		by[g.entry.Hash] = append(by[g.entry.Hash], i)
	}
	for to, c := range come {
		best, named := -1, false
		for _, from := range by[c.entry.Hash] {
			g := gone[from]
			if used[from] || g.regular() != c.regular() || !g.regular() && g.entry.Mode != c.entry.Mode {
				continue
			}
			if same := path.Base(g.entry.Path) == path.Base(c.entry.Path); best < 0 || same && !named {
				best, named = from, same
			}
		}
		if best >= 0 {
			take(pair{from: best, to: to})
		}
	}
}

// sameName pairs those left whose base name is the only one of its kind on both sides.
func sameName(gone, come []side, used []bool, found map[int]int) []pair {
	unique := func(sides []side, skip func(int) bool) map[string]int {
		by := map[string]int{}
		for i, s := range sides {
			if skip(i) || !s.regular() {
				continue
			}
			name := path.Base(s.entry.Path)
			if _, ok := by[name]; ok {
				by[name] = -1
				continue
			}
			by[name] = i
		}
		return by
	}
	from := unique(gone, func(i int) bool { return used[i] })
	to := unique(come, func(i int) bool { _, ok := found[i]; return ok })
	var out []pair
	for name, f := range from {
		if t, ok := to[name]; ok && f >= 0 && t >= 0 {
			out = append(out, pair{from: f, to: t})
		}
	}
	slices.SortFunc(out, func(a, b pair) int { return cmp.Compare(a.to, b.to) })
	return out
}

// ranked are the pairs that are similar enough, best first, at equal score those of the same
// name first.
func ranked(gone, come []side, froms, tos []int, score func(from, to int) float64) []pair {
	named := func(p pair) int {
		if path.Base(gone[p.from].entry.Path) == path.Base(come[p.to].entry.Path) {
			return 1
		}
		return 0
	}
	better := func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(named(b), named(a)))
	}
	var all []pair
	for _, to := range tos {
		var some []pair
		for _, from := range froms {
			if p := (pair{from, to, score(from, to)}); p.score >= minSimilarity {
				some = append(some, p)
			}
		}
		slices.SortStableFunc(some, better)
		all = append(all, some[:min(len(some), maxPerTarget)]...)
	}
	slices.SortStableFunc(all, better)
	return all
}

// similarity estimates how much of one file is in another, 0 to 1: the bytes of the pieces that
// both hold, over the larger size. A piece is a line, or 64 bytes of a longer one.
func similarity(gone, come []side) func(from, to int) float64 {
	froms, tos := make([]map[string]int, len(gone)), make([]map[string]int, len(come))
	count := func(cache []map[string]int, sides []side, i int) map[string]int {
		if cache[i] == nil {
			cache[i] = pieces(string(sides[i].data))
		}
		return cache[i]
	}
	return func(from, to int) float64 {
		a, b := len(gone[from].data), len(come[to].data)
		most := max(a, b)
		if most == 0 || float64(min(a, b)) < minSimilarity*float64(most) {
			return 0
		}
		copied := 0
		theirs := count(tos, come, to)
		for piece, n := range count(froms, gone, from) {
			copied += min(n, theirs[piece])
		}
		return float64(copied) / float64(most)
	}
}

// pieces counts the bytes of each piece. In a text a carriage return before a newline does not
// count.
func pieces(s string) map[string]int {
	text := !isBinary(s)
	out := map[string]int{}
	for s != "" {
		end := strings.IndexByte(s[:min(len(s), 64)], '\n') + 1
		if end == 0 {
			end = min(len(s), 64)
		}
		piece := s[:end]
		s = s[end:]
		if text && strings.HasSuffix(piece, "\r\n") {
			piece = piece[:len(piece)-2] + "\n"
		}
		out[piece] += len(piece)
	}
	return out
}

// Similarity is how much of one file is in another, 0 to 1, as git counts it for renames: the
// bytes of the lines that both hold, over the larger size.
func Similarity(a, b []byte) float64 {
	return similarity([]side{{data: a}}, []side{{data: b}})(0, 0)
}
