package node

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// A runner is how the tests of one package are started.
type runner struct {
	name  string   // node, jest, mocha, vitest, ava
	dir   string   // folder that it is started in
	env   []string // of the script
	node  []string // flags of node
	flags []string // of the runner, with what selects and reports taken out
}

// uncommon are programs that run tests and that are not known here.
var uncommon = []string{"jasmine", "karma", "tap", "tape", "uvu", "lab", "qunit", "aegir", "react-scripts", "bun", "deno", "cypress",
	"playwright", "wtr", "web-test-runner", "wdio", "electron-mocha", "mochify", "airtap", "ng", "nightwatch", "testem", "tsdx",
	"zora", "pta", "buster", "nodeunit", "expresso", "borp", "tests-ex", "poku", "jest-runner", "vows", "brittle", "faucet", "tap-spec",
	"cucumber-js", "cucumber", "codeceptjs", "testcafe", "stencil", "razzle", "vue-cli-service", "craco", "backstage-cli", "umi-test", "dumi", "max"}

// scriptNames are the scripts that are asked for a runner, in this order.
var scriptNames = []string{"test", "test:unit", "unit", "test-unit", "tests", "test:node", "test:js", "test:ci", "test-ci", "ci:test", "test:run",
	"test:only", "test-only", "tests-only", "test:jest", "test:mocha", "test:vitest", "test:ava", "jest", "mocha", "vitest", "ava", "tdd", "spec"}

