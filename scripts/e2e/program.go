package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// An ending is how a program ended and what it said.
type ending struct {
	code        int
	out, errOut string
}

// taskmill runs the command to its end; any exit code but 0 is an error.
func (b *bench) taskmill(ctx context.Context, args ...string) (ending, error) {
	e, err := program(ctx, b.app, args...)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("taskmill %s: exit %d: %s", strings.Join(args, " "), e.code, lastLines(e.errOut+e.out, 15))
	}
	return e, err
}

// program runs a program to its end. Output goes by files: what a killed program left running
// would hold a pipe open.
func program(ctx context.Context, name string, args ...string) (ending, error) {
	cmd, end, err := start(ctx, name, args...)
	if err != nil {
		return ending{}, err
	}
	cmd.Wait()
	return end()
}

// start starts a program; end, called after its Wait, gives the ending.
func start(ctx context.Context, name string, args ...string) (*exec.Cmd, func() (ending, error), error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp("", "taskmill-e2e-out-*")
		if err != nil {
			return nil, nil, err
		}
		os.Remove(f.Name())
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", name, err)
	}
	return cmd, func() (ending, error) {
		e := ending{code: cmd.ProcessState.ExitCode()}
		for i, into := range []*string{&e.out, &e.errOut} {
			text, err := readFrom(files[i])
			if err != nil {
				return e, err
			}
			*into = text
		}
		return e, context.Cause(ctx)
	}, nil
}

func readFrom(f *os.File) (string, error) {
	defer f.Close()
	if _, err := f.Seek(0, 0); err != nil {
		return "", err
	}
	var buf bytes.Buffer
	_, err := buf.ReadFrom(f)
	return buf.String(), err
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return "\n    " + strings.Join(lines[max(0, len(lines)-n):], "\n    ")
}

// A server is a program that listens until it is stopped.
type server struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// starts is how often a server is started: its port may be the source port of some connection
// for a while, since it lies in the range from which the kernel takes those.
const starts = 10

// serve starts a program and waits until addr answers, anew where it ended before that. Its log
// is kept beside the corpora.
func (b *bench) serve(ctx context.Context, addr, name string, args ...string) (*server, error) {
	var s *server
	var err error
	for range starts {
		if s, err = b.serveOnce(ctx, addr, name, args...); err == nil || ctx.Err() != nil {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(3 * time.Second):
		}
	}
	return nil, err
}

func (b *bench) serveOnce(ctx context.Context, addr, name string, args ...string) (*server, error) {
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		return nil, fmt.Errorf("start %s: another program listens on %s", filepath.Base(name), addr)
	}
	log, err := os.CreateTemp(b.dir, filepath.Base(name)+"-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = b.dir                                       // boot leaves a file where it stands
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its workers end with it
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	s := &server{cmd: cmd, log: log.Name(), ended: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(s.ended)
	}()
	for range 600 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return s, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("start %s: it ended before it answered on %s: %s", name, addr, s.tail())
		case <-ctx.Done():
			s.stop()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	s.stop()
	return nil, fmt.Errorf("start %s: nothing answers on %s: %s", name, addr, s.tail())
}

func (s *server) stop() {
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.ended
}

func (s *server) tail() string {
	text, _ := os.ReadFile(s.log)
	return lastLines(string(text), 15)
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress() (addr, port string, err error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return "", "", err
	}
	defer l.Close()
	port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	return "localhost:" + port, port, nil
}
