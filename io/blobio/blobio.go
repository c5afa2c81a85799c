// Package blobio keeps bytes by name and by content in a directory or a gs:// bucket.
package blobio

import (
	"context"

	"github.com/taskmill/taskmill/model"
)

// A Store keeps small objects. A write is atomic: a reader sees all of it or nothing, and a
// process killed in the middle leaves nothing under the name. Safe for concurrent use, also by
// several processes.
type Store interface {
	// Put stores b under its SHA-256 (blobs/aa/bb…); equal content is stored once.
	Put(ctx context.Context, b []byte) (model.Hash, error)
	// Get is the content of a hash; it is checked against the hash. ErrNotFound.
	Get(ctx context.Context, h model.Hash) ([]byte, error)
	// Write stores b under a slash-separated name.
	Write(ctx context.Context, name string, b []byte) error
	// Read is the content of a name. ErrNotFound.
	Read(ctx context.Context, name string) ([]byte, error)
	// List is the names that begin with prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}
