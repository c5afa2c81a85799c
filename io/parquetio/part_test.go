package parquetio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

func TestOrderIsAFunctionOfTheSet(t *testing.T) {
	var rows []model.Rejection
	at := time.Date(2024, 1, 2, 3, 4, 5, 6, time.UTC)
	for i := range 500 {
		here := at.In(time.FixedZone("z", 3600*(i%3)))
		rows = append(rows, model.Rejection{Candidate: fmt.Sprint(i % 10), Detail: fmt.Sprint(i % 50), SourceMergedAt: &here})
	}
	var want string
	for range 20 {
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		part, err := writePart(t.Context(), Config{Dir: t.TempDir(), Shards: 1}, "rejections", 0, append([]model.Rejection{}, rows...))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = part.File
		}
		if part.File != want || part.Rows != 500 {
			t.Fatalf("%d rows in %s, want 500 in %s", part.Rows, part.File, want)
		}
	}
	if *rows[0].SourceMergedAt == rows[0].SourceMergedAt.Truncate(time.Millisecond) {
		t.Error("writing changed a time that another element may share")
	}
}

func TestWhatCannotBeOrderedIsAnError(t *testing.T) {
	rows := []model.Cost{{USD: math.NaN()}, {USD: 1}}
	dir := t.TempDir()
	if _, err := writePart(t.Context(), Config{Dir: dir, Shards: 1}, "costs", 0, rows); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("write: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// noise is text that does not compress.
func noise(n int) string {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	r.Read(b)
	for i := range b {
		b[i] = 'a' + b[i]%26
	}
	return string(b)
}

// heap is the size in bytes of what is allocated and not yet collected.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// A peak is a writer that notes the largest heap at its writes.
type peak struct {
	bytes int64
	n     int64
}

func (p *peak) Write(b []byte) (int, error) {
	p.bytes, p.n = max(p.bytes, heap()), p.n+int64(len(b))
	return len(b), nil
}

// TestMemoryIsThatOfARowGroup encodes 100,000 rows of 8 KB that share their text, so that the
// heap shows what the writer holds.
func TestMemoryIsThatOfARowGroup(t *testing.T) {
	const n = 100_000
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	text := noise(1 << 20)
	rows := make([]model.Rejection, n)
	for i := range rows {
		start := i * 7919 % (len(text) - 8192)
		rows[i] = model.Rejection{Candidate: fmt.Sprintf("%06d", i), Detail: text[start : start+8192]}
	}
	sorted, err := arrange(rows)
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	p := &peak{}
	if got, err := encode(p, "test", sorted, nil); err != nil || got != n {
		t.Fatalf("%d rows, %v", got, err)
	}
	held := (p.bytes - before) >> 20
	t.Logf("%d MB of rows: %d MB written, %d MB held at most", n*8192>>20, p.n>>20, held)
	if held > 400 {
		t.Errorf("the writer held %d MB: more than a few row groups of 64 MB", held)
	}
}

// TestTextIsCompressed: no copy of a text may lie uncompressed in statistics.
func TestTextIsCompressed(t *testing.T) {
	var w peak
	sorted, err := arrange([]model.Task{{InstanceID: "a", Patch: strings.Repeat("+line\n", 100_000)}, {InstanceID: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encode(&w, "test", sorted, nil); err != nil {
		t.Fatal(err)
	}
	if w.n > 40_000 {
		t.Errorf("a patch of 600 KB of one line takes %d bytes", w.n)
	}
}

// TestKilledWriter kills processes that write large parts.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("PARQUETIO_WRITE"); dir != "" {
		text := noise(1 << 20)
		for i := 0; ; i++ {
			rows := make([]model.Rejection, 300)
			for j := range rows {
				rows[j] = model.Rejection{Candidate: fmt.Sprint(i, j), Detail: text}
			}
			if _, err := writePart(context.Background(), Config{Dir: dir, Shards: 1}, "rejections", i, rows); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "PARQUETIO_WRITE="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := false; !begun; { // a draft has content: it dies in the middle of one
			names, err := filepath.Glob(filepath.Join(dir, "rejections", half+"*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if info, err := os.Stat(name); err == nil && info.Size() > 1<<20 {
					begun = true
				}
			}
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		drafts, err := filepath.Glob(filepath.Join(dir, "rejections", half+"*"))
		if err != nil || len(drafts) == 0 {
			t.Fatalf("no draft was left: %v; the test killed nothing", err)
		}
		for _, name := range drafts {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		parts, err := filepath.Glob(filepath.Join(dir, "rejections", "part-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range parts {
			b, err := os.ReadFile(name)
			if sum := string(model.Sum(b).Short(8)); err != nil || !strings.HasSuffix(name, sum+".parquet") {
				t.Errorf("%s is not whole: its content has %s, %v", name, sum, err)
			}
		}
	}
}

func TestCheckOut(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		release, err := CheckOut(ctx, dir, "one")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CheckOut(ctx, dir, "one"); !errors.Is(err, ErrBusy) || strings.Contains(err.Error(), "\n") {
			t.Errorf("a folder that a build is writing: %v", err)
		}
		release()
	}
	if _, err := CheckOut(ctx, dir, "two"); !errors.Is(err, ErrOtherBuild) {
		t.Errorf("the folder of another unfinished build: %v", err)
	}
	if err := WriteManifest(ctx, dir, Manifest{ConfigHash: "one"}); err != nil {
		t.Fatal(err)
	}
	release, err := CheckOut(ctx, dir, "one")
	if err != nil {
		t.Fatalf("the folder of the same build: %v", err)
	}
	release()
	_, err = CheckOut(ctx, dir, "two")
	if !errors.Is(err, ErrOtherBuild) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the folder of another build: %v", err)
	}
	if _, err := ReadManifest(ctx, dir); err != nil {
		t.Errorf("a refused build took the manifest: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckOut(ctx, foreign, "one"); !errors.Is(err, ErrOtherBuild) || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("a folder of something else: %v", err)
	}
	if _, err := CheckOut(ctx, filepath.Join(foreign, "thesis.tex"), "one"); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file: %v", err)
	}
	if _, err := CheckOut(ctx, "", "one"); err == nil {
		t.Error("no folder was taken")
	}
	if os.Geteuid() == 0 {
		t.Log("SKIPPED: a folder without permission: root may write everywhere")
		return
	}
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckOut(ctx, closed, "one"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a folder without permission: %v", err)
	}
}

func TestManifestNeedsItsParts(t *testing.T) {
	m := Manifest{Tables: map[string][]Part{"tasks": {{Table: "tasks", File: "tasks/part-0.parquet"}}}}
	if err := WriteManifest(t.Context(), t.TempDir(), m); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("write: %v", err)
	}
}

func FuzzRows(f *testing.F) {
	var b bytes.Buffer
	some := []model.Score{{InstanceID: "a", FailToPass: model.Split{Success: []string{"x"}}}, {}}
	sorted, err := arrange(some)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := encode(&b, "test", sorted, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		next, end, err := rows[model.Score](bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		defer end()
		for range 10 {
			if _, err := next(); err != nil {
				return
			}
		}
	})
}

// TestChecksThatWaited: a run's row is the same whether its checks went with it or were in the store.
func TestChecksThatWaited(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	store, err := blobio.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	row := model.RunRow{RunHash: "r", Unit: "tests/test_a.py"}
	for i := range 1000 {
		row.Checks = append(row.Checks, model.Check{ID: fmt.Sprintf("tests/test_a.py::test_a[%d]", i), Verdict: model.Pass, Seconds: float64(i)})
	}
	waiting, err := row.Defer(func(b []byte) (model.Hash, error) { return store.Put(ctx, b) })
	if err != nil || len(waiting.Checks) > 0 || waiting.Deferred == "" {
		t.Fatalf("%d checks stay in the row, %v", len(waiting.Checks), err)
	}
	var shas []model.Hash
	for _, r := range []model.RunRow{row, waiting} {
		part, err := WriteTable(ctx, Config{Dir: t.TempDir(), Creator: "test", Store: dir}, "runs", []model.RunRow{r})
		if err != nil {
			t.Fatal(err)
		}
		shas = append(shas, part.Sha)
	}
	if shas[0] != shas[1] {
		t.Errorf("the files differ: %s, %s", shas[0], shas[1])
	}
	if _, err := WriteTable(ctx, Config{Dir: t.TempDir(), Store: t.TempDir()}, "runs", []model.RunRow{waiting}); err == nil {
		t.Error("checks that are nowhere were written")
	}
}
