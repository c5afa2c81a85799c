// Package sandboxtest holds every sandbox to one contract, looking from inside.
package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/taskmill/taskmill/io/sandboxio/onecommit"
	"github.com/taskmill/taskmill/model"
)

// Archives is a set of base trees in memory.
type Archives map[model.Hash][]byte

// Archive is the archive of a tree.
func (a Archives) Archive(_ context.Context, tree model.Hash) (io.ReadCloser, error) {
	b, ok := a[tree]
	if !ok {
		return nil, fmt.Errorf("no archive of tree %s", tree)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// Files is a tree by path. A value that begins with "-> " is a symlink, one that begins with
// "#!" is executable.
type Files map[string]string

func (f Files) entries() ([]onecommit.Entry, map[string][]byte) {
	var entries []onecommit.Entry
	data := map[string][]byte{}
	for _, p := range slices.Sorted(maps.Keys(f)) {
		mode, text := model.ModeFile, []byte(f[p])
		if target, ok := bytes.CutPrefix(text, []byte("-> ")); ok {
			mode, text = model.ModeSymlink, target
		} else if bytes.HasPrefix(text, []byte("#!")) {
			mode = model.ModeExecutable
		}
		data[p] = text
		entries = append(entries, onecommit.Entry{Path: p, Mode: mode, Hash: onecommit.BlobHash(text), Size: int64(len(text))})
	}
	return entries, data
}

// Add puts the tree of f among the archives.
func (a Archives) Add(t testing.TB, f Files) model.Tree {
	t.Helper()
	entries, data := f.entries()
	hash, err := onecommit.TreeHash(entries)
	if err != nil {
		t.Fatal(err)
	}
	var headers []*tar.Header
	for _, e := range entries {
		h := &tar.Header{Name: e.Path, Typeflag: tar.TypeReg, Mode: int64(e.Mode & 0o777), Size: e.Size}
		if e.Mode == model.ModeSymlink {
			h = &tar.Header{Name: e.Path, Typeflag: tar.TypeSymlink, Linkname: string(data[e.Path]), Mode: 0o777}
		}
		headers = append(headers, h)
	}
	a[hash] = pack(t, headers, data)
	return model.Tree{Hash: hash, Base: hash}
}

func pack(t testing.TB, headers []*tar.Header, data map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(data[h.Name]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Change is the tree with changes over base.
func Change(t testing.TB, base model.Tree, from Files, changes ...model.TreeChange) model.Tree {
	t.Helper()
	entries, _ := from.entries()
	for _, c := range changes {
		entries = slices.DeleteFunc(entries, func(e onecommit.Entry) bool { return e.Path == c.Path })
		if !c.Delete {
			mode := c.Mode
			if mode == 0 {
				mode = model.ModeFile
			}
			entries = append(entries, onecommit.Entry{Path: c.Path, Mode: mode, Hash: onecommit.BlobHash(c.Data)})
		}
	}
	onecommit.Sort(entries)
	hash, err := onecommit.TreeHash(entries)
	if err != nil {
		t.Fatal(err)
	}
	return model.Tree{Hash: hash, Base: base.Hash, Changes: changes}
}
