package blobio

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// stale is the age after which a file of the temporary folder belongs to a dead process.
const stale = 24 * time.Hour

// A directory is a Store in a folder. An object is written in the store's temporary folder and
// renamed: no half file is ever seen under a name, and what killed processes left lies in one
// place. Nothing is synced: after a power cut a blob may be corrupt, which Get notices and Put
// repairs.
type directory struct {
	path string
	root *os.Root // no name and no symlink leads out of it
}

func openDirectory(location string) (Store, error) {
	if location == "" {
		return nil, errors.New("open store: no location given")
	}
	if err := os.MkdirAll(location, 0o755); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	root, err := os.OpenRoot(location)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d := &directory{path: location, root: root}
	d.sweep()
	return d, nil
}

// sweep removes what processes that died left. It is housekeeping: what cannot be removed stays.
func (d *directory) sweep() {
	entries, err := fs.ReadDir(d.root.FS(), temporary)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stale {
			d.root.Remove(temporary + "/" + e.Name())
		}
	}
}

func (d *directory) Put(ctx context.Context, b []byte) (model.Hash, error) {
	h := model.Sum(b)
	name, err := blobName(h)
	if err != nil {
		return "", err
	}
	if _, err := d.Get(ctx, h); err == nil {
		return h, nil
	} else if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrCorrupt) {
		return "", err
	}
	return h, d.Write(ctx, name, Compress(b))
}

func (d *directory) Get(ctx context.Context, h model.Hash) ([]byte, error) {
	name, err := blobName(h)
	if err != nil {
		return nil, err
	}
	packed, err := d.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := unpack(h, packed)
	if err != nil {
		return nil, fmt.Errorf("read %s in %s: %w", name, d.path, err)
	}
	return b, nil
}

func (d *directory) Write(ctx context.Context, name string, b []byte) error {
	err := d.commit(ctx, name, b, d.root.Rename)
	if err != nil {
		return fmt.Errorf("write %s in %s: %w", name, d.path, err)
	}
	return nil
}

func (d *directory) Create(ctx context.Context, name string, b []byte) (bool, error) {
	// A link, unlike a rename, does not replace what has the name.
	err := d.commit(ctx, name, b, d.root.Link)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("create %s in %s: %w", name, d.path, err)
	}
	return true, nil
}

// commit writes b under a temporary name and lets place give it its own.
func (d *directory) commit(ctx context.Context, name string, b []byte, place func(from, to string) error) (err error) {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	temp := temporary + "/" + rand.Text()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrNotExist) { // the first write; a store that is only read needs no folder
		if err := d.root.MkdirAll(temporary, 0o755); err != nil {
			return err
		}
		f, err = d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	if err != nil {
		return err
	}
	// After a rename there is nothing left to remove.
	defer d.root.Remove(temp)
	_, err = f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = place(temp, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return place(temp, name)
}

func (d *directory) Read(ctx context.Context, name string) ([]byte, error) {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return nil, err
	}
	var b []byte
	info, err := d.root.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular(): // to open a pipe may never end
		err = errors.New("it is no regular file")
	case err == nil:
		b, err = d.root.ReadFile(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read %s in %s: %w", name, d.path, ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("read %s in %s: %w", name, d.path, err)
	}
	return b, nil
}

func (d *directory) Remove(ctx context.Context, name string) error {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return err
	}
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s in %s: %w", name, d.path, err)
	}
	return nil
}

func (d *directory) List(ctx context.Context, prefix string) ([]string, error) {
	start := "."
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		start = prefix[:i]
		if err := checkName(start); err != nil {
			return nil, err
		}
	}
	var names []string
	err := fs.WalkDir(d.root.FS(), start, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // start is missing, or another process removed it
		case err != nil:
			return err
		case name == temporary:
			return fs.SkipDir
		case e.IsDir() && name != start && !strings.HasPrefix(name, prefix):
			return fs.SkipDir // nothing below it begins with prefix
		case !e.IsDir() && strings.HasPrefix(name, prefix):
			names = append(names, name)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list %s in %s: %w", prefix, d.path, err)
	}
	slices.Sort(names)
	return names, nil
}
