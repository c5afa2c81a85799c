// Package blobio keeps bytes by name and by content in a directory or a gs:// bucket.
package blobio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/taskmill/taskmill/model"
)

// Errors of a Store, found with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrCorrupt  = errors.New("content differs from its hash")
	ErrName     = errors.New("not a name of the store")
)

// A Store keeps small objects. A write is atomic: a reader sees all of it or nothing, and a
// process killed in the middle leaves nothing under the name. Safe for concurrent use, also by
// several processes.
type Store interface {
	// Put stores b under its SHA-256 (blobs/aa/bb….zst, compressed); equal content is stored
	// once.
	Put(ctx context.Context, b []byte) (model.Hash, error)
	// Get is the content of a hash; it is checked against the hash. ErrNotFound, ErrCorrupt.
	Get(ctx context.Context, h model.Hash) ([]byte, error)
	// Write stores b under a slash-separated name.
	Write(ctx context.Context, name string, b []byte) error
	// Create stores b under a name that no object has yet, and reports whether it did: of
	// several processes that create one name exactly one gets true. A request that was sent
	// again after a lost answer may report false for the object that it made itself.
	Create(ctx context.Context, name string, b []byte) (bool, error)
	// Read is the content of a name. ErrNotFound.
	Read(ctx context.Context, name string) ([]byte, error)
	// Remove removes a name; that it is not there is no error.
	Remove(ctx context.Context, name string) error
	// List is the names that begin with prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Open opens the store at location: gs://bucket/prefix, or a directory, which is made where it
// is missing.
func Open(ctx context.Context, location string) (Store, error) {
	if rest, ok := strings.CutPrefix(location, "gs://"); ok {
		return openBucket(ctx, rest)
	}
	if scheme, _, ok := strings.Cut(location, "://"); ok {
		return nil, fmt.Errorf("open store %s: unknown scheme %s: want a directory or gs://bucket/prefix", location, scheme)
	}
	return openDirectory(location)
}

// temporary is the folder of a directory store in which objects are written before they get
// their name. No object may lie in it.
const temporary = ".tmp"

// checkName refuses what could leave the store or could not be a file of a directory, so that
// the same names work in every store.
func checkName(name string) error {
	bad := !fs.ValidPath(name) || name == "." || len(name) > 1000 ||
		strings.ContainsAny(name, "\\\x00\r\n") || strings.HasPrefix(name, temporary)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || len(part) > 240
	}
	if bad {
		return fmt.Errorf("%w: %q", ErrName, name)
	}
	return nil
}

// blobName is where the content of h lies.
func blobName(h model.Hash) (string, error) {
	if len(h) != 64 || strings.Trim(string(h), "0123456789abcdef") != "" {
		return "", fmt.Errorf("%w: hash %q", ErrName, string(h))
	}
	return "blobs/" + string(h[:2]) + "/" + string(h[2:]) + ".zst", nil
}
