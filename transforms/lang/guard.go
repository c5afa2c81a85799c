package lang

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// words are what planted checks are named with. Nothing in a planted name tells it from the
// repository's own: a prediction that treats checks by name would have to guess.
var words = []string{
	"again", "alone", "before", "bounds", "case", "chain", "copy", "default", "edge", "empty", "equal", "extra", "final",
	"first", "fresh", "given", "inner", "input", "items", "large", "last", "left", "length", "limit", "match", "mixed",
	"nested", "order", "other", "outer", "pair", "plain", "range", "right", "round", "same", "second", "short", "simple",
	"single", "small", "start", "state", "twice", "update", "value", "whole", "wide", "zero",
}

// Planted are names for a planted file and its two checks, lists of words, made from those of a
// unit's own and drawn by token. taken reports names that the unit has already.
func Planted(token string, own []string, taken func(name string) bool) (file, pass, fail string, err error) {
	h := fnv.New64a()
	h.Write([]byte(token))
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(len(token))))
	own = slices.Clone(own)
	slices.Sort(own)
	if len(own) == 0 {
		own = []string{"value"}
	}
	draw := func() string {
		name := own[r.IntN(len(own))] + "_" + words[r.IntN(len(words))]
		if r.IntN(2) == 0 {
			name += "_" + words[r.IntN(len(words))]
		}
		return name
	}
	var out []string
	for range 1000 {
		name := draw()
		if !taken(name) && !slices.Contains(out, name) {
			if out = append(out, name); len(out) == 3 {
				return out[0], out[1], out[2], nil
			}
		}
	}
	return "", "", "", fmt.Errorf("plant checks: no free name beside %s", strings.Join(own[:min(3, len(own))], ", "))
}
