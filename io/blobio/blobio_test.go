package blobio_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/blobio/blobtest"
)

func open(t *testing.T, location string) blobio.Store {
	t.Helper()
	s, err := blobio.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDirectory(t *testing.T) {
	blobtest.Test(t, func(t *testing.T) func() blobio.Store {
		dir := filepath.Join(t.TempDir(), "not", "made", "yet")
		return func() blobio.Store { return open(t, dir) }
	})
}

func TestBucket(t *testing.T) {
	for _, location := range []string{"gs://bucket", "gs://bucket/some/prefix/"} {
		t.Run(location, func(t *testing.T) {
			blobtest.Test(t, func(t *testing.T) func() blobio.Store {
				blobtest.Bucket(t)
				return func() blobio.Store { return open(t, location) }
			})
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]string{
		"":              "no location",
		file:            "not a directory",
		file + "/below": "not a directory",
		"s3://bucket/x": "unknown scheme s3",
		"gs://":         "want gs://bucket/prefix",
		"gs://b/../c":   "want gs://bucket/prefix",
	} {
		if _, err := blobio.Open(t.Context(), location); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open %q: %v; want %q", location, err, want)
		}
	}
}

func TestNoSymlinkLeadsOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := open(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), "out/x", []byte("1")); err == nil {
		t.Error("wrote through a symlink that leads out of the store")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
}

func TestPutRepairsACorruptBlob(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	h, err := s.Put(t.Context(), []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "blobs", string(h[:2]), string(h[2:])+".zst")
	if err := os.Truncate(file, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), []byte("content")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), h); err != nil || string(got) != "content" {
		t.Errorf("after the repair: %q, %v", got, err)
	}
}

func TestOpenSweepsWhatDeadProcessesLeft(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Write(t.Context(), "first", nil); err != nil { // the first write makes the folder
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, ".tmp", "old"), filepath.Join(dir, ".tmp", "young")
	for _, f := range []string{old, young} {
		if err := os.WriteFile(f, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an old file is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("a file that a living process may be writing is gone: %v", err)
	}
}

// TestFullDisk needs the right to mount a small file system.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no right to mount a 64 KB tmpfs: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	s := open(t, dir)
	err := s.Write(t.Context(), "big", make([]byte, 1<<20))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "write big in "+dir) {
		t.Errorf("write: %v; want no space left, the name and the store", err)
	}
	if names, err := s.List(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("after it: %q, %v", names, err)
	}
	if err := s.Write(t.Context(), "small", []byte("1")); err != nil {
		t.Errorf("what the failed write took was not given back: %v", err)
	}
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere; run as another user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := blobio.Open(t.Context(), dir); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("open: %v", err)
	}
}

// TestKilledWriter kills a process in the middle of its writes: each name that is there is whole.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("BLOBIO_WRITE"); dir != "" {
		s := open(t, dir)
		for i := byte(0); ; i++ {
			if err := s.Write(t.Context(), "one", []byte(strings.Repeat(string('a'+rune(i%26)), 1<<20))); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	s := open(t, dir)
	for range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "BLOBIO_WRITE="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := s.Read(t.Context(), "one"); err == nil {
				break
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		b, err := s.Read(t.Context(), "one")
		if err != nil || len(b) != 1<<20 || strings.Trim(string(b), string(b[:1])) != "" {
			t.Fatalf("%d bytes, %v; want one whole version", len(b), err)
		}
		if err := os.Remove(filepath.Join(dir, "one")); err != nil {
			t.Fatal(err)
		}
	}
}
