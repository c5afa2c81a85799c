package node

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

const (
	maxNearby  = 20 // units of the touched modules
	maxImports = 2  // imports between a test file and a changed file
)

// Nearby lists test files by distance from production paths: named after one, importing one,
// importing a file that does. Equal ones by the folders between, then by path.
func Nearby(t lang.Files, paths []string) []string {
	touched, stems := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		if !code(p) || checking(p) {
			continue
		}
		touched[p] = true
		stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
		if stem == "index" {
			stem = path.Base(path.Dir(p))
		}
		stems[strings.ToLower(stem)] = true
	}
	if len(touched) == 0 {
		return nil
	}
	type near struct {
		path           string
		rank, distance int
	}
	r := newResolver(t)
	var all []near
	for _, p := range t.Paths() {
		if !checking(p) {
			continue
		}
		steps := r.steps(p, touched)
		if steps < 0 || !isUnit(t, p) {
			continue
		}
		stem := strings.TrimSuffix(path.Base(p), suffix(p))
		if suffix(p) == "" {
			stem = strings.TrimSuffix(path.Base(p), path.Ext(p))
		}
		if stems[strings.ToLower(stem)] {
			steps = 0
		}
		all = append(all, near{p, steps, distance(p, paths)})
	}
	slices.SortFunc(all, func(a, b near) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.path, b.path)
	})
	var out []string
	for _, n := range all[:min(len(all), maxNearby)] {
		out = append(out, n.path)
	}
	return out
}

// steps is how many imports lead from p to a touched file, at most maxImports; -1 where none do.
func (r *resolver) steps(p string, touched map[string]bool) int {
	level, seen := []string{p}, map[string]bool{p: true}
	for n := 1; n <= maxImports; n++ {
		var next []string
		for _, f := range level {
			for _, g := range r.targets(f) {
				if touched[g] {
					return n
				}
				if !seen[g] && code(g) {
					seen[g] = true
					next = append(next, g)
				}
			}
		}
		level = next
	}
	return -1
}

// distance counts the folders that lie between a path and the nearest of others.
func distance(p string, others []string) int {
	best := 1 << 20
	a := strings.Split(path.Dir(p), "/")
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
