package build

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

func init() {
	register.DoFn3x1[context.Context, string, func(*parquetio.Part) bool, error](&manifestFn{})
	register.DoFn3x1[context.Context, model.BaseRow, func(parquetio.Part), error](&keepTreeFn{})
	register.DoFn1x2[parquetio.Part, string, parquetio.Part](&byBuildFn{})
	register.Iter1[parquetio.Part]()
	register.Emitter1[parquetio.Part]()
	register.Emitter1[string]()
}

// Build adds the whole job to s.
func Build(s beam.Scope, cfg Config) {
	records, unread := read(s, cfg, beam.CreateList(s, cfg.Sources))
	found := changes(s, cfg, records)
	planned, unplanned := plan(s, cfg, found)
	candidates, bases, baseRuns, unprepared := prepare(s, cfg, planned)
	grouped, done, unitRuns := units(s, cfg, candidates)
	tasks, invalid, attempts, runs, costs := validate(s, cfg, grouped, done)

	rejected := beam.Flatten(s, unread, unplanned, unprepared, invalid)
	allBases := baseRows(s, bases, tasks)
	write(s, cfg, tables{
		tasks: tasks, changes: changeRows(s, found, planned, tasks, rejected), rejections: rejected, attempts: attempts,
		runs: runRows(s, baseRuns, unitRuns, runs), bases: allBases, costs: costs,
	})
}

type tables struct{ tasks, changes, rejections, attempts, runs, bases, costs beam.PCollection }

// write writes each table, the trees of the bases, and last the manifest.
func write(s beam.Scope, cfg Config, t tables) {
	s = s.Scope("write")
	out := parquetio.Config{Dir: cfg.Out, Shards: cfg.OutputShards, Creator: "taskmill"}
	parts := beam.Flatten(s,
		parquetio.Write[model.Task](s, "tasks", out, t.tasks),
		parquetio.Write[model.ChangeRow](s, "changes", out, t.changes),
		parquetio.Write[model.Rejection](s, "rejections", out, t.rejections),
		parquetio.Write[model.Attempt](s, "attempts", out, t.attempts),
		parquetio.Write[model.RunRow](s, "runs", out, t.runs),
		parquetio.Write[model.BaseRow](s, "bases", out, t.bases),
		parquetio.Write[model.Cost](s, "costs", out, t.costs),
		trees(s, cfg, t.bases),
	)
	// One group of all parts: the manifest is written when every part is.
	beam.ParDo0(s, &manifestFn{cfg}, beam.GroupByKey(s, beam.ParDo(s, &byBuildFn{}, parts)))
}

// trees copies the archive of each base's tree into the corpus: BaseRow becomes Part.
func trees(s beam.Scope, cfg Config, bases beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("trees"), &keepTreeFn{cfg}, beam.Reshuffle(s, bases))
}

type keepTreeFn struct{ Config Config }

func (f *keepTreeFn) ProcessElement(ctx context.Context, b model.BaseRow, emit func(parquetio.Part)) error {
	if b.TreeHash == "" {
		return nil
	}
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	name := "trees/" + b.TreeHash + ".tar.zst"
	text, err := shop.Store.Read(ctx, name)
	if err != nil {
		return fmt.Errorf("read tree %s: %w", b.TreeHash, err)
	}
	target := path.Join(f.Config.Out, name)
	if strings.HasPrefix(f.Config.Out, "gs://") {
		target = strings.TrimSuffix(f.Config.Out, "/") + "/" + name
	}
	if err := parquetio.WriteFile(ctx, target, text); err != nil {
		return err
	}
	emit(parquetio.Part{Table: "trees", File: name})
	return nil
}

type byBuildFn struct{}

func (byBuildFn) ProcessElement(p parquetio.Part) (string, parquetio.Part) { return "build", p }

type manifestFn struct{ Config Config }

func (f *manifestFn) ProcessElement(ctx context.Context, _ string, parts func(*parquetio.Part) bool) error {
	m := parquetio.Manifest{ConfigHash: f.Config.Hash(), Version: f.Config.Version, Tables: map[string][]parquetio.Part{}}
	for p := range values(parts) {
		m.Tables[p.Table] = append(m.Tables[p.Table], p)
	}
	return parquetio.WriteManifest(ctx, f.Config.Out, m)
}
