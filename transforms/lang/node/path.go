package node

import (
	"path"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/ecma"
)

// code reports whether a path is program text of JavaScript or TypeScript.
func code(p string) bool { return ecma.Source(p) }

// checking reports whether a path holds tests or what they use.
func checking(p string) bool { return ecma.TypeScript.Kind(p) == model.CheckFile }

// isUnit reports whether a path of a tree is a unit.
func isUnit(t lang.Files, p string) bool {
	_, ok := ecma.TypeScript.Unit(t, p)
	return ok
}

// suffix is what marks a test file in its name: .test.ts of a.test.ts, "" where nothing does.
func suffix(p string) string {
	ext := path.Ext(p)
	stem := strings.TrimSuffix(path.Base(p), ext)
	for _, s := range []string{".test", ".spec", ".tests", ".specs", "-test", "-spec", "_test", "_spec", ".unit", ".e2e"} {
		if len(stem) > len(s) && strings.HasSuffix(stem, s) {
			return s + ext
		}
	}
	return ""
}
