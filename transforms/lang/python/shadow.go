package python

import (
	_ "embed"
	"strings"
)

// runnerModules are the names of the standard library and of what pytest imports, one a line: a
// module of such a name in the tree's root, or in src, would be imported in its place.
//
//go:embed modules.txt
var runnerModules string

var shadowed = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(runnerModules) {
		out[name] = true
	}
	return out
}()

// Shadow is the path prefix of the top-level module that p belongs to when the runner could
// import it in place of one of its own: where a tree has nothing under the prefix, a prediction
// that adds it takes over the runner.
func (Language) Shadow(p string) (prefix string, ok bool) {
	root := ""
	for _, r := range []string{"src/", "lib/"} {
		if strings.HasPrefix(p, r) {
			root = r
		}
	}
	top, _, nested := strings.Cut(strings.TrimPrefix(p, root), "/")
	name, _, _ := strings.Cut(top, ".")
	if !shadowed[name] || !nested && !strings.HasSuffix(top, ".py") && !strings.HasSuffix(top, ".so") && !strings.HasSuffix(top, ".pyc") {
		return "", false
	}
	if nested {
		return root + top + "/", true
	}
	return root + top, true
}
