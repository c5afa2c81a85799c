package python

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const maxNearby = 20 // units of the touched modules

// Nearby lists test files by distance from production paths: named after a path; importing its
// module by name; importing a package around it. Equal ones by the folders between, then by
// path.
func (Language) Nearby(t lang.Files, paths []string) []string {
	l := newLayout(t.Paths())
	touched := map[string]bool{}
	names := map[string]bool{}
	around := map[string]bool{}
	for _, p := range paths {
		if kind(p) != model.Production || path.Ext(p) != ".py" {
			continue
		}
		touched[p] = true
		names[strings.TrimLeft(module(p), "_")] = true
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if l.paths[d+"/__init__.py"] {
				around[d+"/__init__.py"] = true
			}
		}
	}
	if len(touched) == 0 {
		return nil
	}
	type near struct {
		path           string
		rank, distance int
	}
	var found []near
	for _, p := range t.Paths() {
		if kind(p) != model.CheckFile || !unitName(path.Base(p)) {
			continue
		}
		stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(path.Base(p), "test_"), ".py"), "_test")
		rank := 3
		if names[stem] {
			rank = 0
		} else if f, ok, err := t.Read(p); err == nil && ok && f.Mode&0o170000 != 0o120000 {
			rank = l.importRank(p, f.Data, touched, around)
		}
		if rank < 3 {
			found = append(found, near{p, rank, distance(p, paths)})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.path, b.path)
	})
	var out []string
	for _, f := range found[:min(len(found), maxNearby)] {
		out = append(out, f.path)
	}
	return out
}

// importRank is 1 where a file imports a touched module, 2 where it imports a package around
// one, else 3.
func (l *layout) importRank(p string, src []byte, touched, around map[string]bool) int {
	root, _, err := parse(src)
	if err != nil {
		return 3
	}
	rank := 3
	root.Walk(func(n *node) bool {
		if n.Kind != "import_statement" && n.Kind != "import_from_statement" {
			return true
		}
		for _, i := range importsOf(n, src) {
			f, _, ok := l.target(p, i)
			switch {
			case ok && touched[f]:
				rank = 1
			case ok && around[f]:
				rank = min(rank, 2)
			}
		}
		return false
	})
	return rank
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
