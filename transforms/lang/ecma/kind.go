package ecma

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Kind says what a path is for, by its segments and names alone.
//
// Tests lie in folders of tests or have a name of tests; in monorepos that holds below each
// package. Production code of JavaScript is JavaScript and declarations of types; of TypeScript
// it is both, so that a project with TypeScript in it has most files there, and one without has
// as many in either.
func (d Dialect) Kind(p string) model.Kind {
	dirs, name := lang.Split(p)
	lower := strings.ToLower(name)
	general := lang.Kind(p)
	switch {
	case general == model.Vendored, lower == "":
		return general
	case lang.In(dirs, ".yarn", "jspm_packages", "web_modules"), lower == ".pnp.cjs", lower == ".pnp.loader.mjs":
		return model.Vendored
	case snapshot(dirs, lower):
		return model.CheckData
	case lower == "package.json" && !lang.In(dirs, dataFolders...):
		return model.Configuration
	case configured(lower) && !lang.In(dirs, dataFolders...):
		return model.Configuration
	case testFolder(dirs) || lang.In(dirs, "__mocks__", "__fixtures__"):
		return folderKind(dirs, lower)
	case isSource(lower) && testName(dirs, lower) && !generatedCode(dirs, lower):
		return model.CheckFile
	case lang.In(dirs, "fixtures", "fixture") && !lang.In(dirs, "src", "lib"):
		return model.CheckData
	case generatedCode(dirs, lower):
		return model.Generated
	case lang.In(dirs, "benchmark", "benchmarks", "bench", "benches", "perf"),
		isSource(lower) && (strings.Contains(lower, ".bench.") || strings.Contains(lower, ".stories.")),
		len(dirs) > 0 && slices.Contains([]string{"scripts", "tools", "tasks", "playground"}, dirs[0]) && isSource(lower):
		return model.Other
	case general != model.Other:
		return general
	case !isSource(lower):
		return model.Other
	case d == JavaScript && !declares(lower) && strings.Contains(path.Ext(lower), "ts"):
		return model.Other
	}
	return model.Production
}

// dataFolders hold what tests read: nothing there steers the project, whatever its name.
var dataFolders = []string{"fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data", "__testfixtures__"}

// testFolder reports whether the folders lie among tests.
func testFolder(dirs []string) bool {
	for i, d := range dirs {
		switch d {
		case "spec", "specs":
			// src/spec/parser.ts may read specifications.
			if !lang.In(dirs[:i], "src", "lib") {
				return true
			}
		case "__tests__", "__test__", "__specs__", "test", "tests", "e2e", "cypress", "testdata", "test-data", "test_data",
			"__testfixtures__", "test-d", "type-tests":
			return true
		case "unit", "integration":
			// unit/ and integration/ at the root of a package hold tests; src/unit does not.
			if i == 0 {
				return true
			}
		}
	}
	return false
}

// folderKind is the kind of a path in a folder of tests: its code is tests and helpers, but for
// what lies in a folder of data.
func folderKind(dirs []string, lower string) model.Kind {
	if isSource(lower) && !lang.In(dirs, dataFolders...) && !strings.HasSuffix(lower, ".min.js") {
		return model.CheckFile
	}
	return model.CheckData
}

// snapshot reports whether a path holds expectations that a runner wrote.
func snapshot(dirs []string, lower string) bool {
	switch {
	case lang.In(dirs, "__snapshots__", "__image_snapshots__", "__file_snapshots__"):
		return true
	case strings.HasSuffix(lower, ".snap"), strings.HasSuffix(lower, ".js.snapshot"), strings.HasSuffix(lower, ".ts.snapshot"):
		return true
	case len(dirs) > 0 && dirs[len(dirs)-1] == "snapshots":
		return strings.HasSuffix(lower, ".md") && isSource(strings.TrimSuffix(lower, ".md"))
	}
	return false
}

