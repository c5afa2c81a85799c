// Package closure finds what goes with removed declarations: all that only they used.
package closure

import "slices"

// Reach is everything that starts use, directly and through others, themselves included. uses
// calls visit for what one declaration uses.
func Reach[D comparable](starts []D, uses func(d D, visit func(D))) map[D]bool {
	seen := map[D]bool{}
	stack := slices.Clone(starts)
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[d] {
			continue
		}
		seen[d] = true
		uses(d, func(x D) {
			if !seen[x] {
				stack = append(stack, x)
			}
		})
	}
	return seen
}

// Gone is what goes of all when hidden goes: the hidden, and what they reach by the strict
// reading of uses and nothing that stays reaches by the loose one. What nothing hidden reaches
// stays, and so does what stays reports. A hidden declaration goes even where another that
// stays names it.
func Gone[D comparable](all, hidden []D, stays func(D) bool, uses func(d D, loose bool, visit func(D))) map[D]bool {
	reading := func(loose bool) func(D, func(D)) {
		return func(d D, visit func(D)) { uses(d, loose, visit) }
	}
	gone := Reach(hidden, reading(false))
	var stay []D
	for _, d := range all {
		if !slices.Contains(hidden, d) && (!gone[d] || stays(d)) {
			stay = append(stay, d)
		}
	}
	for d := range Reach(stay, reading(true)) {
		delete(gone, d)
	}
	for _, d := range hidden {
		gone[d] = true
	}
	return gone
}
