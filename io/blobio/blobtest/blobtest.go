// Package blobtest is the contract suite of blobio.Store and a fake of Google Cloud Storage.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

// Test holds a store to the contract. open opens the same store each time it is called within
// one test, and an empty one in each new test.
func Test(t *testing.T, open func(t *testing.T) func() blobio.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, func() blobio.Store)
	}{
		{"content", content}, {"names", names}, {"list", list}, {"create", create}, {"concurrent", concurrent}, {"cancelled", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func content(t *testing.T, open func() blobio.Store) {
	ctx, s := t.Context(), open()
	for _, b := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte("line\n"), 100_000), {0, 255, 10}} {
		for range 2 {
			h, err := s.Put(ctx, b)
			if err != nil || h != model.Sum(b) {
				t.Fatalf("put %d bytes: %s, %v", len(b), h, err)
			}
		}
		got, err := open().Get(ctx, model.Sum(b))
		if err != nil || !bytes.Equal(got, b) {
			t.Errorf("get of %d bytes: %d bytes, %v", len(b), len(got), err)
		}
	}
	all, err := s.List(ctx, "blobs/")
	if err != nil || len(all) != 4 {
		t.Errorf("blobs: %q, %v; want 4", all, err)
	}
	if _, err := s.Get(ctx, model.Sum([]byte("never stored"))); !errors.Is(err, blobio.ErrNotFound) {
		t.Errorf("get of what was never stored: %v", err)
	}
	for _, h := range []model.Hash{"", "abc", model.Hash("../" + strings.Repeat("a", 61)), model.Hash(strings.Repeat("A", 64))} {
		if _, err := s.Get(ctx, h); !errors.Is(err, blobio.ErrName) {
			t.Errorf("get of hash %q: %v", h, err)
		}
	}
	if err := s.Write(ctx, all[0], []byte("broken")); err != nil {
		t.Fatal(err)
	}
	hash := model.Hash(strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(all[0], "blobs/"), "/", ""), ".zst"))
	if _, err := s.Get(ctx, hash); !errors.Is(err, blobio.ErrCorrupt) {
		t.Errorf("get of a corrupt blob: %v", err)
	}
}

func names(t *testing.T, open func() blobio.Store) {
	ctx, s := t.Context(), open()
	if err := s.Write(ctx, "a/b c/é.txt", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(ctx, "a/b c/é.txt", []byte("2")); err != nil {
		t.Fatal(err)
	}
	got, err := open().Read(ctx, "a/b c/é.txt")
	if err != nil || string(got) != "2" {
		t.Errorf("read: %q, %v", got, err)
	}
	if _, err := s.Read(ctx, "a/none"); !errors.Is(err, blobio.ErrNotFound) {
		t.Errorf("read of nothing: %v", err)
	}
	for range 2 {
		if err := s.Remove(ctx, "a/b c/é.txt"); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
	if _, err := open().Read(ctx, "a/b c/é.txt"); !errors.Is(err, blobio.ErrNotFound) {
		t.Errorf("read of what was removed: %v", err)
	}
	for _, bad := range []string{"", ".", "..", "/a", "a/", "a//b", "../a", "a/../../b", "a/./b", `a\b`, "a\x00", "a\nb",
		".tmp/x", ".tmp", strings.Repeat("x", 300), "\xff"} {
		if err := s.Write(ctx, bad, nil); !errors.Is(err, blobio.ErrName) {
			t.Errorf("write of name %q: %v", bad, err)
		}
		if _, err := s.Create(ctx, bad, nil); !errors.Is(err, blobio.ErrName) {
			t.Errorf("create of name %q: %v", bad, err)
		}
		if err := s.Remove(ctx, bad); !errors.Is(err, blobio.ErrName) {
			t.Errorf("remove of name %q: %v", bad, err)
		}
		if _, err := s.Read(ctx, bad); !errors.Is(err, blobio.ErrName) {
			t.Errorf("read of name %q: %v", bad, err)
		}
	}
}

func list(t *testing.T, open func() blobio.Store) {
	ctx, s := t.Context(), open()
	for _, n := range []string{"runs/ab/1", "runs/ab/10", "runs/ab/2", "runs/abc/1", "runs-x", "z"} {
		if err := s.Write(ctx, n, []byte(n)); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string][]string{
		"":          {"runs-x", "runs/ab/1", "runs/ab/10", "runs/ab/2", "runs/abc/1", "z"},
		"runs/ab/":  {"runs/ab/1", "runs/ab/10", "runs/ab/2"},
		"runs/ab":   {"runs/ab/1", "runs/ab/10", "runs/ab/2", "runs/abc/1"},
		"runs/ab/1": {"runs/ab/1", "runs/ab/10"},
		"ru":        {"runs-x", "runs/ab/1", "runs/ab/10", "runs/ab/2", "runs/abc/1"},
		"none/":     nil,
		"q":         nil,
	} {
		got, err := s.List(ctx, prefix)
		if err != nil {
			t.Errorf("list %q: %v", prefix, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", prefix, diff)
		}
	}
}

func create(t *testing.T, open func() blobio.Store) {
	ctx := t.Context()
	var won []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			b := fmt.Appendf(nil, "content of %d", i)
			made, err := open().Create(ctx, "locks/one", b)
			if err != nil {
				t.Errorf("create: %v", err)
			}
			if made {
				mu.Lock()
				won = append(won, string(b))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	got, err := open().Read(ctx, "locks/one")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(won, []string{string(got)}); diff != "" {
		t.Errorf("winners and what is stored (-winners +stored):\n%s", diff)
	}
}

func concurrent(t *testing.T, open func() blobio.Store) {
	ctx := t.Context()
	versions := [][]byte{bytes.Repeat([]byte("a"), 200_000), bytes.Repeat([]byte("b"), 100_000)}
	if err := open().Write(ctx, "one", versions[0]); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		s := open()
		all.Go(func() {
			for range 10 {
				if err := s.Write(ctx, "one", versions[i%2]); err != nil {
					t.Errorf("write: %v", err)
				}
				got, err := s.Read(ctx, "one")
				if err != nil || !slices.ContainsFunc(versions, func(v []byte) bool { return bytes.Equal(v, got) }) {
					t.Errorf("read %d bytes, %v; want one whole version", len(got), err)
				}
				if _, err := s.Put(ctx, versions[i%2]); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	all.Wait()
	got, err := open().List(ctx, "")
	if err != nil || len(got) != 3 {
		t.Errorf("list: %q, %v; want the name and two blobs", got, err)
	}
}

func cancelled(t *testing.T, open func() blobio.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	s := open()
	cancel()
	if err := s.Write(ctx, "a", []byte("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	if got, err := s.List(t.Context(), ""); err != nil || len(got) != 0 {
		t.Errorf("after a cancelled write: %q, %v", got, err)
	}
}
