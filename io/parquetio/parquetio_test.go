package parquetio_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	//lint:ignore SA1019 the rows are the same on the runner that is the local default
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/blobio/blobtest"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	os.Exit(m.Run())
}

func init() {
	register.Function2x0(makeTasks)
	register.Function2x0(makeAttempts)
	register.Emitter1[model.Task]()
	register.Emitter1[model.Attempt]()
}

// task is the i-th of a set: every third has no optional value, every third all of them.
func task(i int) model.Task {
	at := time.Date(2024, 1, 2, 3, 4, 5, 678_900_000+i, time.FixedZone("somewhere", 3600))
	t := model.Task{InstanceID: fmt.Sprintf("o__r-%d", i), CreatedAt: at, ProblemStatement: fmt.Sprint("problem ", i*7919%1000)}
	if i%3 == 1 {
		t.Scopes, t.Gates, t.FailToPass = []model.ScopeRow{}, []model.Gate{}, []string{}
	}
	if i%3 == 2 {
		no, zero, none, later := false, int64(0), 0.0, at.Add(time.Hour)
		t.Interface, t.FailToPass = "func F()", []string{"b", "", "a"}
		t.Connected, t.DroppedFunctions, t.OverlapMax, t.SourceMergedAt = &no, &zero, &none, &later
		t.FidelityParts = &model.FidelityParts{}
		t.Scopes = []model.ScopeRow{{Name: "s", Points: []string{"p"}, Functions: []model.FunctionRef{{Path: "f.go", Start: 1}}}, {Name: "t"}}
	}
	return t
}

func makeTasks(n int, emit func(model.Task)) {
	for i := range n {
		emit(task(i))
	}
}

// makeAttempts makes rows of which many have equal keys.
func makeAttempts(n int, emit func(model.Attempt)) {
	for i := range n {
		emit(model.Attempt{Candidate: fmt.Sprint("c", i%5000), Number: int64(i % 2), Outcome: "rejected", Detail: fmt.Sprint("detail ", i*7919%n)})
	}
}

// build writes the tables tasks and attempts, and an empty one, on a runner.
func build(t *testing.T, runner, dir string, tasks, attempts int) parquetio.Manifest {
	t.Helper()
	release, err := parquetio.CheckOut(t.Context(), dir, "c0ffee")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	p, s := beam.NewPipelineWithRoot()
	cfg := parquetio.Config{Dir: dir, Shards: 3, Creator: "test"}
	parquetio.Collect(s, cfg,
		parquetio.Write[model.Task](s, "tasks", cfg, beam.ParDo(s, makeTasks, beam.Create(s, tasks))),
		parquetio.Write[model.Attempt](s, "attempts", cfg, beam.ParDo(s, makeAttempts, beam.Create(s, attempts))),
		parquetio.Write[model.Score](s, "scores", cfg, beam.CreateList(s, []model.Score{})))
	if _, err := beam.Run(t.Context(), runner, p); err != nil {
		t.Fatal(err)
	}
	m, err := parquetio.Commit(t.Context(), dir, "c0ffee", "v1")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// contents are the files of a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func all[T any](t *testing.T, dir, table string) []T {
	t.Helper()
	var out []T
	for row, err := range parquetio.ReadTable[T](t.Context(), dir, table) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// TestSameBytesOnEveryRunner writes 100,000 rows and 300 tasks twice on each runner.
func TestSameBytesOnEveryRunner(t *testing.T) {
	const tasks, attempts = 300, 100_000
	var first map[string]string
	for _, runner := range []string{"direct", "direct", "prism", "prism"} {
		dir := filepath.Join(t.TempDir(), "corpus")
		build(t, runner, dir, tasks, attempts)
		got := contents(t, dir)
		if first == nil {
			first = got
			names := slices.Sorted(maps.Keys(first))
			if len(names) != 3+3+1+1 || names[3] != "manifest.json" {
				t.Errorf("files: %q; want 3 shards of two tables, one of an empty one and the manifest", names)
			}
			checkRows(t, dir, tasks, attempts)
		}
		for _, name := range slices.Sorted(maps.Keys(first)) {
			if first[name] != got[name] {
				t.Errorf("%s: %s differs from the first build's (%d and %d bytes)", runner, name, len(got[name]), len(first[name]))
			}
		}
		if len(got) != len(first) {
			t.Errorf("%s: files %q", runner, slices.Sorted(maps.Keys(got)))
		}
	}
}

func checkRows(t *testing.T, dir string, tasks, attempts int) {
	t.Helper()
	got := map[string]model.Task{}
	for _, row := range all[model.Task](t, dir, "tasks") {
		got[row.InstanceID] = row
	}
	if len(got) != tasks {
		t.Errorf("%d tasks, want %d", len(got), tasks)
	}
	for i := range 3 {
		want := task(i)
		want.CreatedAt = want.CreatedAt.UTC().Truncate(time.Millisecond)
		if want.SourceMergedAt != nil {
			at := want.SourceMergedAt.UTC().Truncate(time.Millisecond)
			want.SourceMergedAt = &at
		}
		if diff := cmp.Diff(want, got[want.InstanceID], emptyIsNil); diff != "" {
			t.Errorf("task %d (-written +read):\n%s", i, diff)
		}
	}
	if rows := all[model.Attempt](t, dir, "attempts"); len(rows) != attempts {
		t.Errorf("%d attempts, want %d", len(rows), attempts)
	}
	if rows := all[model.Score](t, dir, "scores"); len(rows) != 0 {
		t.Errorf("scores: %v", rows)
	}
}

var emptyIsNil = cmp.FilterValues(func(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.IsValid() && y.IsValid() && x.Kind() == reflect.Slice && y.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0
}, cmp.Ignore())

func TestWhatDoesNotApplyIsNull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	build(t, "direct", dir, 3, 1)
	for _, row := range all[model.Task](t, dir, "tasks") {
		want := row.InstanceID == "o__r-2"
		for name, set := range map[string]bool{
			"source_merged_at": row.SourceMergedAt != nil, "connected": row.Connected != nil,
			"dropped_functions": row.DroppedFunctions != nil, "overlap_max": row.OverlapMax != nil,
			"fidelity_parts": row.FidelityParts != nil, "scopes": row.Scopes != nil,
		} {
			if set != want {
				t.Errorf("%s: %s is set: %v, want %v", row.InstanceID, name, set, want)
			}
		}
		if row.Gates != nil || row.T0 != nil {
			t.Errorf("%s: gates and t0 are %v and %v, want null", row.InstanceID, row.Gates, row.T0)
		}
	}
}

