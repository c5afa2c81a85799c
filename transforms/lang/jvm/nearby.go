package jvm

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const maxNearby = 20

// Nearby lists the units near production paths: named after a touched class (FooTest, TestFoo,
// FooBarTest for Foo); naming one; in a touched package of a touched module. Equal ones by
// the folders between, then by name.
func (r Runner) Nearby(t lang.Files, paths []string) []string {
	l, err := layoutOf(t)
	if err != nil {
		return nil
	}
	classes, packages, modules := map[string]bool{}, map[string]bool{}, map[*project]bool{}
	for _, p := range paths {
		if r.Kind(p) != model.Production || path.Ext(p) != extension(r.Language) {
			continue
		}
		data, ok := text(t, p)
		if !ok {
			continue
		}
		s := readSource(data)
		packages[s.pkg], modules[l.of(p)] = true, true
		classes[strings.TrimSuffix(path.Base(p), path.Ext(p))] = true
		for _, c := range s.all {
			classes[c] = true
		}
	}
	if len(classes) == 0 {
		return nil
	}
	type near struct {
		unit           string
		rank, distance int
	}
	var found []near
	for _, p := range t.Paths() {
		unit, ok := r.unit(t, l, p)
		if !ok {
			continue
		}
		data, _ := text(t, p)
		s := readSource(data)
		rank := 3
		switch _, class, _ := strings.Cut(unit, ":"); {
		case namedAfter(class[strings.LastIndexByte(class, '.')+1:], classes):
			rank = 0
		case names(data, classes):
			rank = 1
		case packages[s.pkg] && modules[l.of(p)]:
			rank = 2
		}
		if rank < 3 {
			found = append(found, near{unit, rank, distance(p, paths)})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.unit, b.unit)
	})
	var out []string
	for _, f := range found[:min(len(found), maxNearby)] {
		out = append(out, f.unit)
	}
	return out
}

func namedAfter(test string, classes map[string]bool) bool {
	for _, suffix := range []string{"Tests", "TestCase", "Test", "Spec", "IT"} {
		test = strings.TrimSuffix(test, suffix)
	}
	return classes[strings.TrimPrefix(test, "Test")] || classes[test]
}

// names reports whether code has one of the classes as a word.
func names(data string, classes map[string]bool) bool {
	for w := range strings.FieldsFuncSeq(blank(data), func(c rune) bool {
		return c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c < 0x80
	}) {
		if classes[w] {
			return true
		}
	}
	return false
}

// distance counts the folders between a path and the nearest of others, apart from what tells
// tests from production.
func distance(p string, others []string) int {
	best := 1 << 20
	a := strings.Split(strings.Replace(path.Dir(p), "src/test/", "src/main/", 1), "/")
	for _, o := range others {
		b := strings.Split(path.Dir(o), "/")
		same := 0
		for same < len(a) && same < len(b) && a[same] == b[same] {
			same++
		}
		best = min(best, len(a)+len(b)-2*same)
	}
	return best
}