// runnerOf finds the runner of a package; a nil runner without a fault means that its manifest
// names none, or only hands on to other packages.
func runnerOf(m manifest) (*runner, error) {
	other := ""
	for _, script := range scriptNames {
		body, ok := m.scripts[script]
		if !ok || strings.Contains(body, "no test specified") {
			continue
		}
		var found []*runner
		steps := m.steps(script)
		for _, s := range steps {
			if r := s.runner(m.dir); r != nil && !slices.ContainsFunc(found, func(f *runner) bool { return f.name == r.name }) {
				found = append(found, r)
			}
		}
		if len(found) > 1 && script == "test" {
			return nil, fault(model.EnvironmentFailed, fmt.Sprintf("%s starts %s and %s", at(m, script), found[0].name, found[1].name))
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if script == "test" {
			other = foreign(m, steps)
		}
	}
	if other != "" {
		return nil, fault(model.EnvironmentFailed, other)
	}
	if len(m.scripts["test"]) > 0 && !strings.Contains(m.scripts["test"], "no test specified") {
		return nil, nil
	}
	var have []string
	for _, n := range []string{"jest", "mocha", "vitest", "ava"} {
		if m.has(n) {
			have = append(have, n)
		}
	}
	if len(have) == 1 {
		return &runner{name: have[0], dir: m.dir}, nil
	}
	return nil, nil
}

func at(m manifest, script string) string {
	return fmt.Sprintf("script %q of %s", script, path.Join(m.dir, "package.json"))
}

// foreign names what a test script starts that is no runner known here.
func foreign(m manifest, steps []step) string {
	for _, s := range steps {
		if slices.Contains(uncommon, s.name) {
			return fmt.Sprintf("test runner %s is not supported (%s)", s.name, at(m, s.via))
		}
	}
	for _, s := range steps {
		if _, file, _ := nodeArgs(s.argv[1:]); s.name == "node" && file != "" {
			return fmt.Sprintf("%s runs a program of its own, %s", at(m, s.via), file)
		}
	}
	for _, s := range steps {
		if !checker(s) && !slices.Contains([]string{"npm", "pnpm", "yarn", "turbo", "lerna", "nx", "lage", "rush", "wsrun", "ultra", "moon", "wireit"}, s.name) {
			return fmt.Sprintf("test runner %s is not supported (%s)", s.name, at(m, s.via))
		}
	}
	return ""
}

// checker reports whether a step looks at the code without running it, or tidies up.
func checker(s step) bool {
	switch s.name {
	case "eslint", "prettier", "xo", "standard", "semistandard", "tsd", "biome", "oxlint", "publint", "attw", "markdownlint", "dtslint",
		"tslint", "jshint", "jscs", "cspell", "knip", "depcheck", "size-limit", "bundlewatch", "echo", "rimraf", "rm", "mkdirp", "mkdir", "cp", "cpy",
		"shx", "true", "cd", "exit", "set", "del-cli", "del", "husky", "commitlint", "flow", "coveralls", "codecov", "open-cli", "tsc-silent", "vue-tsc",
		"eslint-ts", "dprint", "remark", "linkinator", "ls-engines", "evalmd", "safe-publish-latest", "installed-check", "c8", "nyc", "npmPkgJsonLint",
		"eclint", "nsp", "snyk", "aud", "better-npm-audit", "lint-staged", "lockfile-lint", "sort-package-json", "test", "sleep", "git", "check-dts", "expect-type":
		return true
	case "tsc":
		return slices.Contains(s.argv, "--noEmit")
	}
	return false
}

// runner is the runner that a step starts, nil where it starts none.
func (s step) runner(dir string) *runner {
	r := &runner{dir: dir, env: s.env, node: s.flags}
	args := s.argv[1:]
	switch s.name {
	case "node", "tsx", "ts-node", "babel-node":
		flags, _, _ := nodeArgs(args)
		if !slices.Contains(flags, "--test") {
			return nil
		}
		r.name = "node"
		r.node = append(loader(s.name), keep(flags, nodeDropped, nodeValued)...)
		r.node = without(r.node, "--test")
	case "mocha", "ts-mocha":
		r.name = "mocha"
		r.flags = keep(args, mochaDropped, mochaValued)
		if s.name == "ts-mocha" {
			r.flags = append([]string{"--require", "ts-mocha/src/index.js"}, r.flags...)
		}
	case "jest", "jest-cli":
		r.name, r.flags = "jest", keep(args, jestDropped, jestValued)
	case "vitest":
		if len(args) > 0 && slices.Contains([]string{"bench", "typecheck", "list", "init"}, args[0]) {
			return nil
		}
		r.name, r.flags = "vitest", keep(args, vitestDropped, vitestValued)
	case "ava":
		r.name, r.flags = "ava", keep(args, avaDropped, avaValued)
	default:
		return nil
	}
	return r
}

// What selects, reports, measures, watches, writes or stops early is ours to say.
var (
	nodeDropped = []string{"--test-reporter", "--test-reporter-destination", "--test-concurrency", "--test-name-pattern", "--test-skip-pattern", "--test-timeout",
		"--watch", "--watch-path", "--experimental-test-coverage", "--test-coverage-*", "--test-isolation", "--experimental-test-isolation", "--test-shard",
		"--test-update-snapshots", "--test-global-setup", "--test-force-exit", "--experimental-test-watch"}
	mochaDropped = []string{"-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-w", "--watch", "--watch-files", "--watch-ignore", "-p", "--parallel", "-j", "--jobs",
		"-g", "--grep", "-f", "--fgrep", "-i", "--invert", "-b", "--bail", "--spec", "--ignore", "--exclude", "--recursive", "-c", "--color", "--colors", "--no-color", "-C",
		"--dry-run", "--fail-zero", "--pass-on-failing-test-suite", "--sort", "-S", "--diff", "--no-diff", "-d", "--forbid-pending"}
	mochaValued = []string{"-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-j", "--jobs", "-g", "--grep", "-f", "--fgrep", "--spec", "--ignore", "--exclude",
		"-r", "--require", "--config", "--package", "--file", "--extension", "-t", "--timeout", "--timeouts", "-s", "--slow", "-u", "--ui", "--retries", "--global", "--globals",
		"-n", "--node-option", "--opts", "--loader", "--experimental-loader", "--import", "--watch-files", "--watch-ignore", "--conditions", "--max-old-space-size", "--compilers", "-p-tsconfig"}
	jestDropped = []string{"--coverage*", "--collectCoverage*", "--watch", "--watchAll", "--reporters", "--verbose", "--silent", "-i", "--runInBand", "-w", "--maxWorkers", "-t",
		"--testNamePattern", "-b", "--bail", "--ci", "--no-ci", "--json", "--outputFile", "--passWithNoTests", "-u", "--updateSnapshot", "-o", "--onlyChanged", "--changedSince", "--lastCommit",
		"--findRelatedTests", "--notify", "--notifyMode", "--shard", "--testPathPattern", "--testPathPatterns", "--runTestsByPath", "--onlyFailures", "-f", "--colors", "--color", "--no-color", "--no-cache",
		"--cache", "--cacheDirectory", "--clearCache", "--logHeapUsage", "--listTests", "--showSeed", "--seed", "--randomize", "--useStderr", "--workerIdleMemoryLimit", "--no-coverage", "--detectOpenHandles", "--openHandlesTimeout",
		"--testPathIgnorePatterns"}
	jestValued = []string{"--coverageDirectory", "--coverageReporters", "--collectCoverageFrom", "--coverageThreshold", "--coverageProvider", "--reporters", "-w", "--maxWorkers", "-t", "--testNamePattern", "--outputFile",
		"--changedSince", "--shard", "--testPathPattern", "--testPathPatterns", "--cacheDirectory", "--seed", "-c", "--config", "--env", "--testEnvironment", "--rootDir", "--projects", "--selectProjects",
		"--ignoreProjects", "--setupFiles", "--setupFilesAfterEnv", "--testTimeout", "--preset", "--transform", "--testMatch", "--testRegex", "--roots", "--moduleNameMapper", "--globals",
		"--testPathIgnorePatterns", "--modulePathIgnorePatterns", "--testRunner", "--resolver", "--maxConcurrency", "--notifyMode", "--workerIdleMemoryLimit", "--globalSetup", "--globalTeardown"}
	vitestDropped = []string{"--coverage*", "-w", "--watch", "--no-watch", "--run", "--reporter", "--reporters", "--outputFile", "-t", "--testNamePattern", "--bail", "-u", "--update", "--ui", "--silent", "--shard",
		"--passWithNoTests", "--changed", "--no-color", "--color", "--open", "--sequence*", "--hideSkippedTests", "--standalone", "--inspect*", "--clearCache", "--logHeapUsage", "--slowTestThreshold", "--exclude",
		"--maxWorkers", "--minWorkers", "--no-coverage", "--api*", "--allowOnly", "--attachmentsDir", "--printConsoleTrace"}
	vitestValued = []string{"--reporter", "--reporters", "--outputFile", "-t", "--testNamePattern", "--shard", "-c", "--config", "-r", "--root", "--dir", "--environment", "--mode", "--project", "--pool", "--workspace",
		"--testTimeout", "--hookTimeout", "--teardownTimeout", "--exclude", "--retry", "--maxWorkers", "--minWorkers", "--coverage.provider", "--coverage.reporter", "--tsconfig", "--setupFiles", "--globalSetup"}
	avaDropped = []string{"-t", "--tap", "-w", "--watch", "-v", "--verbose", "-m", "--match", "--no-color", "--color", "--fail-fast", "-c", "--concurrency", "-u", "--update-snapshots", "--reset-cache", "--init", "-T", "--timeout"}
	avaValued  = []string{"-m", "--match", "-c", "--concurrency", "--config", "--node-arguments", "-T", "--timeout"}
)

// keep takes the dropped flags with their values out of args, and what is no flag.
func keep(args, dropped, valued []string) []string {
	out := []string{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			continue
		}
		if !strings.HasPrefix(a, "-") {
			continue
		}
		name, _, joined := strings.Cut(a, "=")
		n := 1
		if !joined && slices.Contains(valued, name) && i+1 < len(args) {
			n = 2
		}
		drop := slices.ContainsFunc(dropped, func(d string) bool {
			p, many := strings.CutSuffix(d, "*")
			return d == name || many && strings.HasPrefix(name, p)
		})
		if !drop {
			out = append(out, args[i:i+n]...)
		}
		i += n - 1
	}
	return out
}

