package node

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
	wall         time.Duration
}

func newBox(t testing.TB, files lang.Files) *box {
	t.Helper()
	for _, p := range []string{"node", "npm"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed: nothing of Node's runners is tested", p)
		}
	}
	dir := t.TempDir()
	b := &box{t: t, env: filepath.Join(dir, "env"), testbed: filepath.Join(dir, "testbed"), wall: time.Minute}
	b.lay(files)
	return b
}

func writeFile(t testing.TB, name string, data []byte) {
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
		writeFile(b.t, filepath.Join(b.testbed, p), f.Data)
	}
}

func (b *box) run(c model.Command, report string) model.Outcome {
	b.t.Helper()
	fill := strings.NewReplacer("{env}", b.env, "{testbed}", b.testbed, "{report}", report, "{tmp}", os.TempDir())
	var argv []string
	for _, a := range c.Argv {
		argv = append(argv, fill.Replace(a))
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), b.wall)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Dir = filepath.Join(b.testbed, c.Dir)
	// Only what a sandbox gives too; the client's settings are the machine's.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name == "PATH" || name == "HOME" || strings.HasPrefix(strings.ToLower(name), "npm_config_") || strings.HasSuffix(name, "_CERT_FILE") || name == "NODE_EXTRA_CA_CERTS" {
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
	case ctx.Err() != nil:
		o.Outcome, o.ExitCode = model.OutcomeTimeout, -1
	case errors.As(err, &exit):
		o.Outcome, o.ExitCode = model.OutcomeFailed, exit.ExitCode()
		if o.ExitCode < 0 {
			o.Outcome = model.OutcomeKilled
		}
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
func (b *box) prepare(r model.Recipe, lock []byte) ([]byte, error) {
	b.t.Helper()
	for _, f := range r.Files {
		writeFile(b.t, filepath.Join(b.env, "taskmill", f.Path), f.Data)
	}
	steps := r.Prepare
	if lock != nil {
		writeFile(b.t, filepath.Join(b.env, "lock"), lock)
		steps = r.FromLock
	}
	b.wall = 5 * time.Minute
	for _, c := range steps {
		if o := b.run(c, ""); o.ExitCode != 0 {
			return nil, errors.New(strings.Join(c.Argv, " ") + ":\n" + string(o.Log))
		}
	}
	o := b.run(r.Lock, "")
	if o.ExitCode != 0 {
		return nil, errors.New("lock:\n" + string(o.Log))
	}
	return o.Log, nil
}

// build follows a protocol's build.
func (b *box) build(p model.Protocol) {
	b.t.Helper()
	for _, c := range p.Build {
		if o := b.run(c, ""); o.ExitCode != 0 {
			b.t.Fatalf("%v ended with %d:\n%s", c.Argv, o.ExitCode, o.Log)
		}
	}
}

func (b *box) execute(p model.Protocol, r model.Run) (lang.Result, model.Outcome) {
	b.t.Helper()
	o := b.run(Command(p, r), filepath.Join(b.t.TempDir(), "report"))
	return Read(r, o), o
}

// files makes a tree of path, content, path, content …
func files(pairs ...string) *tree.Tree {
	var out []model.File
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, model.File{Path: pairs[i], Data: []byte(pairs[i+1])})
	}
	return tree.Of(out...)
}
