package sandboxio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// A hostEnvironment is a prepared folder.
type hostEnvironment struct {
	h      *host
	recipe model.Recipe
	tool   toolchain
	dir    string // <work>/environments/<name>: env, lock, facts.json
	live   string // where local commands see their folders
	lock   []byte
	facts  Facts
}

func (e *hostEnvironment) Lock() []byte { return slices.Clone(e.lock) }
func (e *hostEnvironment) Facts() Facts {
	f := e.facts
	f.Clock = e.h.clock != ""
	return f
}

// Close keeps the folder: it is prepared once for all.
func (e *hostEnvironment) Close() error { return nil }

// Walk visits the prepared folder; paths are as a command sees them in bubblewrap.
func (e *hostEnvironment) Walk(ctx context.Context, visit func(path string, size int64, open func() (io.ReadCloser, error)) error) error {
	root, err := os.OpenRoot(filepath.Join(e.dir, "env"))
	if err != nil {
		return fmt.Errorf("walk environment: %w", err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("walk environment: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		return visit(envDir+"/"+p, info.Size(), func() (io.ReadCloser, error) { return root.Open(p) })
	})
}

// Prepare finds or makes the folder of b's recipe.
func (h *host) Prepare(ctx context.Context, b model.Base, lock []byte) (Environment, error) {
	tool, err := findToolchain(ctx, b.Recipe.Language)
	if err != nil {
		return nil, err
	}
	name := model.Digest([]string{string(b.Recipe.ID()), tool.version}).Short(20) + "-" + h.kind
	parent := filepath.Join(h.opt.Work, "environments")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("prepare environment: %w", err)
	}
	unlock, err := lockFile(ctx, filepath.Join(parent, name+".lock"))
	if err != nil {
		return nil, fmt.Errorf("prepare environment: %w", err)
	}
	defer unlock()
	e := &hostEnvironment{h: h, recipe: b.Recipe, tool: tool}
	for _, suffix := range []string{"", "-" + model.Sum(lock).Short(8)} {
		if suffix != "" && lock == nil {
			break
		}
		e.dir, e.live = filepath.Join(parent, name+suffix), filepath.Join(h.opt.Work, "live", name+suffix)
		found, err := e.load()
		if err != nil {
			return nil, err
		}
		if found && (lock == nil || string(lock) == string(e.lock)) {
			e.facts.Reused = true
			return e, e.probe(ctx, b)
		}
		if !found {
			break
		}
	}
	if err := e.prepare(ctx, b, lock); err != nil {
		return nil, err
	}
	return e, e.probe(ctx, b)
}

// load reads a folder that is ready: facts.json is in it from the moment of its rename.
func (e *hostEnvironment) load() (bool, error) {
	raw, err := os.ReadFile(filepath.Join(e.dir, "facts.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read environment: %w", err)
	}
	if err := json.Unmarshal(raw, &e.facts); err != nil {
		return false, fmt.Errorf("read environment: %w", err)
	}
	if e.lock, err = os.ReadFile(filepath.Join(e.dir, "lock")); err != nil {
		return false, fmt.Errorf("read environment: %w", err)
	}
	return true, e.makeLive()
}

// makeLive makes the empty folders onto which local commands get theirs mounted.
func (e *hostEnvironment) makeLive() error {
	if e.h.kind != "local" {
		return nil
	}
	return stage{dir: e.live}.make()
}

// prepare makes the folder under another name.
func (e *hostEnvironment) prepare(ctx context.Context, b model.Base, lock []byte) (err error) {
	begin := time.Now()
	if err := e.makeLive(); err != nil {
		return err
	}
	unnamed := e.dir + ".new"
	if err := removeAll(unnamed); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(unnamed))
		}
	}()
	s := stage{dir: unnamed, network: true}
	if e.plainLocal() {
		unlock, err := lockFile(ctx, e.live+".lock")
		if err != nil {
			return fmt.Errorf("prepare environment: %w", err)
		}
		defer unlock()
		if s.dir = e.live; removeAll(e.live) != nil {
			return fmt.Errorf("prepare environment: clear %s", e.live)
		}
	}
	if err := s.make(); err != nil {
		return err
	}
	if err := e.lay(ctx, s, b, lock); err != nil {
		return err
	}
	if e.lock, err = e.install(ctx, s, lock); err != nil {
		return err
	}
	env := filepath.Join(s.dir, "env")
	if err := strip(env, e.recipe.Strip); err != nil {
		return err
	}
	if err := e.independent(ctx, env, b); err != nil {
		return err
	}
	bytes, _ := diskUse(env)
	e.facts = Facts{Seconds: time.Since(begin).Seconds(), Bytes: bytes}
	return e.keep(s, unnamed)
}

// plainLocal tells that local commands run in the live folder itself, one at a time, since
// nothing can be mounted there.
func (e *hostEnvironment) plainLocal() bool { return e.h.kind == "local" && e.h.layers.enter == nil }

