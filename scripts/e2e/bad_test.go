package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/io/sampleio"
)

// leastBad is how many bad pull requests there are at least.
const leastBad = 30

// Every history can be written, and each of its pull requests has an intended end.
func TestBadRepositories(t *testing.T) {
	bad := 0
	for _, r := range badRepositories {
		text, err := badFiles.ReadFile("bad/" + r.name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sampleio.Parse(text); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		var numbers []int64
		for _, f := range txtar.Parse(text).Files {
			if words := strings.Fields(f.Name); words[0] == "@merge" {
				n, err := strconv.ParseInt(words[1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, n)
			}
		}
		ends, err := badEnds(r.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(numbers, slices.Sorted(maps.Keys(ends))); diff != "" {
			t.Errorf("%s: pull requests (-history +intended):\n%s", r.name, diff)
		}
		for _, end := range ends {
			if end != taskEnd {
				bad++
			}
		}
	}
	if bad < leastBad {
		t.Errorf("%d bad pull requests, at least %d", bad, leastBad)
	}
}
