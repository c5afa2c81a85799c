package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/taskmill/taskmill/model"
)

// A host prepares and runs on this machine: in bubblewrap's namespaces, or locally without
// isolation. Both stand on the same folders and layers.
type host struct {
	kind    string
	opt     Options
	trees   *treeStore
	layers  layering
	bwrap   []string // bubblewrap with the flags that it knows here
	etc     string   // minimal /etc
	states  string   // this process's folder of states
	unlock  func()
	jobs    chan struct{} // nil: no bound
	count   atomic.Int64
	clock   string // libfaketime
	prlimit string
}

func openHost(ctx context.Context, kind string, o Options) (*host, error) {
	h := &host{
		kind: kind, opt: o, clock: findFaketime(), prlimit: findProgram("prlimit"),
		trees:  &treeStore{work: o.Work, archives: o.Archives, loaded: map[model.Hash]*baseTree{}},
		layers: findLayering(ctx, o.Work, o.Copies),
	}
	if o.Jobs > 0 {
		h.jobs = make(chan struct{}, o.Jobs)
	}
	if kind == "bwrap" {
		var err error
		if h.bwrap, err = findBwrap(ctx); err != nil {
			return nil, err
		}
	} else {
		o.Log.Warn("sandbox local: repositories and their tests run on this machine without isolation")
	}
	if err := h.ownFolder(); err != nil {
		return nil, err
	}
	h.sweep()
	if err := h.makeEtc(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Kind is bwrap or local.
func (h *host) Kind() string { return h.kind }

// ownFolder makes this process's folder of states. Its lock is held as long as the process
// lives, however it ends.
func (h *host) ownFolder() error {
	parent := filepath.Join(h.opt.Work, "states")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("open sandbox: %w", err)
	}
	name := filepath.Join(parent, strings.TrimPrefix(randomName(), "report-"))
	unlock, err := lockFile(context.Background(), name+".lock")
	if err != nil {
		return fmt.Errorf("open sandbox: %w", err)
	}
	h.states, h.unlock = name, unlock
	if err := os.Mkdir(name, 0o755); err != nil {
		return errors.Join(fmt.Errorf("open sandbox: %w", err), h.Close())
	}
	return nil
}

// sweep removes the states and groups of processes that died.
func (h *host) sweep() {
	locks, _ := filepath.Glob(filepath.Join(h.opt.Work, "states", "*.lock"))
	for _, name := range locks {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			h.opt.Log.Info("sandbox: removed the states of a process that died")
			removeAll(strings.TrimSuffix(name, ".lock"))
			os.Remove(name)
		}
		f.Close()
	}
	parents := findGroups()
	for _, parent := range []string{parents.memory, parents.pids} {
		groups, _ := filepath.Glob(filepath.Join(parent, "taskmill-*"))
		for _, dir := range groups {
			if owner := strings.TrimPrefix(filepath.Base(dir), "taskmill-"); parent == "" || alive(owner) {
				continue
			}
			g := &group{memory: dir}
			for _, pid := range g.members() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			g.remove()
		}
	}
}

// Close removes the folder of states.
func (h *host) Close() error {
	err := removeAll(h.states)
	os.Remove(h.states + ".lock")
	h.unlock()
	return err
}

// findBwrap is the bubblewrap command with the flags of every use, when it works here.
func findBwrap(ctx context.Context) ([]string, error) {
	name, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("open bubblewrap: not installed: install the package bubblewrap")
	}
	common := []string{name, "--unshare-all", "--die-with-parent", "--new-session", "--uid", fmt.Sprint(userID), "--gid", fmt.Sprint(userID), "--hostname", userName}
	var out []byte
	for _, flags := range [][]string{{"--disable-userns"}, nil} {
		try := append(append(append([]string{}, common...), "--unshare-user"), flags...)
		args := append(append(append([]string{}, try[1:]...), systemBinds()...), "--proc", "/proc", "--dev", "/dev", "true")
		if out, err = exec.CommandContext(ctx, name, args...).CombinedOutput(); err == nil {
			return try, nil
		}
	}
	return nil, fmt.Errorf("open bubblewrap: this machine does not let it make namespaces: %w: %s", err, lastLine(out))
}

// systemBinds shows the system's program and library folders, read-only.
func systemBinds() []string {
	var out []string
	for _, dir := range systemRoots {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if target, err := os.Readlink(dir); err == nil {
				out = append(out, "--symlink", target, dir)
			}
		case info.IsDir():
			out = append(out, "--ro-bind", dir, dir)
		}
	}
	return out
}

func findProgram(name string) string {
	found, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return found
}
