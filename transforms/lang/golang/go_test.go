package golang

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A machine stands in for a sandbox: a folder for the environment, one for the tree.
type machine struct {
	t            *testing.T
	env, testbed string
	extra        []string // of the sandbox itself
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not installed")
	}
	return &machine{t: t, env: t.TempDir(), testbed: t.TempDir()}
}

// share lets the machine use the build cache of the tests themselves, for speed.
func (m *machine) share() *machine {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	m.extra = append(m.extra, "GOCACHE="+strings.TrimSpace(string(cache)))
	return m
}

// do runs a command as a sandbox would.
func (m *machine) do(c model.Command, limit time.Duration) model.Outcome {
	m.t.Helper()
	r := strings.NewReplacer("{env}", m.env, "{testbed}", m.testbed)
	argv := make([]string, len(c.Argv))
	for i, a := range c.Argv {
		argv[i] = r.Replace(a)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(m.testbed, c.Dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.env, "TMPDIR=" + os.TempDir()}
	for _, e := range c.Env {
		cmd.Env = append(cmd.Env, r.Replace(e))
	}
	cmd.Env = append(cmd.Env, m.extra...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.WaitDelay = time.Second
	killed := false
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { killed = true; cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	o := model.Outcome{Outcome: model.OutcomeOK, ExitCode: cmd.ProcessState.ExitCode(), Report: out.Bytes(), Log: log.Bytes()}
	var exit *exec.ExitError
	switch {
	case killed:
		o.Outcome = model.OutcomeTimeout
	case errors.As(err, &exit):
		o.Outcome = model.OutcomeFailed
	case err != nil:
		m.t.Fatal(err)
	}
	return o
}

// run lays a tree and runs a unit of it.
func (m *machine) run(tr *tree.Tree, r model.Run) lang.Result {
	m.t.Helper()
	var l Language
	rec, err := l.Recipe(tr)
	if err != nil {
		m.t.Fatal(err)
	}
	writeTree(m.t, tr, m.testbed)
	r.Command = l.Command(rec.Protocol, r)
	return l.Read(r, m.do(r.Command, 0))
}

// archive is the tree of a txtar text.
func archive(text string) *tree.Tree {
	var files []model.File
	for _, f := range txtar.Parse([]byte(text)).Files {
		files = append(files, model.File{Path: f.Name, Data: f.Data})
	}
	return tree.Of(files...)
}