// configured knows the files that steer tools of these languages.
func configured(lower string) bool {
	switch lower {
	case "gruntfile.js", "gulpfile.js", "gulpfile.babel.js", "gulpfile.mjs", "jakefile.js", "karma.conf.js", "wallaby.js",
		"babel.config.json", "tsconfig.json", "jsconfig.json", "typedoc.json", "nx.json", "turbo.json", "rush.json", "tslint.json",
		"biome.json", "biome.jsonc", "jsr.json", "deno.json", "deno.jsonc", "bower.json", "component.json", "mocha.opts",
		"jest.setup.js", "jest.setup.ts", "vitest.setup.ts", "vitest.setup.js", "vitest.workspace.ts", "vitest.workspace.js", "vitest.workspace.json",
		"bunfig.toml", "bun.lock", "bun.lockb", "yarn.lock", "pnpm-lock.yaml", "package-lock.json", "npm-shrinkwrap.json", "pnpm-workspace.yaml",
		"nyc.config.js", "ava.config.js", "ava.config.mjs", "ava.config.cjs":
		return true
	}
	if strings.HasPrefix(lower, "tsconfig") && strings.HasSuffix(lower, ".json") {
		return true
	}
	stem := strings.TrimSuffix(lower, path.Ext(lower))
	return isSource(lower) && (strings.HasPrefix(lower, ".") || strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, ".conf") ||
		strings.Contains(stem, ".config.") || strings.HasPrefix(lower, "rollup.") || strings.HasPrefix(lower, "webpack."))
}

// generatedCode knows what builds leave in a tree.
func generatedCode(dirs []string, lower string) bool {
	switch {
	case strings.HasSuffix(lower, ".min.js"), strings.HasSuffix(lower, ".min.mjs"), strings.HasSuffix(lower, ".min.cjs"), strings.HasSuffix(lower, ".map") && isSource(strings.TrimSuffix(lower, ".map")):
		return true
	case lang.In(dirs, "src", "lib", "source"):
		return lang.In(dirs, "__generated__")
	}
	return lang.In(dirs, "dist", "coverage", ".next", ".nuxt", ".output", "__generated__")
}

var (
	// a.test.js, a.spec.tsx, a.e2e-spec.ts, a.integration.test.mjs; a-test.js, a_test.js, a-spec.js
	testSuffix = regexp.MustCompile(`^.+[.](?:test|tests|spec|specs|e2e|cy|e2e-spec|test-d|spec-d|unit|itest)[.]\w+$|^.+[-_](?:test|tests|spec)[.]\w+$`)
	// test-a.js as node:test finds it, and the one file of a small project
	testPrefix = regexp.MustCompile(`^test-.+[.]\w+$|^tests?[.]\w+$|^test[.](?:d|test-d|spec|unit)[.]\w+$`)
	ownTest    = regexp.MustCompile(`^.+[.](?:test|tests|spec|specs|e2e|cy|e2e-spec|unit|itest)[.]\w+$|^.+[-_](?:test|tests|spec)[.]\w+$|^tests?[.]\w+$`)
)

// testName reports whether a name is a test's wherever it lies.
func testName(dirs []string, lower string) bool {
	switch {
	case declares(lower):
		// a.test-d.ts checks types; a.d.ts declares them, also a.test.d.ts
		return false
	case testSuffix.MatchString(lower):
		return true
	case testPrefix.MatchString(lower):
		// lib/test.js and src/test-events.js are a library's own words.
		return !lang.In(dirs, "lib", "src", "source")
	}
	return false
}

// typeTest reports whether a file is a test of types, which no test runner runs.
func typeTest(name string) bool {
	l := strings.ToLower(name)
	return strings.Contains(l, ".test-d.") || strings.Contains(l, ".spec-d.")
}

// unitName reports whether a name alone says that a runner runs the file.
func unitName(p string) bool {
	dirs, name := lang.Split(p)
	lower := strings.ToLower(name)
	return ownTest.MatchString(lower) && testName(dirs, lower) && !lang.In(dirs, "__mocks__")
}
