package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/taskmill/taskmill/model"
)

// A hostState is a built tree: lower folders for overlays, or plain copies.
type hostState struct {
	e     *hostEnvironment
	dir   string
	built stage // the build's
	build model.Outcome
	runs  sync.WaitGroup // removals of finished runs
	mu    sync.Mutex
	err   error // of a removal
}

// Open lays t and runs the protocol's build.
func (e *hostEnvironment) Open(ctx context.Context, t model.Tree) (State, error) {
	base, err := e.h.trees.base(ctx, t.Base)
	if err != nil {
		return nil, err
	}
	tree, err := plan(base, t)
	if err != nil {
		return nil, err
	}
	s := &hostState{e: e, dir: filepath.Join(e.h.states, fmt.Sprint(e.h.count.Add(1)))}
	s.built.dir = filepath.Join(s.dir, "build")
	if err := s.built.make(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.lay(ctx, tree); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.buildTree(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// lay makes the build's stage of the tree.
func (s *hostState) lay(ctx context.Context, tree *laid) error {
	env := filepath.Join(s.e.dir, "env")
	if !s.e.h.layers.overlay() {
		if err := tree.copy(filepath.Join(s.built.dir, "testbed")); err != nil {
			return err
		}
		return cloneDir(ctx, env, filepath.Join(s.built.dir, "env"), s.links())
	}
	layer := filepath.Join(s.dir, "layer")
	if err := os.Mkdir(layer, 0o755); err != nil {
		return fmt.Errorf("lay tree: %w", err)
	}
	if err := tree.overlay(layer); err != nil {
		return err
	}
	s.built.testbed, s.built.env = []string{layer, tree.base.files()}, []string{env}
	return nil
}

// links tells whether a copy of the environment may share its files. Local runs trust what
// they run; the clients and compilers that write below {env} put new files in place of old
// ones, so that the shared content stays as it is.
func (s *hostState) links() bool { return s.e.h.kind == "local" }

// buildTree runs the build's commands until one fails.
func (s *hostState) buildTree(ctx context.Context) error {
	protocol := s.e.recipe.Protocol
	s.build = model.Outcome{Outcome: model.OutcomeOK}
	if len(protocol.Build) == 0 {
		return nil
	}
	at, leave, err := s.enter(ctx, s.built, "")
	if err != nil {
		return err
	}
	limits := orElse(protocol.Limits, DefaultLimits)
	for _, c := range protocol.Build {
		o, err := s.e.run(ctx, at, s.command(c, nil), limits)
		if err != nil {
			return errors.Join(err, leave(false))
		}
		o.Log = append(s.build.Log, o.Log...)
		o.Seconds += s.build.Seconds
		if s.build = o; o.Outcome != model.OutcomeOK {
			break
		}
	}
	return leave(true)
}

func (s *hostState) command(c model.Command, clock []string) command {
	p := s.e.places()
	return p.expand(c, baseEnviron(p, s.e.tool.bin), s.e.recipe.Protocol.Env, clock)
}

func (s *hostState) Build() model.Outcome { return s.build }

// Execute runs r's command on a fresh layer over the built tree.
func (s *hostState) Execute(ctx context.Context, r model.Run) (model.Outcome, error) {
	if r.ClockShift != 0 && s.e.h.clock == "" {
		return infrastructure("the clock cannot be set on: libfaketime is not installed"), nil
	}
	at, leave, err := s.enter(ctx, s.layer(), filepath.Join(s.dir, "runs"))
	if err != nil {
		if ctx.Err() != nil {
			return model.Outcome{}, ctx.Err()
		}
		return infrastructure(err.Error()), nil
	}
	limits := orElse(orElse(r.Limits, s.e.recipe.Protocol.Limits), DefaultLimits)
	o, err := s.e.run(ctx, at, s.command(r.Command, clockEnviron(s.e.h.clock, r.ClockShift)), limits)
	if err := errors.Join(err, leave(false)); err != nil {
		return model.Outcome{}, err
	}
	return o, nil
}

// layer is a stage over the built tree.
func (s *hostState) layer() stage {
	at := stage{dir: filepath.Join(s.dir, "runs", fmt.Sprint(s.e.h.count.Add(1)))}
	if s.e.h.layers.overlay() {
		at.testbed = append([]string{filepath.Join(s.built.dir, "testbed.up")}, s.built.testbed...)
		at.env = append([]string{filepath.Join(s.built.dir, "env.up")}, s.built.env...)
	}
	return at
}

// Close removes the state.
func (s *hostState) Close() error {
	s.runs.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.err, removeAll(s.dir))
}

// later removes a finished run's folder while the next one runs.
func (s *hostState) later(dir string) {
	s.runs.Go(func() {
		if err := removeAll(dir); err != nil {
			s.mu.Lock()
			s.err = errors.Join(s.err, err)
			s.mu.Unlock()
		}
	})
}