// lay puts the recipe's files, the lock and the tree or its manifests in place.
func (e *hostEnvironment) lay(ctx context.Context, s stage, b model.Base, lock []byte) error {
	env := filepath.Join(s.dir, "env")
	if err := layFiles(filepath.Join(env, "taskmill"), e.recipe.Files); err != nil {
		return err
	}
	if lock != nil {
		if err := os.WriteFile(filepath.Join(env, "lock"), lock, 0o644); err != nil {
			return fmt.Errorf("prepare environment: %w", err)
		}
	}
	testbed := filepath.Join(s.dir, "testbed")
	if !e.recipe.Whole {
		return layFiles(testbed, e.recipe.Manifests)
	}
	base, err := e.h.trees.base(ctx, b.Tree)
	if err != nil {
		return err
	}
	tree, err := plan(base, model.Tree{Hash: b.Tree, Base: b.Tree})
	if err != nil {
		return err
	}
	return tree.copy(testbed)
}

// install runs the recipe's commands, from the lock where there is one, and gives the lock.
func (e *hostEnvironment) install(ctx context.Context, s stage, lock []byte) ([]byte, error) {
	commands := e.recipe.Prepare
	fromLock := lock != nil && len(e.recipe.FromLock) > 0
	if fromLock {
		commands = e.recipe.FromLock
	}
	for _, c := range commands {
		if _, err := e.step(ctx, s, c); err != nil {
			return nil, err
		}
	}
	switch {
	case fromLock || len(e.recipe.Lock.Argv) == 0 && lock != nil:
		return lock, nil
	case len(e.recipe.Lock.Argv) == 0:
		return []byte{}, nil
	}
	c := e.recipe.Lock
	c.ReportStdout = true
	o, err := e.step(ctx, s, c)
	return o.Report, err
}

// step runs one command of a preparation; one that does not end well is the recipe's fault.
func (e *hostEnvironment) step(ctx context.Context, s stage, c model.Command) (model.Outcome, error) {
	x := e.places().expand(c, baseEnviron(e.places(), e.tool.bin), clientEnviron(os.Environ()))
	return again(ctx, func() (model.Outcome, error) {
		o, err := e.run(ctx, s, x, prepareLimits)
		if err != nil {
			return o, err
		}
		return o, prepareFault(c, o)
	})
}

// transient are words of a log that speak of the network and not of the project.
var transient = []string{
	"connection reset", "Connection reset", "connection timed out", "Connection timed out", "i/o timeout", "Read timed out",
	"TLS handshake timeout", "Temporary failure in name resolution", "502 Bad Gateway", "503 Service Unavailable",
	"504 Gateway Time-out", "429 Too Many Requests", "unexpected EOF", "IncompleteRead", "ECONNRESET", "ETIMEDOUT",
}

// again runs a step of a preparation a second and a third time when the network failed it.
func again(ctx context.Context, step func() (model.Outcome, error)) (model.Outcome, error) {
	for wait := 2 * time.Second; ; wait *= 4 {
		o, err := step()
		var fault *model.Fault
		if !errors.As(err, &fault) || wait > 10*time.Second || !slices.ContainsFunc(transient, func(word string) bool { return strings.Contains(fault.Detail, word) }) {
			return o, err
		}
		select {
		case <-ctx.Done():
			return o, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// prepareFault is nil for an outcome that is ok.
func prepareFault(c model.Command, o model.Outcome) error {
	switch {
	case o.Outcome == model.OutcomeOK:
		return nil
	case o.Outcome == model.OutcomeInfrastructure && !strings.Contains(o.Detail, "command not found"):
		return fmt.Errorf("prepare environment: %s", o.Detail)
	}
	return &model.Fault{
		Stage: model.StageEnvironment, Reason: model.EnvironmentFailed,
		Detail: fmt.Sprintf("%s: %s\n%s", strings.Join(c.Argv, " "), o.Outcome, tail(o.Log)),
	}
}

// tail is the last lines of a log, at most 20 and 2000 bytes.
func tail(log []byte) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(log), "\ufffd")), "\n")
	text := strings.Join(lines[max(0, len(lines)-20):], "\n")
	return strings.ToValidUTF8(text[max(0, len(text)-2000):], "")
}

// keep writes what is known about the folder and gives it its name.
func (e *hostEnvironment) keep(s stage, unnamed string) error {
	if s.dir != unnamed {
		if err := os.MkdirAll(unnamed, 0o755); err != nil {
			return fmt.Errorf("keep environment: %w", err)
		}
		if err := os.Rename(filepath.Join(s.dir, "env"), filepath.Join(unnamed, "env")); err != nil {
			return fmt.Errorf("keep environment: %w", err)
		}
	}
	for _, name := range []string{"testbed", "tmp", "home", "testbed.up", "env.up"} {
		if err := removeAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	facts, err := json.Marshal(e.facts)
	if err != nil {
		return fmt.Errorf("keep environment: %w", err)
	}
	for name, b := range map[string][]byte{"lock": e.lock, "env/lock": e.lock, "facts.json": facts} {
		if err := os.WriteFile(filepath.Join(unnamed, name), b, 0o644); err != nil {
			return fmt.Errorf("keep environment: %w", err)
		}
	}
	if err := removeAll(e.dir); err != nil {
		return err
	}
	if err := os.Rename(unnamed, e.dir); err != nil {
		return fmt.Errorf("keep environment: %w", err)
	}
	return e.makeLive()
}
