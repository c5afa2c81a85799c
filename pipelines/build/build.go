package build

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

func init() {
	beam.RegisterDoFn(&keepTreeFn{})
}

// Build adds the whole job to s. The caller commits the output when the job has ended.
func Build(s beam.Scope, cfg Config) {
	records, unread := read(s, cfg, beam.CreateList(s, cfg.Sources))
	found := changes(s, cfg, records)
	planned, unplanned := plan(s, cfg, found)
	t := try(s.Scope("first"), cfg, planned)
	if cfg.severalBases() {
		again, final := again(s, planned, t.rejected)
		next := try(s.Scope("second"), cfg, again)
		t.rejected = final
		t = t.with(s, next)
		planned = beam.Flatten(s, planned, again)
	}

	if cfg.Historical {
		planned, t = fallBack(s, cfg, planned, t)
	}
	if cfg.PairHistorical {
		t = t.with(s, twins(s, cfg, planned, t.tasks))
		writePairs(s, cfg, t.tasks)
	}

	rejected := beam.Flatten(s, unread, unplanned, t.rejected)
	bases := baseRows(s, t.bases, t.tasks, t.unstable)
	costs := costRows(s, bases, t.costs)
	if cfg.MeasureBaseline > 0 {
		costs = beam.Flatten(s, costs, baselines(s, cfg, t.tasks, bases))
	}
	write(s, cfg, tables{
		tasks: t.tasks, changes: changeRows(s, found, planned, t.tasks, rejected), rejections: rejected, attempts: t.attempts,
		runs: runRows(s, t.runs), bases: bases, costs: costs,
	})
}

// A tried is what came of planned changes in their slots.
type tried struct {
	tasks, rejected, attempts, runs, costs beam.PCollection
	bases                                  beam.PCollection // BaseRow, perhaps several of one base
	unstable                               beam.PCollection
}

// try turns KV<slot key, Planned> into tasks and rejections: each slot's base is prepared, its
// units run, and each change constructed and validated on it.
func try(s beam.Scope, cfg Config, planned beam.PCollection) tried {
	candidates, bases, baseRuns, unprepared := prepare(s, cfg, planned)
	grouped, done, unitRuns, unstable := units(s, cfg, candidates)
	tasks, invalid, attempts, runs, costs := validate(s, cfg, grouped, done)
	return tried{
		tasks: tasks, rejected: beam.Flatten(s, unprepared, invalid), attempts: attempts, costs: costs,
		runs: beam.Flatten(s, baseRuns, unitRuns, runs), bases: bases, unstable: unstable,
	}
}

func (t tried) with(s beam.Scope, o tried) tried {
	return tried{
		tasks: beam.Flatten(s, t.tasks, o.tasks), rejected: beam.Flatten(s, t.rejected, o.rejected),
		attempts: beam.Flatten(s, t.attempts, o.attempts), runs: beam.Flatten(s, t.runs, o.runs),
		costs: beam.Flatten(s, t.costs, o.costs), bases: beam.Flatten(s, t.bases, o.bases),
		unstable: beam.Flatten(s, t.unstable, o.unstable),
	}
}

type tables struct{ tasks, changes, rejections, attempts, runs, bases, costs beam.PCollection }

// write writes the tables and the trees of the bases.
func write(s beam.Scope, cfg Config, t tables) {
	s = s.Scope("write")
	out := parquetio.Config{Dir: cfg.Out, Shards: cfg.OutputShards, Creator: "taskmill", Store: cfg.Execute.Work}
	parquetio.Collect(s, out,
		parquetio.Write[model.Task](s, "tasks", out, t.tasks),
		parquetio.Write[model.ChangeRow](s, "changes", out, t.changes),
		parquetio.Write[model.Rejection](s, "rejections", out, t.rejections),
		parquetio.Write[model.Attempt](s, "attempts", out, t.attempts),
		parquetio.Write[model.RunRow](s, "runs", out, t.runs),
		parquetio.Write[model.BaseRow](s, "bases", out, t.bases),
		parquetio.Write[model.Cost](s, "costs", out, t.costs),
	)
	beam.Reshuffle(s, beam.ParDo(s, &keepTreeFn{cfg}, beam.Reshuffle(s, t.bases)))
}

// keepTreeFn copies the archive of a base's tree into the corpus, which so stands alone.
type keepTreeFn struct{ Config Config }

func (f *keepTreeFn) ProcessElement(ctx context.Context, b model.BaseRow) (string, error) {
	if b.TreeHash == "" {
		return "", nil
	}
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return "", err
	}
	name := "trees/" + b.TreeHash + ".tar.zst"
	text, err := shop.Store.Read(ctx, name)
	if err != nil {
		return "", fmt.Errorf("read tree %s: %w", b.TreeHash, err)
	}
	out, err := blobio.Open(ctx, f.Config.Out)
	if err != nil {
		return "", err
	}
	return name, out.Write(ctx, name, text)
}
