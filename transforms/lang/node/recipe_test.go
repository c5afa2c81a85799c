package node

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func manifestWith(scripts string, more ...string) string {
	return `{"name": "sample", "scripts": {` + scripts + `}` + strings.Join(more, "") + `}`
}

// A test script is seen through to its runner, whose flags are kept; one that is not known is a
// fault that names it.
func TestRunnerOf(t *testing.T) {
	for _, c := range []struct {
		scripts, want, reason string
	}{
		{`"test": "mocha"`, "mocha | ", ""},
		{`"test": "nyc --reporter=text --reporter lcov mocha -r ts-node/register --timeout 5000 'test/**/*.ts'"`, "mocha | -r ts-node/register --timeout 5000", ""},
		{`"test": "c8 -r text cross-env NODE_ENV=test mocha --parallel --bail -R dot test"`, "mocha |  | NODE_ENV=test", ""},
		{`"test": "npm run lint && npm run unit -- --exit", "lint": "eslint .", "unit": "mocha test/*.js"`, "mocha | --exit", ""},
		{`"test": "run-s lint test:*", "lint": "xo", "test:unit": "jest --coverage -i"`, "jest | ", ""},
		{`"test": "NODE_OPTIONS=--experimental-vm-modules npx jest --config=jest.config.mjs -u"`, "jest | --config=jest.config.mjs | NODE_OPTIONS=--experimental-vm-modules", ""},
		{`"test": "node --experimental-vm-modules node_modules/jest/bin/jest.js --maxWorkers 2 --env jsdom"`, "jest | --env jsdom | --experimental-vm-modules", ""},
		{`"test": "node --import tsx --test --test-reporter spec 'test/**/*.ts'"`, "node |  | --import tsx", ""},
		{`"test": "tsx --test test/*.ts"`, "node |  | --import tsx", ""},
		{`"test": "pnpm vitest run --coverage --config vitest.unit.ts"`, "vitest | --config vitest.unit.ts", ""},
		{`"test": "xo && ava --serial --verbose && tsd"`, "ava | --serial", ""},
		{`"test": "yarn test:unit", "test:unit": "cross-env-shell \"A=1 mocha\""`, "mocha |  | A=1", ""},
		{`"test": "cross-env A=1 npm run unit", "unit": "B=2 mocha"`, "mocha |  | A=1 B=2", ""},
		{`"test": "jasmine"`, "", "test runner jasmine is not supported"},
		{`"test": "tap test/*.js"`, "", "test runner tap is not supported"},
		{`"test": "node test.js"`, "", "runs a program of its own, test.js"},
		{`"test": "make check"`, "", "test runner make is not supported"},
		{`"test": "mocha && jest"`, "", "starts mocha and jest"},
		{`"test": "npm test"`, "", "names a test runner"},
		{`"test": "echo \"Error: no test specified\" && exit 1"`, "", "names a test runner"},
		{`"test": "tsc --noEmit", "test:unit": "vitest"`, "vitest | ", ""},
	} {
		p, err := readProject(files("package.json", manifestWith(c.scripts)))
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.runners()
		var fault *model.Fault
		if c.reason != "" {
			if !errors.As(err, &fault) || fault.Reason != model.EnvironmentFailed || !strings.Contains(fault.Detail, c.reason) {
				t.Errorf("%s: %v, want %s", c.scripts, err, c.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.scripts, err)
			continue
		}
		got := all[0].name + " | " + strings.Join(all[0].flags, " ")
		if more := strings.Join(append(all[0].node, all[0].env...), " "); more != "" {
			got += " | " + more
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.scripts, got, c.want)
		}
	}
}