func TestTableInABucket(t *testing.T) {
	blobtest.Bucket(t)
	dir := "gs://bucket/corpus"
	first := build(t, "direct", dir, 30, 10)
	local := build(t, "direct", filepath.Join(t.TempDir(), "corpus"), 30, 10)
	if diff := cmp.Diff(local, first); diff != "" {
		t.Errorf("manifest (-directory +bucket):\n%s", diff)
	}
	if rows := all[model.Task](t, dir, "tasks"); len(rows) != 30 {
		t.Errorf("%d tasks, want 30", len(rows))
	}
	second := build(t, "direct", dir, 31, 10)
	if rows := all[model.Task](t, dir, "tasks"); len(rows) != 31 || cmp.Equal(first, second) {
		t.Errorf("%d tasks after the second build, want 31", len(rows))
	}
}

func TestStaleFilesAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	build(t, "direct", dir, 30, 10)
	for _, left := range []string{"tasks/.part-left", ".part-left", "tasks/part-00000-of-00009-12345678.parquet"} {
		if err := os.WriteFile(filepath.Join(dir, left), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "trees"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trees", "abc.tar.zst"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m := build(t, "direct", dir, 31, 10)
	want := []string{"manifest.json", "trees/abc.tar.zst"}
	for _, parts := range m.Tables {
		for _, p := range parts {
			want = append(want, p.File)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(contents(t, dir)))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestOldManifestHoldsUntilTheNew reads the first build while the second has written its files
// and not its manifest.
func TestOldManifestHoldsUntilTheNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	build(t, "direct", dir, 30, 10)
	p, s := beam.NewPipelineWithRoot()
	cfg := parquetio.Config{Dir: dir, Shards: 3, Creator: "test"}
	parquetio.Write[model.Task](s, "tasks", cfg, beam.ParDo(s, makeTasks, beam.Create(s, 40)))
	if _, err := beam.Run(context.Background(), "direct", p); err != nil {
		t.Fatal(err)
	}
	if rows := all[model.Task](t, dir, "tasks"); len(rows) != 30 {
		t.Errorf("%d tasks, want the 30 of the finished build", len(rows))
	}
}

func TestReadingWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir, part string)
		is    error
	}{
		{"no manifest", func(t *testing.T, dir, _ string) { remove(t, dir, "manifest.json") }, parquetio.ErrNoManifest},
		{"no part", func(t *testing.T, dir, part string) { remove(t, dir, part) }, nil},
		{"cut part", func(t *testing.T, dir, part string) {
			if err := os.Truncate(filepath.Join(dir, part), 100); err != nil {
				t.Fatal(err)
			}
		}, parquetio.ErrCorrupt},
		{"symlink", func(t *testing.T, dir, part string) {
			outside := filepath.Join(t.TempDir(), "x")
			if err := os.Rename(filepath.Join(dir, part), outside); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, part)); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"no JSON", func(t *testing.T, dir, _ string) { overwrite(t, dir, "manifest.json", "{") }, nil},
		{"escape", func(t *testing.T, dir, _ string) {
			overwrite(t, dir, "manifest.json", `{"tables":{"tasks":[{"table":"tasks","file":"tasks/../../part-x.parquet"}]}}`)
		}, nil},
		{"other table", func(t *testing.T, dir, _ string) {
			overwrite(t, dir, "manifest.json", `{"tables":{"tasks":[{"table":"tasks","file":"runs/part-x.parquet"}]}}`)
		}, nil},
		{"no Parquet", func(t *testing.T, dir, _ string) {
			overwrite(t, dir, "tasks/part-x.parquet", "PAR1 something PAR1")
			overwrite(t, dir, "manifest.json", fmt.Sprintf(`{"tables":{"tasks":[{"table":"tasks","file":"tasks/part-x.parquet","rows":1,"sha256":%q}]}}`,
				model.Sum([]byte("PAR1 something PAR1"))))
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "corpus")
			m := build(t, "direct", dir, 10, 10)
			c.spoil(t, dir, m.Tables["tasks"][0].File)
			var err error
			for _, e := range parquetio.ReadTable[model.Task](t.Context(), dir, "tasks") {
				err = errors.Join(err, e)
			}
			if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("read: %v; want an error that is %v", err, c.is)
			}
		})
	}
	for dir, want := range map[string]error{filepath.Join(t.TempDir(), "none"): fs.ErrNotExist, t.TempDir(): parquetio.ErrNoManifest} {
		if _, err := parquetio.ReadManifest(t.Context(), dir); !errors.Is(err, want) {
			t.Errorf("read of %s: %v, want %v", dir, err, want)
		}
		if _, err := os.Stat(dir); err == nil && want == fs.ErrNotExist {
			t.Errorf("reading made %s", dir)
		}
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
