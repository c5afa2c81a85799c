package ecma

import (
	"slices"
	"strings"
)

// Align is the test that another one of the file has become where its groups have other titles,
// or more or fewer of them: the only one whose own title is the same, the only one with the most
// groups in common among several. What a title has at its places ("%s", "$a", "${a}") does not
// count, as runners write them in their own ways.
func (Dialect) Align(function string, functions []string) (string, bool) {
	groups, title := shape(function)
	best, most, many := "", -1, false
	for _, f := range functions {
		others, t := shape(f)
		if t != title {
			continue
		}
		n := shared(groups, others)
		if n == most {
			many = true
		}
		if n > most {
			best, most, many = f, n, false
		}
	}
	return best, most >= 0 && !many
}

// shape is a name cut into the titles of its groups and its own, without what places hold.
func shape(function string) (groups []string, title string) {
	titles := strings.Split(strings.Join(Pieces(words(unnumbered(function))), "\x00"), separator)
	return titles[:len(titles)-1], titles[len(titles)-1]
}

// shared counts the titles of a that b has too.
func shared(a, b []string) int {
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}
