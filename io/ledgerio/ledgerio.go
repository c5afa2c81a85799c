// Package ledgerio keeps the raw outcome of every finished run under the run's key, so that
// equal runs are executed once, and the locks of prepared recipes.
package ledgerio

import (
	"context"

	"github.com/taskmill/taskmill/model"
)

// A Ledger remembers finished runs. Each finished execution of a key is a file of its own, so
// the number of files is the number of executions.
type Ledger interface {
	// Outcome is the first stored outcome of the run, and how many executions are stored.
	// Zero executions: not run yet.
	Outcome(ctx context.Context, key model.Hash) (model.Outcome, int, error)
	// Store adds a finished execution.
	Store(ctx context.Context, key model.Hash, o model.Outcome) error
	// Lock is the lock text of a recipe in a sandbox kind; nil where there is none.
	Lock(ctx context.Context, recipe model.Hash, sandbox string) ([]byte, error)
	// StoreLock keeps the lock of the first preparation; a later one is ignored and the
	// first is returned.
	StoreLock(ctx context.Context, recipe model.Hash, sandbox string, lock []byte) ([]byte, error)
}

// Values remembers facts of steps that are no runs (a build's outcome, what preparing a base
// took) by kind and key. The first stored value stays, so that every later build reads the same.
type Values interface {
	// Value is the stored value; false where there is none.
	Value(ctx context.Context, kind string, key model.Hash) ([]byte, bool, error)
	// StoreValue keeps value unless the key has one of this kind.
	StoreValue(ctx context.Context, kind string, key model.Hash, value []byte) error
}
