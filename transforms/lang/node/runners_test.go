package node

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
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

// The real runners, as installed today, give the results that were recorded.
func TestRunners(t *testing.T) {
	recordings(t, func(t *testing.T, file string, a *txtar.Archive, r recording) {
		var in []model.File
		for _, f := range a.Files {
			if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
				in = append(in, model.File{Path: p, Data: f.Data})
			}
		}
		recipe, err := Recipe("javascript", tree.Of(in...))
		if err != nil {
			t.Fatal(err)
		}
		b := runnersBox(t, tree.Of(in...))
		b.wall = time.Minute
		b.build(recipe.Protocol)
		if r.Wall != "" {
			if b.wall, err = time.ParseDuration(r.Wall); err != nil {
				t.Fatal(err)
			}
		}
		res, o := b.execute(recipe.Protocol, r.run())
		if diff := cmp.Diff(string(section(a, "want")), told(res)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s\n%s", diff, o.Report, o.Log)
		}
		if _, err := os.Stat(filepath.Join(b.testbed, "__snapshots__")); err == nil {
			t.Error("a snapshot was written")
		}
	})
}
