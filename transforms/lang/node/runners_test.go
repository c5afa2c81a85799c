package node

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang/langtest"
	"github.com/taskmill/taskmill/transforms/tree"
)

// manifestOfAll has every runner, at the versions of the recordings.
const manifestOfAll = `{"name": "all", "private": true, "scripts": {"test": "vitest"}, "devDependencies": {
"@types/jest": "29.5.14", "@types/mocha": "10.0.10", "@types/node": "20.19.0", "ava": "6.4.1", "jest": "29.7.0", "mocha": "10.8.2",
"ts-jest": "29.4.0", "ts-node": "10.9.2", "tsx": "4.20.3", "typescript": "5.8.3", "vitest": "3.2.4"}}`

var shared struct {
	sync.Once
	env, why string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.env != "" {
		os.RemoveAll(shared.env)
	}
	os.Exit(code)
}

// runnersBox is a box whose environment, all runners, the tests share.
func runnersBox(t *testing.T, in *tree.Tree) *box {
	t.Helper()
	if testing.Short() {
		t.Skip("short: the runners are not installed")
	}
	b := newBox(t, in)
	shared.Do(func() {
		dir, err := os.MkdirTemp("", "taskmill-node-")
		if err != nil {
			t.Fatal(err)
		}
		shared.env = dir
		r, err := Recipe("javascript", files("package.json", manifestOfAll))
		if err != nil {
			t.Fatal(err)
		}
		all := newBox(t, files("package.json", manifestOfAll))
		all.env = dir
		if _, err := all.prepare(r, nil); err != nil {
			shared.why = err.Error()
		}
	})
	if shared.why != "" {
		t.Skipf("the runners cannot be installed: nothing of them is tested:\n%s", shared.why)
	}
	b.env = shared.env
	return b
}

var every = flag.Bool("every", false, "run every recording on the real runners, not those of the main kinds alone (minutes)")

// The real runners, as installed today, give the results that were recorded.
func TestRunners(t *testing.T) {
	main := []string{"verdicts", "hooks", "abort", "load", "planted"}
	langtest.Each(t, "testdata", func(t *testing.T, file string, a *txtar.Archive) {
		_, kind, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-")
		// AVA takes a minute to notice that a worker has aborted.
		if !*every && (!slices.Contains(main, kind) || filepath.Base(file) == "ava-abort.txtar") {
			t.Skip("not of the main kinds; -every runs it")
		}
		run, in, err := langtest.Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		recipe, err := Recipe("javascript", tree.Of(in...))
		if err != nil {
			t.Fatal(err)
		}
		b := runnersBox(t, tree.Of(in...))
		b.wall = time.Minute
		b.build(recipe.Protocol)
		b.wall = run.Limits.Wall
		res, o := b.execute(recipe.Protocol, run)
		if diff := cmp.Diff(string(langtest.Section(a, "want")), langtest.Told(res)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s\n%s", diff, o.Report, o.Log)
		}
		if _, err := os.Stat(filepath.Join(b.testbed, "__snapshots__")); err == nil {
			t.Error("a snapshot was written")
		}
	})
}

// An environment follows its lock the second time, holds no release of the project itself, and
// workspaces lead into the tree.
func TestPrepare(t *testing.T) {
	if testing.Short() {
		t.Skip("short: nothing is installed")
	}
	in := files("package.json", `{"name": "ms", "version": "9.0.0", "workspaces": ["packages/*"], "scripts": {"test": "node --test"}, "devDependencies": {"debug": "4.3.4"}}`,
		"index.js", "module.exports = () => 'the tree';\n",
		"packages/a/package.json", `{"name": "a", "version": "1.0.0", "main": "a.js"}`, "packages/a/a.js", "module.exports = 'a of the tree';\n",
		"test/a.test.js", "const { test } = require('node:test');\ntest('loads', () => { if (require('ms')() !== 'the tree' || require('a') !== 'a of the tree') throw new Error('no'); require('debug'); });\n")
	r, err := Recipe("javascript", in)
	if err != nil {
		t.Fatal(err)
	}
	b := newBox(t, in)
	lock, err := b.prepare(r, nil)
	if err != nil {
		t.Skipf("nothing can be installed: %v", err)
	}
	for _, want := range []string{"debug@4.3.4", "sha512-"} {
		if !bytes.Contains(lock, []byte(want)) {
			t.Errorf("lock lacks %s:\n%s", want, lock)
		}
	}
	if bytes.Contains(lock, []byte(b.env)) || bytes.Contains(lock, []byte(b.testbed)) {
		t.Error("the lock names a folder of this machine")
	}
	if err := os.RemoveAll(b.env); err != nil {
		t.Fatal(err)
	}
	again, err := b.prepare(r, lock)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(lock), string(again)); diff != "" {
		t.Errorf("lock (-first +again):\n%s", diff)
	}
	b.build(r.Protocol)
	if o := b.run(r.Probe, ""); o.ExitCode != 0 {
		t.Errorf("probe: %s", o.Log)
	}
	if res, o := b.execute(r.Protocol, model.Run{Unit: "test/a.test.js"}); len(res.Checks) != 1 || res.Checks[0].Verdict != model.Pass {
		t.Errorf("%+v\n%s", res, o.Log)
	}
	if at, err := os.Readlink(filepath.Join(b.env, "deps/node_modules/ms")); err != nil || at != b.testbed {
		t.Errorf("ms is at %s, %v", at, err)
	}
}

// Scripts that call yarn or pnpm find them while a state is built, although neither is installed.
func TestManagersOfScripts(t *testing.T) {
	in := files("package.json", `{"name": "calls", "version": "1.0.0", "main": "out/all.js", "scripts": {
"test": "node --test", "build": "yarn first && yarn run named 'one two' && pnpm exec made -- \"it's\" && cd sub && pnpm -s run inner --flag",
"first": "node note.js first", "prenamed": "node note.js pre", "named": "node note.js named"}}`,
		"note.js", "require('fs').appendFileSync(__dirname + '/notes', process.argv.slice(2).join('|') + '\\n');\n",
		"sub/package.json", `{"scripts": {"inner": "node ../note.js inner"}}`,
		"node_modules/.bin/made", "#!/bin/sh\nexec node note.js made \"$@\"\n",
		"test/a.test.js", "require('../out/all.js');\n")
	r, err := Recipe("javascript", in)
	if err != nil {
		t.Fatal(err)
	}
	b := newBox(t, in)
	if err := os.Chmod(filepath.Join(b.testbed, "node_modules/.bin/made"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.prepare(r, nil); err != nil {
		t.Fatal(err)
	}
	b.build(r.Protocol)
	notes, err := os.ReadFile(filepath.Join(b.testbed, "notes"))
	if d := cmp.Diff("first\npre\nnamed|one two\nmade|it's\ninner|--flag\n", string(notes)); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}
