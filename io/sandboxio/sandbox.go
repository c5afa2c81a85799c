// Package sandboxio runs commands over a tree in an isolated place: a container, a bubblewrap
// namespace, or (asked for by name) a plain folder.
package sandboxio

import (
	"context"
	"io"

	"github.com/taskmill/taskmill/model"
)

// A Preparer builds the dependency environment of a recipe, once per recipe and lock; a second
// call finds it prepared. lock is the text that an earlier preparation printed, or nil.
// A recipe that cannot be prepared is a *model.Fault (environment_failed, needs_service,
// self_dependency, not_work_tree) whose detail is the log's last lines; any other error is the
// sandbox's own.
type Preparer interface {
	Kind() string // docker, bwrap, local
	Prepare(ctx context.Context, b model.Base, lock []byte) (Environment, error)
}

// An Environment holds dependencies only, nothing of the project's tree.
type Environment interface {
	// Lock is the text of resolved versions; its SHA-256 is the lock hash.
	Lock() []byte
	// Facts are what preparing took and made.
	Facts() Facts
	// Open lays a tree at /testbed as a repository of exactly one commit and runs the
	// protocol's build once. A build that fails is no error: State.Build tells it, and units
	// may still be run.
	Open(ctx context.Context, t model.Tree) (State, error)
	// Walk visits every regular file that a solver would see in the environment: the
	// prepared folder, or all layers of the image above the base image.
	Walk(ctx context.Context, visit func(path string, size int64, open func() (io.ReadCloser, error)) error) error
	Close() error
}

// Facts of an environment.
type Facts struct {
	Seconds     float64 // of the preparation that made it
	Bytes       int64
	Image       string
	ImageDigest string
	Reused      bool
	Clock       bool // processes can be given another time (libfaketime)
}

// A State is a built tree. Each Execute starts from the built tree on a fresh layer: nothing
// that a run wrote or started survives it. Safe for concurrent Execute calls.
type State interface {
	Build() model.Outcome
	Execute(ctx context.Context, r model.Run) (model.Outcome, error)
	Close() error
}

// Archives gives the deterministic tar.zst archive of a base tree by its git tree id.
type Archives interface {
	Archive(ctx context.Context, tree model.Hash) (io.ReadCloser, error)
}
