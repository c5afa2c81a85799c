package parquetio

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

// A folder is where tables lie: a directory, in which a file is written under a temporary name
// and renamed, or a bucket, in which an object appears whole.
type folder interface {
	// draft begins a file that gets a name below dir.
	draft(dir string) (draft, error)
	// write writes a small file whole.
	write(ctx context.Context, name string, b []byte) error
	// read is a small file. fs.ErrNotExist, blobio.ErrNotFound.
	read(ctx context.Context, name string) ([]byte, error)
	// open opens a file for random access; it is no symlink and no directory.
	open(ctx context.Context, name string) (io.ReaderAt, int64, io.Closer, error)
	// list is the files of all tables, half ones too.
	list(ctx context.Context) ([]string, error)
	remove(ctx context.Context, name string) error
	close() error
}

// A draft is a file without a name.
type draft interface {
	io.Writer
	sum() model.Hash // of what was written
	commit(ctx context.Context, name string) error
	discard() error
}

// half is the beginning of the name of a file that is being written.
const half = ".part-"

func openFolder(ctx context.Context, location string) (folder, error) {
	if strings.Contains(location, "://") {
		s, err := blobio.Open(ctx, location)
		return bucket{s}, err
	}
	if location == "" {
		return nil, errors.New("no folder given")
	}
	if info, err := os.Stat(location); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", location, syscall.ENOTDIR)
	}
	root, err := os.OpenRoot(location)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(location, 0o755); err != nil {
			return nil, err
		}
		root, err = os.OpenRoot(location)
	}
	return directory{root}, err
}

type directory struct{ root *os.Root }

type file struct {
	*os.File
	root *os.Root
	name string
	hash hash.Hash
}

func (d directory) draft(dir string) (draft, error) {
	if err := d.root.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	name := path.Join(dir, half+rand.Text())
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &file{f, d.root, name, sha256.New()}, nil
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.hash.Write(b[:n])
	return n, err
}

func (f *file) sum() model.Hash { return model.Hash(hex.EncodeToString(f.hash.Sum(nil))) }

func (f *file) commit(_ context.Context, name string) error {
	if err := f.Close(); err != nil {
		return errors.Join(err, f.root.Remove(f.name))
	}
	return f.root.Rename(f.name, name)
}

func (f *file) discard() error { return errors.Join(f.Close(), f.root.Remove(f.name)) }

func (d directory) write(ctx context.Context, name string, b []byte) error {
	w, err := d.draft(path.Dir(name))
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return errors.Join(err, w.discard())
	}
	return w.commit(ctx, name)
}

func (d directory) read(_ context.Context, name string) ([]byte, error) {
	if _, err := d.regular(name); err != nil {
		return nil, err
	}
	return d.root.ReadFile(name)
}

// regular reports a name that is no regular file: to open a pipe may never end.
func (d directory) regular(name string) (size int64, err error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is no regular file", name)
	}
	return info.Size(), nil
}

func (d directory) open(_ context.Context, name string) (io.ReaderAt, int64, io.Closer, error) {
	size, err := d.regular(name)
	if err != nil {
		return nil, 0, nil, err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, 0, nil, err
	}
	return f, size, f, nil
}

func (d directory) list(ctx context.Context) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*/part-*.parquet", "*/" + half + "*", half + "*"} {
		found, err := fs.Glob(d.root.FS(), pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names, ctx.Err()
}

func (d directory) remove(_ context.Context, name string) error {
	err := d.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d directory) close() error { return d.root.Close() }

type bucket struct{ store blobio.Store }

type object struct {
	bytes.Buffer
	store blobio.Store
}

func (b bucket) draft(string) (draft, error) { return &object{store: b.store}, nil }

func (o *object) sum() model.Hash { return model.Sum(o.Bytes()) }
func (o *object) commit(ctx context.Context, name string) error {
	return o.store.Write(ctx, name, o.Bytes())
}
func (o *object) discard() error { return nil }

func (b bucket) write(ctx context.Context, name string, content []byte) error {
	return b.store.Write(ctx, name, content)
}

func (b bucket) read(ctx context.Context, name string) ([]byte, error) {
	return b.store.Read(ctx, name)
}

func (b bucket) open(ctx context.Context, name string) (io.ReaderAt, int64, io.Closer, error) {
	content, err := b.store.Read(ctx, name)
	if err != nil {
		return nil, 0, nil, err
	}
	return bytes.NewReader(content), int64(len(content)), io.NopCloser(nil), nil
}

func (b bucket) list(ctx context.Context) ([]string, error) {
	all, err := b.store.List(ctx, "")
	return slices.DeleteFunc(all, func(name string) bool {
		ok, _ := path.Match("*/part-*.parquet", name)
		return !ok
	}), err
}

func (b bucket) remove(ctx context.Context, name string) error { return b.store.Remove(ctx, name) }

func (b bucket) close() error { return nil }