func without(list []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == word })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// runners finds the runner of the root and, where it only hands on to the packages, theirs. At
// least one is found, else it is a fault that says why.
func (p project) runners() ([]runner, error) {
	root, err := runnerOf(p.root)
	if root != nil {
		return []runner{*root}, nil
	}
	var out []runner
	for _, m := range p.packages {
		r, faulty := runnerOf(m)
		if r != nil {
			out = append(out, *r)
		}
		err = cmp.Or(err, faulty)
	}
	if len(out) == 0 && err == nil {
		err = fault(model.EnvironmentFailed, "no script of package.json names a test runner")
	}
	if len(out) == 0 {
		return nil, err
	}
	slices.SortFunc(out, func(a, b runner) int { return strings.Compare(a.dir, b.dir) })
	return out, nil
}

// runnerFor is the runner of a unit of a tree.
func runnerFor(t lang.Files, unit string) (runner, project, error) {
	p, err := readProject(t)
	if err != nil {
		return runner{}, p, err
	}
	all, err := p.runners()
	if err != nil {
		return runner{}, p, err
	}
	best := all[0]
	for _, r := range all[1:] {
		if within(unit, r.dir) && (len(r.dir) > len(best.dir) || !within(unit, best.dir)) {
			best = r
		}
	}
	return best, p, nil
}

// argv is how the runner is started on {unit}. {select} stands where a run's selection goes.
func (r runner) argv() []string {
	out := append([]string{"node"}, r.node...)
	if r.name == "node" {
		return append(out, "--require", support+"node.cjs", "--test-reporter="+support+"node.cjs", "--test-reporter-destination=stdout", "{unit}")
	}
	out = append(out, support+"run.cjs", r.name)
	switch r.name {
	case "mocha":
		out = append(out, r.flags...)
		out = append(out, "--reporter", support+"mocha.cjs", "--no-parallel", "--no-bail")
	case "jest":
		out = append(out, r.flags...)
		out = append(out, "--ci", "--runInBand", "--reporters="+support+"jest.cjs", "--coverage=false", "--bail=0", "--testLocationInResults")
	case "vitest":
		out = append(out, "run")
		out = append(out, r.flags...)
		out = append(out, "--reporter="+support+"vitest.mjs", "--coverage.enabled=false", "--bail=0", "--includeTaskLocation")
	case "ava":
		out = append(out, r.flags...)
		out = append(out, "--tap")
	}
	return append(out, "{unit}")
}

const support = "{env}/taskmill/"
