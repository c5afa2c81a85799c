package execute

import (
	"github.com/taskmill/taskmill/transforms/tree"
)

// Expected lists the test functions of a unit of t, parsed once a site.
func (s *Site) Expected(t *tree.Tree) func(unit string) []string {
	return func(unit string) []string {
		key := string(t.Hash()) + " " + unit
		s.mu.Lock()
		known, ok := s.expected[key]
		s.mu.Unlock()
		if ok {
			return known
		}
		out := []string{}
		for _, p := range s.Language.UnitFiles(t, unit) {
			surfaces, err := s.Language.Surfaces(t, p)
			if err != nil {
				continue // a file that does not parse collects nothing
			}
			for _, f := range surfaces {
				out = append(out, f.Function)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.expected == nil {
			s.expected = map[string][]string{}
		}
		s.expected[key] = out
		return out
	}
}
