package ledgerio_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/blobio/blobtest"
	"github.com/taskmill/taskmill/io/ledgerio"
	"github.com/taskmill/taskmill/model"
)

var (
	_ ledgerio.Ledger = (*ledgerio.Journal)(nil)
	_ ledgerio.Values = (*ledgerio.Journal)(nil)
)

var key = model.Run{Unit: "example.org/a"}.Key()

// asText compares large contents fast, and nil as empty.
var asText = cmp.Transformer("text", func(b []byte) string { return string(b) })

func open(t *testing.T, location string) (*ledgerio.Journal, blobio.Store) {
	t.Helper()
	s, err := blobio.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return ledgerio.New(s), s
}

// both runs test over a directory and over a bucket.
func both(t *testing.T, test func(t *testing.T, location string)) {
	t.Run("directory", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("bucket", func(t *testing.T) { blobtest.Bucket(t); test(t, "gs://ledger/of/tests") })
}

func TestOutcomeComesBack(t *testing.T) {
	both(t, func(t *testing.T, location string) {
		j, s := open(t, location)
		if _, n, err := j.Outcome(t.Context(), key); n != 0 || err != nil {
			t.Fatalf("before the first execution: %d, %v", n, err)
		}
		small := model.Outcome{Outcome: model.OutcomeFailed, ExitCode: 1, Report: []byte{0, 1, 255}, Log: []byte("log\n"), Detail: "d", Seconds: 0.1}
		large := model.Outcome{Outcome: model.OutcomeOK, Report: bytes.Repeat([]byte("r"), 4097), Log: bytes.Repeat([]byte("l"), 1<<20), Seconds: 1e-9}
		none := model.Outcome{Outcome: model.OutcomeTimeout, ReportTooLarge: true}
		for i, want := range []model.Outcome{small, large, none} {
			k := model.Digest(i)
			for n := 1; n <= 3; n++ {
				o := want
				o.Seconds += float64(n - 1)
				if err := j.Store(t.Context(), k, o); err != nil {
					t.Fatal(err)
				}
				again, _ := open(t, location)
				got, executions, err := again.Outcome(t.Context(), k)
				if err != nil || executions != n {
					t.Errorf("after %d executions: %d, %v", n, executions, err)
				}
				if diff := cmp.Diff(want, got, asText); diff != "" {
					t.Errorf("outcome (-first stored +got):\n%s", diff)
				}
			}
		}
		if blobs, err := s.List(t.Context(), "blobs/"); err != nil || len(blobs) != 2 {
			t.Errorf("blobs: %q, %v; want the large report and the large log, once", blobs, err)
		}
	})
}

func TestEqualExecutionsAreCounted(t *testing.T) {
	both(t, func(t *testing.T, location string) {
		var all sync.WaitGroup
		for range 4 {
			j, _ := open(t, location)
			for range 5 {
				all.Go(func() {
					if err := j.Store(t.Context(), key, model.Outcome{Outcome: model.OutcomeOK}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		j, _ := open(t, location)
		if _, n, err := j.Outcome(t.Context(), key); n != 20 || err != nil {
			t.Errorf("executions: %d, %v; want 20", n, err)
		}
	})
}

func TestFirstLockAndValueStay(t *testing.T) {
	both(t, func(t *testing.T, location string) {
		j, _ := open(t, location)
		ctx := t.Context()
		if lock, err := j.Lock(ctx, key, "bwrap"); lock != nil || err != nil {
			t.Errorf("no lock yet: %q, %v", lock, err)
		}
		if _, found, err := j.Value(ctx, "build", key); found || err != nil {
			t.Errorf("no value yet: %v, %v", found, err)
		}
		for i := range 3 {
			lock, err := j.StoreLock(ctx, key, "bwrap", fmt.Appendf(nil, "lock %d", i))
			if err != nil || string(lock) != "lock 0" {
				t.Errorf("store of lock %d: %q, %v", i, lock, err)
			}
			if err := j.StoreValue(ctx, "build", key, fmt.Appendf(nil, "value %d", i)); err != nil {
				t.Error(err)
			}
		}
		if lock, err := j.Lock(ctx, key, "bwrap"); string(lock) != "lock 0" || err != nil {
			t.Errorf("lock: %q, %v", lock, err)
		}
		if lock, err := j.Lock(ctx, key, "docker"); lock != nil || err != nil {
			t.Errorf("lock of another sandbox: %q, %v", lock, err)
		}
		if v, found, err := j.Value(ctx, "build", key); string(v) != "value 0" || !found || err != nil {
			t.Errorf("value: %q, %v, %v", v, found, err)
		}
		if _, found, err := j.Value(ctx, "base", key); found || err != nil {
			t.Errorf("value of another kind: %v, %v", found, err)
		}
		if err := j.StoreValue(ctx, "a/b", key, nil); err == nil {
			t.Error("a kind with a slash was taken")
		}
	})
}

// TestFirstLockWinsBetweenProcesses starts processes that each bring a lock of their own.
func TestFirstLockWinsBetweenProcesses(t *testing.T) {
	if dir := os.Getenv("LEDGERIO_LOCK"); dir != "" {
		j, _ := open(t, dir)
		lock, err := j.StoreLock(t.Context(), key, "local", fmt.Appendf(nil, "of process %d", os.Getpid()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("lock: %s\n", lock)
		return
	}
	dir := t.TempDir()
	var commands []*exec.Cmd
	var outs []*bytes.Buffer
	for range 6 {
		c := exec.Command(os.Args[0], "-test.run=^TestFirstLockWinsBetweenProcesses$")
		c.Env = append(os.Environ(), "LEDGERIO_LOCK="+dir)
		out := &bytes.Buffer{}
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands, outs = append(commands, c), append(outs, out)
	}
	seen := map[string]bool{}
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			t.Fatalf("%v: %s", err, outs[i])
		}
		line, _, _ := strings.Cut(outs[i].String(), "\n")
		seen[line] = true
	}
	if len(seen) != 1 {
		t.Errorf("processes saw %d locks: %v", len(seen), seen)
	}
}

// What a power cut leaves is no execution: the run is made again.
func TestDamagedExecutionCountsAsNone(t *testing.T) {
	dir := t.TempDir()
	j, s := open(t, dir)
	if err := j.Store(t.Context(), key, model.Outcome{}); err != nil {
		t.Fatal(err)
	}
	names, err := s.List(t.Context(), "runs/")
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, damaged := range []string{"{}", ""} {
		if err := os.WriteFile(filepath.Join(dir, names[0]), []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, n, err := j.Outcome(t.Context(), key); err != nil || n != 0 {
			t.Errorf("damaged by %q: %d executions, %v; want none", damaged, n, err)
		}
		if err := j.Store(t.Context(), key, model.Outcome{ExitCode: 7}); err != nil {
			t.Fatal(err)
		}
		if o, n, err := j.Outcome(t.Context(), key); err != nil || n != 1 || o.ExitCode != 7 {
			t.Errorf("made again: %+v, %d executions, %v", o, n, err)
		}
	}
	if err := j.StoreValue(t.Context(), "prepared", key, []byte("one")); err != nil {
		t.Fatal(err)
	}
	values, err := s.List(t.Context(), "values/")
	if err != nil || len(values) != 1 {
		t.Fatalf("%q, %v", values, err)
	}
	if err := os.Truncate(filepath.Join(dir, values[0]), 0); err != nil {
		t.Fatal(err)
	}
	if _, there, err := j.Value(t.Context(), "prepared", key); there || err != nil {
		t.Errorf("damaged value: %v, %v; want none", there, err)
	}
}
