package jvm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

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

// archive is the tree of a txtar file.
func archive(t testing.TB, name string) *tree.Tree {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []model.File
	for _, f := range a.Files {
		out = append(out, model.File{Path: f.Name, Mode: model.ModeFile, Data: f.Data})
	}
	return tree.Of(out...)
}

var preparing sync.Mutex

// newBox lays a tree beside the environment of its recipe, which is prepared once and kept in the
// user's cache folder. It skips where there is no JDK, no Maven, or no registry.
func newBox(t testing.TB, r Runner, in *tree.Tree) (*box, model.Recipe) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: nothing is run with Maven and JUnit")
	}
	for _, program := range []string{"javac", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: no Java runner is tested", program)
		}
	}
	recipe, err := r.Recipe(in)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	b := &box{t: t, testbed: filepath.Join(t.TempDir(), "testbed"), wall: 10 * time.Minute}
	b.env = filepath.Join(cache, "taskmill-test", "jvm-"+recipe.ID().Short(16))
	preparing.Lock()
	defer preparing.Unlock()
	b.lay(in)
	if _, err := os.Stat(filepath.Join(b.env, "lock")); err == nil {
		return b, recipe
	}
	if err := os.RemoveAll(b.env); err != nil {
		t.Fatal(err)
	}
	for _, f := range recipe.Files {
		write(t, filepath.Join(b.env, "taskmill", f.Path), f.Data)
	}
	for i, c := range recipe.Prepare {
		o := b.run(c, "")
		if o.ExitCode != 0 && i > 0 {
			t.Fatalf("%v ended with %d:\n%s", c.Argv, o.ExitCode, o.Log)
		}
		if o.ExitCode != 0 { // the first fetches Maven
			t.Skipf("no environment can be prepared: no Java runner is tested: %v ended with %d:\n%s", c.Argv[:1], o.ExitCode, o.Log)
		}
	}
	write(t, filepath.Join(b.env, "lock"), b.run(recipe.Lock, "").Report)
	b.lay(in)
	return b, recipe
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
		write(b.t, filepath.Join(b.testbed, p), f.Data)
	}
}

// run starts a command as a sandbox does: in a process group that its limit kills.
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
	cmd.Dir = filepath.Join(b.testbed, c.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(), "MAVEN_ARGS=" + os.Getenv("MAVEN_ARGS")}
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, fill.Replace(v))
	}
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	o := model.Outcome{Outcome: model.OutcomeOK, Report: out.Bytes()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		o.Outcome, o.ExitCode = model.OutcomeTimeout, -1
	case errors.As(err, &exit):
		o.Outcome, o.ExitCode = model.OutcomeFailed, exit.ExitCode()
	case err != nil:
		b.t.Fatal(err)
	}
	o.Log = append(bytes.Clone(out.Bytes()), log.Bytes()...)
	if report != "" {
		if o.Report, err = os.ReadFile(report); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.t.Fatal(err)
		}
	}
	return o
}

// build builds the tree that is laid.
func (b *box) build(p model.Protocol) model.Outcome {
	b.t.Helper()
	return b.run(Runner{}.Command(p, model.Run{}), "")
}

func (b *box) execute(p model.Protocol, r model.Run) (lang.Result, model.Outcome) {
	b.t.Helper()
	o := b.run(Runner{}.Command(p, r), filepath.Join(b.t.TempDir(), "report"))
	return Runner{}.Read(r, o), o
}
