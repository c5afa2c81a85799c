package evidence

import (
	"regexp"
	"strings"
)

// minIdentifier is the least length of an identifier that tells anything, ours.
const minIdentifier = 4

// gram is the length of a word sequence, ours.
const gram = 4

var identifier = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]*`)

// LeakScore is how much of the hidden patches a public text tells, 0 to 1: the mean of the
// share of their code-like identifiers (with an underscore, a digit or an inner capital, at
// least minIdentifier long) that the text names, and of the share of the word 4-grams of their
// added lines that the text holds. A part that has nothing to count is left out. hidden are
// patches in git's form.
func LeakScore(public string, hidden ...string) float64 {
	names, grams := map[string]bool{}, map[string]bool{}
	for _, p := range hidden {
		for line := range strings.SplitSeq(p, "\n") {
			if !strings.HasPrefix(line, "+") || strings.HasPrefix(line, "+++ ") {
				continue
			}
			collectNames(line[1:], names)
			collectGrams(line[1:], grams)
		}
	}
	told, toldGrams := map[string]bool{}, map[string]bool{}
	collectNames(public, told)
	for line := range strings.SplitSeq(public, "\n") {
		collectGrams(line, toldGrams)
	}
	sum, parts := 0.0, 0
	for _, c := range []struct{ all, told map[string]bool }{{names, told}, {grams, toldGrams}} {
		if len(c.all) == 0 {
			continue
		}
		shared := 0
		for k := range c.all {
			if c.told[k] {
				shared++
			}
		}
		sum, parts = sum+float64(shared)/float64(len(c.all)), parts+1
	}
	if parts == 0 {
		return 0
	}
	return sum / float64(parts)
}

func collectNames(text string, into map[string]bool) {
	for _, name := range identifier.FindAllString(text, -1) {
		if len(name) >= minIdentifier && codeLike(name) {
			into[name] = true
		}
	}
}

// codeLike tells an identifier from a word of prose.
func codeLike(name string) bool {
	for i, r := range name {
		if i > 0 && (r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z') {
			return true
		}
	}
	return false
}

func collectGrams(line string, into map[string]bool) {
	words := identifier.FindAllString(strings.ToLower(line), -1)
	for i := 0; i+gram <= len(words); i++ {
		into[strings.Join(words[i:i+gram], " ")] = true
	}
}
