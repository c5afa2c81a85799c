package node

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestGuard(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		unit string
		has  []string
		not  []string
	}{
		{"mocha", []string{"package.json", manifestWith(`"test": "mocha"`), "lib/a.js", "", "test/a.js", "const a = require('../lib/a');\ndescribe('sums numbers', () => {});\n"}, "test/a.js", []string{"require('../lib/a');", "it('"}, []string{"import "}},
		{"vitest", []string{"package.json", manifestWith(`"test": "vitest"`), "src/a.ts", "", "src/a.test.ts", "import { it } from 'vitest';\nimport { a } from './a.js';\n"}, "src/a.test.ts", []string{"import { expect, test } from 'vitest';", "import './a.js';"}, []string{"require"}},
		{"jest with mocks", []string{"package.json", manifestWith(`"test": "jest"`), "src/a.js", "", "src/a.test.js", "jest.mock('./a');\nrequire('./a');\n"}, "src/a.test.js", []string{"test('"}, []string{"./a"}},
		{"ava", []string{"package.json", manifestWith(`"test": "ava"`, `, "type": "module"`), "test.js", "import test from 'ava';\n"}, "test.js", []string{"import test from 'ava';", "t.is("}, nil},
		{"node", []string{"package.json", manifestWith(`"test": "node --test"`), "a.test.cjs", "const { test } = require('node:test');\n"}, "a.test.cjs", []string{"const { test } = require('node:test');"}, nil},
	} {
		in := files(c.in...)
		g, err := Guard(in, c.unit, "k3x9")
		if err != nil {
			t.Fatal(c.name, err)
		}
		text := string(g.Files[0].Data)
		for _, h := range c.has {
			if !strings.Contains(text, h) {
				t.Errorf("%s lacks %s:\n%s", c.name, h, text)
			}
		}
		for _, n := range c.not {
			if strings.Contains(text, n) {
				t.Errorf("%s has %s:\n%s", c.name, n, text)
			}
		}
		u := g.Files[0].Path
		if !isUnit(in.With(model.TreeChange{Path: u, Mode: g.Files[0].Mode, Data: g.Files[0].Data}), u) || g.Pass == g.Fail || !strings.HasPrefix(g.Pass, u+" > ") {
			t.Errorf("%s: %+v", c.name, g)
		}
		if _, err := Guard(in, c.unit, "../x"); err == nil {
			t.Error("a token that is a path is taken")
		}
	}
}

func TestNearby(t *testing.T) {
	in := files("package.json", `{"name": "sample", "main": "src/index.ts"}`,
		"src/index.ts", "export * from './a.js';\n", "src/a.ts", "", "src/b.ts", "import './a';", "src/c.ts", "import './b';",
		"test/a.test.ts", "", "test/by-name.test.ts", "import { a } from 'sample';", "test/direct.test.ts", "import '../src/a.ts';",
		"test/two.test.ts", "import '../src/b.js';", "test/three.test.ts", "import '../src/c';", "test/other.test.ts", "")
	got := Nearby(in, []string{"src/a.ts", "README.md"})
	want := []string{"test/direct.test.ts", "test/by-name.test.ts", "test/two.test.ts"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Nearby(in, []string{"README.md"}); got != nil {
		t.Error(got)
	}
}

func TestRestore(t *testing.T) {
	want := []byte(`{"name": "a", "scripts": {"test": "mocha", "lint": "eslint ."}, "mocha": {"timeout": 1}, "dependencies": {"x": "1"}}`)
	for _, c := range []struct{ name, have, out string }{
		{"only what no run starts", `{"name": "a", "version": "2.0.0", "scripts": {"test": "mocha", "lint": "xo"}, "mocha": {"timeout": 1}}`, ""},
		{"another test script", `{"name": "a", "version": "2", "scripts": {"test": "true", "lint": "xo"}, "mocha": {"timeout": 1}}`,
			"{\n  \"name\": \"a\",\n  \"version\": \"2\",\n  \"mocha\": {\"timeout\": 1},\n  \"scripts\": {\n    \"test\": \"mocha\",\n    \"lint\": \"xo\"\n  }\n}\n"},
		{"a section twice", `{"mocha": {"timeout": 1}, "scripts": {"test": "mocha"}, "mocha": {"require": "x"}}`,
			"{\n  \"mocha\": {\"timeout\": 1},\n  \"scripts\": {\n    \"test\": \"mocha\"\n  }\n}\n"},
		{"no JSON", `{`, string(want)},
	} {
		if c.out == "" {
			c.out = c.have
		}
		if diff := cmp.Diff(c.out, string(Restore("package.json", want, []byte(c.have)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got := Restore("jest.config.js", want, []byte("x")); string(got) != string(want) {
		t.Errorf("jest.config.js: %s", got)
	}
	for p, is := range map[string]bool{
		"package.json": true, "packages/a/package.json": true, "jest.config.ts": true, "vitest.config.mts": true, "vite.config.js": true, ".mocharc.cjs": true,
		"test/mocha.opts": true, "ava.config.js": true, "babel.config.json": true, "tsconfig.test.json": true, "vitest.workspace.ts": true, "jest.setup.js": true,
		"node_modules/x/index.js": true, "src/setup.js": false, "src/index.js": false, "rollup.config.js": false, "test/a.test.js": false, "src/package.js": false,
	} {
		if Protected(p) != is {
			t.Errorf("Protected(%s) is %v", p, !is)
		}
	}
	if at, ok := Shadow("a/node_modules/@s/x/index.js"); !ok || at != "a/node_modules/@s/x/" {
		t.Errorf("shadow: %q %v", at, ok)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add([]byte(`{"scripts":{"test":"a"}}`), []byte(`{"scripts":{"test":"b"},"jest":1}`))
	f.Fuzz(func(t *testing.T, want, have []byte) {
		once := Restore("package.json", want, have)
		if twice := Restore("package.json", want, once); string(twice) != string(once) {
			t.Errorf("%q, then %q", once, twice)
		}
	})
}
