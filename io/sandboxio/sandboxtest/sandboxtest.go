package sandboxtest

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/model"
)

// A Subject is a kind of sandbox and what it promises.
type Subject struct {
	Kind     string
	Isolated bool // network, home and work folder are out of reach
	Options  sandboxio.Options
}

// A suite is one opened sandbox.
type suite struct {
	Subject
	archives Archives
	sandbox  sandboxio.Preparer
	salt     string // in every recipe, since engines remember environments
}

// Test runs the contract. An engine that is missing is a loud skip of the caller's.
func Test(t *testing.T, subject Subject) {
	s := open(t, subject)
	t.Run("prepare", s.prepare)
	t.Run("tree", s.tree)
	t.Run("runs", s.runs)
	t.Run("report", s.report)
	t.Run("limits", s.limits)
	t.Run("hostile", s.hostile)
	t.Run("secrets", s.secrets)
	t.Run("cancel", s.cancel)
}

func open(t *testing.T, subject Subject) *suite {
	t.Helper()
	s := &suite{Subject: subject, archives: Archives{}, salt: rand.Text()}
	o := subject.Options
	if o.Work == "" {
		o.Work = t.TempDir()
	}
	o.Archives = s.archives
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s.Options = o
	p, err := sandboxio.Open(t.Context(), subject.Kind, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.(io.Closer).Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.sandbox = p
	return s
}

func sh(script string) model.Command {
	return model.Command{Argv: []string{"sh", "-c", script}}
}

// recipe is a tiny environment: a file that preparing made, and a build that counts.
func (s *suite) recipe() model.Recipe {
	return model.Recipe{
		Language:  "sh",
		Manifests: []model.File{{Path: "deps.txt", Data: []byte("dep 1\n")}},
		Files:     []model.File{{Path: "plugin.sh", Data: []byte("echo plugin # " + s.salt + "\n")}},
		Prepare:   []model.Command{sh("cp {testbed}/deps.txt {env}/dep && mkdir -p {env}/cache && echo warm > {env}/cache/a")},
		Lock:      sh("cat {env}/dep"),
		FromLock:  []model.Command{sh("cp {env}/lock {env}/dep && mkdir -p {env}/cache && echo locked > {env}/cache/a")},
		Protocol: model.Protocol{
			Language: "sh",
			Env:      []string{"FROM_PROTOCOL={env}/x"},
			Build:    []model.Command{sh("cat src.txt > built.txt && echo built > {env}/cache/b && echo made in {testbed} with {env}")},
			Limits:   model.Limits{Wall: 20 * time.Second},
		},
	}
}

var files = Files{
	"src.txt": "source\n", "deps.txt": "dep 1\n", "run.sh": "#!/bin/sh\necho ran\n",
	"gone/only.txt": "x\n", "gone/deep/er.txt": "y\n", "kept/a.txt": "a\n", "kept/b.txt": "b\n", "link": "-> src.txt",
	"file-or-folder": "file\n", "folder-or-file/x": "x\n",
}

func (s *suite) environment(t *testing.T, r model.Recipe, f Files, lock []byte) (sandboxio.Environment, model.Tree) {
	t.Helper()
	tree := s.archives.Add(t, f)
	e, err := s.sandbox.Prepare(t.Context(), model.Base{Repo: "a/b", Tree: tree.Hash, Language: r.Language, Recipe: r}, lock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e, tree
}

func state(t *testing.T, e sandboxio.Environment, tree model.Tree) sandboxio.State {
	t.Helper()
	s, err := e.Open(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// plain is a state of the default files without a build.
func (s *suite) plain(t *testing.T) sandboxio.State {
	t.Helper()
	r := s.recipe()
	r.Protocol.Build = nil
	e, tree := s.environment(t, r, files, nil)
	return state(t, e, tree)
}

func execute(t *testing.T, s sandboxio.State, script string) model.Outcome {
	t.Helper()
	return executeRun(t, s, model.Run{Unit: "u", Command: sh(script)})
}

func executeRun(t *testing.T, s sandboxio.State, r model.Run) model.Outcome {
	t.Helper()
	o, err := s.Execute(context.WithoutCancel(t.Context()), r)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func wantLog(t *testing.T, o model.Outcome, outcome, want string) {
	t.Helper()
	if got := strings.TrimSpace(string(o.Log)); o.Outcome != outcome || got != want {
		t.Errorf("outcome %s (%s), log %q; want %s, %q", o.Outcome, o.Detail, got, outcome, want)
	}
}

func hostFile(t *testing.T, dir, marker string) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "planted-")
	if err != nil {
		t.Skipf("plant a marker in %s: %v", dir, err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.WriteString(marker); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
