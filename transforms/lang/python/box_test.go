package python

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A box is the plainest sandbox: two folders and no isolation.
type box struct {
	t            testing.TB
	env, testbed string
}

func newBox(t testing.TB, files lang.Files) *box {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed: nothing of pytest is tested")
	}
	if out, err := exec.Command("python3", "-c", "import venv, ensurepip").CombinedOutput(); err != nil {
		t.Skipf("python3 lacks venv: nothing of pytest is tested: %s", out)
	}
	dir := t.TempDir()
	b := &box{t: t, env: filepath.Join(dir, "env"), testbed: filepath.Join(dir, "testbed")}
	b.lay(files)
	return b
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// lay puts a tree in the place of the last one.
func (b *box) lay(files lang.Files) {
	b.t.Helper()
	if err := os.RemoveAll(b.testbed); err != nil {
		b.t.Fatal(err)
	}
	for _, p := range files.Paths() {
		f, _, err := files.Read(p)
		if err != nil {
			b.t.Fatal(err)
		}
		if f.Mode == model.ModeSymlink || f.Mode == model.ModeSubmodule {
			continue
		}
		write(b.t, filepath.Join(b.testbed, p), f.Data)
	}
}

func (b *box) run(c model.Command, report string) model.Outcome {
	b.t.Helper()
	fill := strings.NewReplacer("{env}", b.env, "{testbed}", b.testbed, "{report}", report, "{tmp}", os.TempDir())
	var argv []string
	for _, a := range c.Argv {
		argv = append(argv, fill.Replace(a))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(b.testbed, c.Dir)
	// Only what a sandbox gives too; pip's settings are the machine's.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name == "PATH" || name == "HOME" || strings.HasPrefix(name, "PIP_") || strings.HasSuffix(name, "_CERT_FILE") || strings.HasSuffix(name, "CA_BUNDLE") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, fill.Replace(v))
	}
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	start := time.Now()
	err := cmd.Run()
	o := model.Outcome{Outcome: model.OutcomeOK, Seconds: time.Since(start).Seconds()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.Outcome, o.ExitCode = model.OutcomeFailed, exit.ExitCode()
	case err != nil:
		b.t.Fatal(err)
	}
	o.Log = append(out.Bytes(), log.Bytes()...)
	if report != "" {
		o.Report, err = os.ReadFile(report)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			b.t.Fatal(err)
		}
	}
	return o
}

// prepare follows a recipe as a sandbox does and returns the lock.
func (b *box) prepare(r model.Recipe, lock []byte) []byte {
	b.t.Helper()
	for _, f := range r.Files {
		write(b.t, filepath.Join(b.env, "taskmill", f.Path), f.Data)
	}
	steps := r.Prepare
	if lock != nil {
		write(b.t, filepath.Join(b.env, "lock"), lock)
		steps = r.FromLock
	}
	for _, c := range steps {
		if o := b.run(c, ""); o.ExitCode != 0 {
			b.t.Fatalf("%v ended with %d:\n%s", c.Argv, o.ExitCode, o.Log)
		}
	}
	o := b.run(r.Lock, "")
	if o.ExitCode != 0 {
		b.t.Fatalf("lock ended with %d:\n%s", o.ExitCode, o.Log)
	}
	return o.Log
}

func (b *box) execute(p model.Protocol, r model.Run) (lang.Result, model.Outcome) {
	b.t.Helper()
	o := b.run(Language{}.Command(p, r), filepath.Join(b.t.TempDir(), "report"))
	return Language{}.Read(r, o), o
}

// files makes a tree of path, content, path, content …
func files(pairs ...string) *tree.Tree {
	var out []model.File
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, model.File{Path: pairs[i], Data: []byte(pairs[i+1])})
	}
	return tree.Of(out...)
}
