package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A box is the plainest sandbox: a shared environment and a tree, and no isolation. The cases are
// ours.
type box struct{ env, dir string }

func newBox(env string, files []model.File) (*box, error) {
	dir, err := os.MkdirTemp("", "record-tree-")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := write(filepath.Join(dir, "testbed", f.Path), f.Data); err != nil {
			return nil, err
		}
	}
	return &box{env, dir}, nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// all runs commands that must end well.
func (b *box) all(ctx context.Context, commands []model.Command, wall time.Duration) error {
	for _, c := range commands {
		if o, err := b.run(ctx, c, wall); err != nil || o.ExitCode != 0 {
			return fmt.Errorf("%v ended with %d: %v\n%s", c.Argv, o.ExitCode, err, o.Log)
		}
	}
	return nil
}

func (b *box) close() { os.RemoveAll(b.dir) }

// run executes a command and names its folders as a sandbox does.
func (b *box) run(ctx context.Context, c model.Command, wall time.Duration) (model.Outcome, error) {
	testbed, report := filepath.Join(b.dir, "testbed"), filepath.Join(b.dir, "report")
	if err := os.RemoveAll(report); err != nil {
		return model.Outcome{}, err
	}
	fill := strings.NewReplacer("{env}", b.env, "{testbed}", testbed, "{report}", report, "{tmp}", b.dir)
	var argv []string
	for _, a := range c.Argv {
		argv = append(argv, fill.Replace(a))
	}
	limited, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	cmd.Dir = filepath.Join(testbed, c.Dir)
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"))
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(strings.ToLower(name), "npm_config_") || strings.HasSuffix(name, "_CERT_FILE") || name == "NODE_EXTRA_CA_CERTS" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, fill.Replace(v))
	}
	var log, out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	o := model.Outcome{Outcome: model.OutcomeOK}
	var exit *exec.ExitError
	switch {
	case limited.Err() != nil:
		o.Outcome, o.ExitCode = model.OutcomeTimeout, -1
	case errors.As(err, &exit):
		if o.Outcome, o.ExitCode = model.OutcomeFailed, exit.ExitCode(); o.ExitCode < 0 {
			o.Outcome = model.OutcomeKilled
		}
	case err != nil:
		return o, fmt.Errorf("start %s: %w", argv[0], err)
	}
	o.Log = append(out.Bytes(), log.Bytes()...)
	o.Report = out.Bytes()
	if !c.ReportStdout {
		if o.Report, err = os.ReadFile(report); err != nil && !errors.Is(err, os.ErrNotExist) {
			return o, err
		}
	}
	o.Report = []byte(strings.NewReplacer(testbed, "/testbed", b.env, "/env", b.dir, "/tmp").Replace(string(o.Report)))
	return o, nil
}
