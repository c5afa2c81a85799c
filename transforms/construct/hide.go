package construct

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Hide is S: c without the hidden test functions and what only they used. gone are the symbols
// that C lacks (Draft.Gone). If a check file that S keeps names one of them, the checks are
// entangled and the fault is tests_entangled. In a language with a compiler members are left to
// the build of S: names alone cannot tell whose T.Method is.
func Hide(c *tree.Tree, hidden []model.Surface, gone []model.Symbol, l lang.Language) (*tree.Tree, error) {
	changes, err := l.Hide(c, hidden)
	if err != nil {
		return nil, fmt.Errorf("hide checks: %w", err)
	}
	for _, ch := range changes {
		if !evidence.IsCheck(l, ch.Path) {
			return nil, reject(model.StageScope, model.OutOfScope, "hiding touches %s", ch.Path)
		}
	}
	s := c.With(changes...)
	places, err := entangled(s, gone, l)
	if err != nil {
		return nil, fmt.Errorf("look for removed names in checks: %w", err)
	}
	if len(places) > 0 {
		return nil, reject(model.StageConstruct, model.TestsEntangled, "%s", listed(places))
	}
	return s, nil
}

// entangled lists the check files of s that name a symbol of gone, with its name.
func entangled(s *tree.Tree, gone []model.Symbol, l lang.Language) ([]string, error) {
	if len(gone) == 0 {
		return nil, nil
	}
	if compiled(l) {
		gone = slices.DeleteFunc(slices.Clone(gone), func(g model.Symbol) bool { return strings.Contains(g.Name, ".") })
		if len(gone) == 0 {
			return nil, nil
		}
	}
	any := nameMatcher(gone)
	var out []string
	for _, p := range s.Paths() {
		if l.Kind(p) != model.CheckFile {
			continue
		}
		f, _, err := s.Read(p)
		if err != nil {
			return nil, err
		}
		// Parsing each check file of a large tree is slow; most hold none of the names.
		if f.Mode == model.ModeSymlink || !any.Match(f.Data) || l.Syntax(p, f.Data) != nil {
			continue
		}
		named, err := l.Names(s, p, gone)
		if err != nil {
			return nil, err
		}
		for _, n := range named {
			out = append(out, p+" names "+n.Name)
		}
	}
	return out, nil
}

// compiled reports whether a build finds every name that does not resolve.
func compiled(l lang.Language) bool {
	return slices.Contains([]string{"go", "java", "kotlin"}, l.Name())
}

func nameMatcher(symbols []model.Symbol) *regexp.Regexp {
	names := make([]string, 0, len(symbols))
	for _, s := range symbols {
		names = append(names, regexp.QuoteMeta(evidence.LastName(s.Name)))
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}
