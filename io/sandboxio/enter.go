package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// enter makes the stage ready to run commands in: it copies the built tree where overlays do
// not, and moves everything into the live folder where nothing can be mounted there. leave ends
// it, keeping what the commands wrote in the stage or throwing it away. runs is empty for the
// build itself.
func (s *hostState) enter(ctx context.Context, at stage, runs string) (stage, func(keep bool) error, error) {
	overlay := s.e.h.layers.overlay()
	if runs != "" {
		if err := os.MkdirAll(runs, 0o755); err != nil {
			return at, nil, fmt.Errorf("make run: %w", err)
		}
	}
	if !s.e.plainLocal() {
		if runs != "" && !overlay {
			if err := s.copyBuilt(ctx, at.dir); err != nil {
				return at, nil, errors.Join(err, removeAll(at.dir))
			}
			at.before, _ = diskUse(at.dir)
		}
		return at, func(keep bool) error { return s.leave(at, keep) }, nil
	}
	unlock, err := lockFile(ctx, s.e.live+".lock")
	if err != nil {
		return at, nil, fmt.Errorf("make run: %w", err)
	}
	live := stage{dir: s.e.live}
	if err := errors.Join(removeAll(live.dir), os.MkdirAll(live.dir, 0o755), s.copyBuilt(ctx, live.dir)); err != nil {
		unlock()
		return at, nil, err
	}
	live.before, _ = diskUse(live.dir)
	return live, func(keep bool) error {
		defer unlock()
		if !keep {
			return removeAll(live.dir)
		}
		for _, name := range []string{"testbed", "env"} {
			if err := removeAll(filepath.Join(s.built.dir, name)); err != nil {
				return err
			}
			if err := os.Rename(filepath.Join(live.dir, name), filepath.Join(s.built.dir, name)); err != nil {
				return fmt.Errorf("keep build: %w", err)
			}
		}
		return removeAll(live.dir)
	}, nil
}

// copyBuilt makes a run's folders of the built ones.
func (s *hostState) copyBuilt(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	if err := cloneDir(ctx, filepath.Join(s.built.dir, "testbed"), filepath.Join(dir, "testbed"), false); err != nil {
		return err
	}
	return cloneDir(ctx, filepath.Join(s.built.dir, "env"), filepath.Join(dir, "env"), s.links())
}

// leave drops a run's folder, or the build's scratch folders.
func (s *hostState) leave(at stage, keep bool) error {
	if !keep && at.dir != s.built.dir {
		s.later(at.dir)
		return nil
	}
	for _, name := range []string{"tmp", "home", "testbed.wk", "env.wk"} {
		if err := removeAll(filepath.Join(at.dir, name)); err != nil {
			return err
		}
	}
	return nil
}
