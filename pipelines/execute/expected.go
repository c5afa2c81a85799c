package execute

import (
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Expected lists the test functions of a unit of t.
func Expected(l lang.Language, t *tree.Tree) func(unit string) []string {
	return func(unit string) []string {
		var out []string
		for _, p := range l.UnitFiles(t, unit) {
			surfaces, err := l.Surfaces(t, p)
			if err != nil {
				continue // a file that does not parse collects nothing
			}
			for _, s := range surfaces {
				out = append(out, s.Function)
			}
		}
		return out
	}
}
