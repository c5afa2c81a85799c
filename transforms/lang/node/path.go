package node

import (
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/lang"
)

var extensions = []string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}

// code reports whether a path is program text of JavaScript or TypeScript.
func code(p string) bool {
	return slices.Contains(extensions, path.Ext(p)) && !strings.HasSuffix(p, ".d.ts") && !strings.HasSuffix(p, ".d.mts") && !strings.HasSuffix(p, ".d.cts")
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

// testFile reports whether a path may be a unit, by its names alone: it is marked as a test, or
// lies in a folder of tests and not in one of their helpers or data.
func testFile(p string) bool {
	dirs, name := lang.Split(p)
	if !code(p) || lang.Vendored(dirs) {
		return false
	}
	if suffix(p) != "" {
		return true
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	if stem == "test" || (strings.HasPrefix(stem, "test-") || strings.HasPrefix(stem, "test_")) && !lang.In(dirs, "src", "source", "lib") {
		return true
	}
	if !lang.In(dirs, "test", "tests", "__tests__", "spec", "specs") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
		return false
	}
	if lang.In(dirs, "fixtures", "fixture", "__fixtures__", "helpers", "helper", "utils", "util", "support", "mocks", "__mocks__", "data", "__snapshots__", "shared", "lib", "assets", "stubs", "artifacts", "types") {
		return false
	}
	return !strings.Contains(name, ".config.") && !slices.Contains([]string{"setup", "helper", "helpers", "utils", "util", "common", "bootstrap", "globals", "mocks"}, stem)
}

// Unit is the test file itself, where its names say that it is one.
func Unit(t lang.Files, p string) (string, bool) {
	if !testFile(p) {
		return "", false
	}
	return p, true
}
