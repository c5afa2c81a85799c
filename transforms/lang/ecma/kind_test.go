package ecma

import (
	"testing"

	"github.com/taskmill/taskmill/model"
)

func TestKind(t *testing.T) {
	for path, want := range map[string]model.Kind{
		"index.js": model.Production, "lib/express.js": model.Production, "src/a.mjs": model.Production, "a.cjs": model.Production,
		"src/App.jsx": model.Production, "bin/cli.js": model.Production, "esm.mjs": model.Production, "typings/index.d.ts": model.Production,
		"latest.js": model.Production, "contest/a.js": model.Production, "attestation.js": model.Production, "src/testing.js": model.Production,
		"src/spec/reader.js": model.Production, "lib/test.js": model.Production, "src/test-utils.js": model.Production,
		"inspect.js": model.Production, "protest.js": model.Production, "src/greatest.test-data.js": model.Production,
		"packages/core/src/index.js": model.Production, "src/dist/walk.js": model.Production, "src/coverage/map.js": model.Production,

		"test.js": model.CheckFile, "tests.mjs": model.CheckFile, "test/a.js": model.CheckFile, "tests/deep/a.mjs": model.CheckFile,
		"spec/a.js": model.CheckFile, "__tests__/a.js": model.CheckFile, "src/__tests__/a.jsx": model.CheckFile,
		"src/a.test.js": model.CheckFile, "src/a.spec.mjs": model.CheckFile, "a-test.js": model.CheckFile, "a_test.cjs": model.CheckFile,
		"test-a.js": model.CheckFile, "packages/x/test/a.js": model.CheckFile, "packages/x/src/a.test.js": model.CheckFile,
		"src/test/a.js": model.CheckFile, "src/__mocks__/fs.js": model.CheckFile, "test/helpers/tool.js": model.CheckFile,
		"index.test-d.ts": model.CheckFile, "test/types.ts": model.CheckFile, "src/a.test.ts": model.CheckFile, "e2e/a.js": model.CheckFile,
		"cypress/integration/a.js": model.CheckFile, "test/types.d.ts": model.CheckFile, "lib/a.test.js": model.CheckFile,

		"test/fixtures/a.js": model.CheckData, "test/data.json": model.CheckData, "fixtures/a/index.js": model.CheckData,
		"src/__fixtures__/a.js": model.CheckData, "test/README.md": model.CheckData, "__snapshots__/a.test.js.snap": model.CheckData,
		"src/__snapshots__/a.test.js.snap": model.CheckData, "a.test.js.snap": model.CheckData, "test/snapshots/a.js.md": model.CheckData,
		"snapshots/test.js.md": model.CheckData, "a.test.js.snapshot": model.CheckData, "test/fixtures/p/package.json": model.CheckData,
		"test/fixtures/p/node_modules/x/index.js": model.Vendored, "test/fixtures/jest.config.js": model.CheckData, "test/a.min.js": model.CheckData,

		"package.json": model.Configuration, "packages/x/package.json": model.Configuration, "tsconfig.json": model.Configuration,
		"packages/x/tsconfig.build.json": model.Configuration, "jest.config.js": model.Configuration, "packages/x/vitest.config.ts": model.Configuration,
		".eslintrc.js": model.Configuration, ".mocharc.cjs": model.Configuration, "rollup.config.mjs": model.Configuration, "gulpfile.js": model.Configuration,
		"yarn.lock": model.Configuration, "pnpm-lock.yaml": model.Configuration, "sub/pnpm-workspace.yaml": model.Configuration,
		"test/tsconfig.json": model.Configuration, "webpack.prod.js": model.Configuration, "vite.config.test.ts": model.Configuration,
		".github/workflows/ci.yml": model.Configuration,

		"README.md": model.Docs, "docs/guide.md": model.Docs, "docs/conf.js": model.Docs, "examples/a/index.js": model.Docs, "website/src/a.jsx": model.Docs,
		"dist/index.js": model.Generated, "packages/x/dist/a.mjs": model.Generated, "a.min.js": model.Generated, "src/__generated__/api.js": model.Generated,
		"coverage/lcov-report/block.js": model.Generated, "index.js.map": model.Generated,
		"node_modules/x/index.js": model.Vendored, "vendor/jquery.js": model.Vendored, "vendor/a.test.js": model.Vendored, ".yarn/releases/yarn-4.cjs": model.Vendored,
		"benchmarks/a.js": model.Other, "bench/run.mjs": model.Other, "src/a.bench.ts": model.Other, "scripts/build.js": model.Other,
		"a.py": model.Other, "style.css": model.Other, "src/index.ts": model.Other, "src/App.tsx": model.Other, "src/a.mts": model.Other, "": model.Other,
	} {
		if got := JavaScript.Kind(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]model.Kind{
		"src/index.ts": model.Production, "src/App.tsx": model.Production, "src/a.mts": model.Production, "src/a.cts": model.Production,
		"src/types.d.ts": model.Production, "lib/legacy.js": model.Production, "packages/x/src/a.ts": model.Production, "attestation.ts": model.Production,
		"src/a.test.ts": model.CheckFile, "test/a.js": model.CheckFile, "src/app.e2e-spec.ts": model.CheckFile, "src/a.cy.tsx": model.CheckFile,
		"src/types.test-d.ts": model.CheckFile, "deno/a_test.ts": model.CheckFile,
		"dist/index.d.ts": model.Generated, "src/a.stories.tsx": model.Other, "src/schema.generated.ts": model.Generated,
	} {
		if got := TypeScript.Kind(path); got != want {
			t.Errorf("in TypeScript %s is %s, want %s", path, got, want)
		}
	}
}

func TestUnit(t *testing.T) {
	in := files(
		"test/parse.js", "describe('a', () => { it('b', () => {}) })\n", "test/tool.js", "exports.test = x => x\n",
		"test/broken.js", "test('a', => 1)\n", "src/a.test.ts", "", "src/a.test-d.ts", "test('x', () => {})\n",
		"test/shared.js", "module.exports = () => { it('b', () => {}) }\n", "src/a.ts", "test('x', () => {})\n",
		"test/t.d.ts", "", "test/fixtures/a.js", "test('x', () => {})\n", "src/__mocks__/a.test.js", "",
	)
	for path, want := range map[string]bool{
		"test/parse.js": true, "test/tool.js": false, "test/broken.js": false, "src/a.test.ts": true, "src/a.test-d.ts": false,
		"test/shared.js": false, "src/a.ts": false, "test/t.d.ts": false, "test/fixtures/a.js": false, "src/__mocks__/a.test.js": false, "absent.test.js": true, "test/absent.js": false,
	} {
		if u, ok := TypeScript.Unit(in, path); ok != want || ok && u != path {
			t.Errorf("unit of %s: %q %v", path, u, ok)
		}
	}
	if u, ok := JavaScript.Unit(nil, "a.test.js"); !ok || u != "a.test.js" {
		t.Error("a name alone is not enough")
	}
}

func TestFunction(t *testing.T) {
	for id, want := range map[string][2]string{
		"test/a.js > x":             {"test/a.js", "x"},
		"a.test.ts > d > x > y":     {"a.test.ts", "d > x > y"},
		"a > b.mjs > x":             {"a > b.mjs", "x"},
		"a.js > reads b.js > c #2":  {"a.js", "reads b.js > c #2"},
		"test/a.js":                 {"test/a.js", ""},
		"nothing > x":               {"nothing > x", ""},
		"src/é.spec.tsx > ü > \n\t": {"src/é.spec.tsx", "ü > \n\t"},
		"":                          {"", ""},
	} {
		if u, f := JavaScript.Function(id); u != want[0] || f != want[1] {
			t.Errorf("%q is %q of %q", id, f, u)
		}
	}
}

func TestTitled(t *testing.T) {
	all := []string{"a", "a > b", "a > adds %i to %s", "a > adds %i to %s twice", "${name} > in ${x.y}", "row $id is $v.w", "a #2", "100%% of $#", "${x}"}
	for name, want := range map[string]string{
		"a": "a", "a #2": "a #2", "a #3": "a", "a > b": "a > b", "a > b > sub": "a > b", "a > c > sub": "a",
		"a > adds %i to %s": "a > adds %i to %s", "a > adds 1 to x twice": "a > adds %i to %s twice",
		"z > in q": "${name} > in ${x.y}", "row 1 is 2": "row $id is $v.w", "100% of 3": "100%% of $#", "anything": "${x}",
	} {
		if f, ok := JavaScript.Titled("t.js > "+name, all); !ok || f != want {
			t.Errorf("%q is of %q, want %q", name, f, want)
		}
	}
	if f, ok := JavaScript.Titled("t.js > b", all[:2]); ok {
		t.Errorf("b is of %q", f)
	}
	each := []string{"adds %i to %s", "adds %i to %s twice", "adds 1 to 2", "two\n words"}
	for name, want := range map[string]string{
		"adds 3 to x": each[0], "adds 3 to x twice": each[1], "adds 1 to 2": each[2], "adds 3 to x #2": each[0], "two words": each[3],
	} {
		if f, ok := JavaScript.Titled("t.js > "+name, each); !ok || f != want {
			t.Errorf("%q is of %q, want %q", name, f, want)
		}
	}
}

func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		path, src string
		ok        bool
	}{
		{"a.js", "const x = a?.b ?? c; class A { #p = 1; static { f() } }\n", true},
		{"a.jsx", "const x = <A b={1}>{y}</A>\n", true},
		{"a.js", "function f(x: number): string { return '' }\n", true}, // Flow
		{"a.js", "const = 1\n", false},
		{"a.mjs", "using x = f()\nawait using y = g()\n", true},
		{"a.ts", "interface A {\n  <T>(a: T): B\n  <U>(a: U): B\n}\n", true},
		{"a.ts", "export type * from './a'\n", true},
		{"a.ts", "const x = <T>y\n", true},
		{"a.tsx", "const x = <T,>(y: T) => <A/>\n", true},
		{"a.ts", "let x: = 1\n", false},
		{"a.txt", "const = 1", true},
	} {
		if err := JavaScript.Syntax(c.path, []byte(c.src)); (err == nil) != c.ok {
			t.Errorf("%s %q: %v", c.path, c.src, err)
		}
	}
	deep := make([]byte, 100000)
	for i := range deep {
		deep[i] = '('
	}
	if err := JavaScript.Syntax("a.js", deep); err == nil {
		t.Error("100,000 open brackets are no error")
	}
}
