package sandboxio

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Options of a sandbox.
type Options struct {
	Work       string            // folder of environments, trees and states; shared by processes
	Archives   Archives          // where base trees come from
	BaseImages map[string]string // by language, for docker
	Languages  []string          // that auto must find a base image for
	Jobs       int               // commands at the same time; 0 is no bound
	BuildID    string            // label of containers
	Deadline   time.Duration     // after which a container is a stray; 0 is a day
	Log        *slog.Logger      // the warning of local, what was cleaned up; nil is silent
	Copies     bool              // plain copies and no mount namespace, even where they work
}

// Open chooses a sandbox by kind: docker, bwrap, local, or auto: docker when an engine answers
// and has a base image for each of o.Languages, else bwrap where it works. The Preparer is
// also an io.Closer, which removes what its states left. A kind that this machine lacks is an
// error that says what to install.
func Open(ctx context.Context, kind string, o Options) (Preparer, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	work, err := filepath.Abs(o.Work)
	if err != nil || o.Work == "" {
		return nil, fmt.Errorf("open sandbox: no work folder %q", o.Work)
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	// Paths that commands report are replaced by text, so there must be one form of them.
	if o.Work, err = filepath.EvalSymlinks(work); err != nil {
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	switch kind {
	case "docker":
		return openDocker(ctx, o)
	case "bwrap", "local":
		return openHost(ctx, kind, o)
	case "auto", "":
		d, dockerErr := openDocker(ctx, o)
		if dockerErr == nil {
			return d, nil
		}
		h, err := openHost(ctx, "bwrap", o)
		if err == nil {
			return h, nil
		}
		return nil, errors.Join(fmt.Errorf("no sandbox on this machine: install bubblewrap, or start a Docker engine with base images, or ask for local, which isolates nothing"), dockerErr, err)
	}
	return nil, fmt.Errorf("unknown sandbox %q: auto, docker, bwrap or local", kind)
}