func TestManagers(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want manager
	}{
		{"nothing", nil, manager{name: "npm"}},
		{"npm 1", []string{"package-lock.json", `{"lockfileVersion": 1}`}, manager{name: "npm", lock: "package-lock.json", format: "1"}},
		{"shrinkwrap first", []string{"package-lock.json", `{"lockfileVersion": 3}`, "npm-shrinkwrap.json", `{"lockfileVersion": 2}`}, manager{name: "npm", lock: "npm-shrinkwrap.json", format: "2"}},
		{"pnpm 9", []string{"pnpm-lock.yaml", "lockfileVersion: '9.0'\n"}, manager{"pnpm", "9", "pnpm-lock.yaml", "9.0"}},
		{"pnpm 8", []string{"pnpm-lock.yaml", "lockfileVersion: '6.0'\n"}, manager{"pnpm", "8", "pnpm-lock.yaml", "6.0"}},
		{"pnpm 7", []string{"pnpm-lock.yaml", "lockfileVersion: 5.4\n"}, manager{"pnpm", "7", "pnpm-lock.yaml", "5.4"}},
		{"yarn classic", []string{"yarn.lock", "# yarn lockfile v1\n"}, manager{"yarn", "1.22.22", "yarn.lock", "1"}},
		{"yarn berry", []string{"yarn.lock", "__metadata:\n  version: 8\n  cacheKey: 10\n"}, manager{"yarn", "4.9.2", "yarn.lock", "berry 8"}},
		{"yarn 3", []string{"yarn.lock", "__metadata:\n  version: 6\n"}, manager{"yarn", "3.8.7", "yarn.lock", "berry 6"}},
	} {
		tr := files(append([]string{"package.json", "{}"}, c.in...)...)
		if diff := cmp.Diff(c.want, managerOf(tr, manifest{}), cmp.AllowUnexported(manager{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	named := managerOf(files("package-lock.json", "{}", "yarn.lock", ""), manifest{manager: "yarn@4.1.0+sha512.ab"})
	if named.source() != "@yarnpkg/cli-dist@4.1.0" || named.lock != "yarn.lock" || !named.berry() {
		t.Errorf("packageManager: %+v", named)
	}
}

func TestWorkspaces(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"npm", []string{"package.json", `{"workspaces": ["packages/*", "!packages/b"]}`}, "packages/a"},
		{"yarn", []string{"package.json", `{"workspaces": {"packages": ["./packages/**"]}}`}, "packages/a packages/b packages/b/deep"},
		{"pnpm", []string{"package.json", `{}`, "pnpm-workspace.yaml", "packages:\n  # all\n  - 'packages/*' # here\n  - \"!**/b\"\ncatalog:\n  - x\n"}, "packages/a"},
		{"flow", []string{"package.json", `{}`, "pnpm-workspace.yaml", "packages: ['packages/a', \"packages/b\"]\n"}, "packages/a packages/b"},
	} {
		p, err := readProject(files(append(c.in, "packages/a/package.json", "{}", "packages/b/package.json", "{}", "packages/b/deep/package.json", "{}", "packages/a/node_modules/x/package.json", "{}")...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range p.packages {
			got = append(got, m.dir)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

func TestMonorepo(t *testing.T) {
	in := files("package.json", `{"name": "all", "workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}`,
		"packages/a/package.json", `{"name": "a", "scripts": {"test": "vitest"}, "dependencies": {"b": "*"}}`,
		"packages/b/package.json", `{"name": "b", "main": "./dist/b.js", "scripts": {"test": "mocha", "build": "tsc"}}`,
		"packages/a/a.test.ts", "import 'b';\n", "packages/b/test/b.js", "")
	r, err := Recipe("typescript", in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"all", "a", "b"}, r.Self); diff != "" {
		t.Error(diff)
	}
	a, b := Command(r.Protocol, model.Run{Unit: "packages/a/a.test.ts"}), Command(r.Protocol, model.Run{Unit: "packages/b/test/b.js"})
	if a.Dir != "packages/a" || a.Argv[2] != "vitest" || b.Dir != "packages/b" || b.Argv[2] != "mocha" {
		t.Errorf("%+v\n%+v", a, b)
	}
	if n := len(r.Protocol.Build); n != 2 || strings.Join(r.Protocol.Build[1].Argv[2:], " ") != "run packages/b #build" {
		t.Errorf("build: %v", r.Protocol.Build)
	}
}

func TestBuilds(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want []string
	}{
		{"the script before the runner", []string{"package.json", manifestWith(`"test": "npm run build && mocha", "build": "tsc -p ."`)}, []string{"run . #build"}},
		{"a command before the runner", []string{"package.json", manifestWith(`"test": "eslint . && tsc && mocha"`)}, []string{"run . tsc"}},
		{"pretest that only looks", []string{"package.json", manifestWith(`"test": "mocha", "pretest": "eslint . && tsc --noEmit"`)}, nil},
		{"pretest that builds", []string{"package.json", manifestWith(`"test": "mocha", "pretest": "npm run compile", "compile": "babel src -d lib"`)}, []string{"run . #compile"}},
		{"tests load what is not there", []string{"package.json", manifestWith(`"test": "mocha", "build": "rollup -c"`, `, "main": "dist/index.js"`), "test/a.js", "require('../dist/index.js')"}, []string{"run . #build"}},
		{"tests load the package by its name", []string{"package.json", manifestWith(`"test": "mocha", "build": "rollup -c"`, `, "exports": {".": {"import": "./dist/index.js"}}`), "test/a.js", "import 'sample';"}, []string{"run . #build"}},
		{"a build that also looks", []string{"package.json", manifestWith(`"test": "mocha", "build": "npm run lint && yarn esm && rollup -c", "lint": "eslint .", "esm": "yarn tsc && node fix.js"`, `, "main": "dist/index.js"`), "test/a.js", "require('../dist/index.js')"}, []string{"run . #esm", "run . rollup -c"}},
		{"one that also writes", []string{"package.json", manifestWith(`"test": "mocha", "build": "eslint . && rollup -c && echo {} > dist/package.json"`, `, "main": "dist/index.js"`), "test/a.js", "require('../dist/index.js')"}, []string{"run . #build"}},
		{"tests load sources", []string{"package.json", manifestWith(`"test": "vitest", "build": "rollup -c"`, `, "main": "dist/index.js"`), "test/a.test.ts", "import '../src/index.ts';"}, nil},
		{"the name leads to sources", []string{"package.json", manifestWith(`"test": "vitest", "build": "rollup -c"`, `, "main": "dist/index.js"`), "test/a.test.ts", "import 'sample';", "vitest.config.js", "alias: { 'sample': 'src/index.ts' }"}, nil},
	} {
		r, err := Recipe("javascript", files(c.in...))
		if err != nil {
			t.Fatal(c.name, err)
		}
		var got []string
		for _, b := range r.Protocol.Build[1:] {
			got = append(got, strings.Join(b.Argv[2:], " "))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// What nyc loads before the runner is loaded without it too.
func TestPreloads(t *testing.T) {
	for _, c := range []struct{ script, section, want string }{
		{"nyc yarn _test", `{"require": ["@babel/register", 3]}`, "-r @babel/register"},
		{"nyc --require esm --reporter text mocha", `{"require": "ts-node/register"}`, "-r ts-node/register -r esm"},
		{"nyc -i esm mocha", `{}`, "-r esm"},
		{"nyc mocha -i --require late", `{"require": {}}`, ""},
	} {
		p, err := readProject(files("package.json", manifestWith(`"test": "`+c.script+`", "_test": "mocha"`, `, "nyc": `+c.section)))
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.runners()
		if err != nil || len(all) != 1 || all[0].name != "mocha" || strings.Join(all[0].node, " ") != c.want {
			t.Errorf("%s with %s: %+v, %v: want mocha with %q", c.script, c.section, all, err, c.want)
		}
	}
}

// AVA waits as long as the run may take, less what it needs to tell of it.
func TestIdle(t *testing.T) {
	r, err := Recipe("javascript", files("package.json", manifestWith(`"test": "ava --timeout 2s --serial"`)))
	if err != nil {
		t.Fatal(err)
	}
	for wall, want := range map[time.Duration]string{0: "", 5 * time.Second: "--timeout=4500ms", 5 * time.Minute: "--timeout=290000ms"} {
		argv := Command(r.Protocol, model.Run{Unit: "test.js", Limits: model.Limits{Wall: wall}}).Argv
		got := slices.DeleteFunc(argv, func(a string) bool { return !strings.HasPrefix(a, "--timeout") })
		if strings.Join(got, " ") != want {
			t.Errorf("in %s: %v, want %q", wall, got, want)
		}
	}
}
