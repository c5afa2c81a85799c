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
	candidates, bases, baseRuns, unprepared := prepare(s, cfg, planned)
	grouped, done, unitRuns, unstable := units(s, cfg, candidates)
	tasks, invalid, attempts, runs, costs := validate(s, cfg, grouped, done)

	rejected := beam.Flatten(s, unread, unplanned, unprepared, invalid)
	write(s, cfg, tables{
		tasks: tasks, changes: changeRows(s, found, planned, tasks, rejected), rejections: rejected, attempts: attempts,
		runs: runRows(s, baseRuns, unitRuns, runs), bases: baseRows(s, bases, tasks, unstable), costs: costRows(s, bases, costs),
	})
}

type tables struct{ tasks, changes, rejections, attempts, runs, bases, costs beam.PCollection }

// write writes the tables and the trees of the bases.
func write(s beam.Scope, cfg Config, t tables) {
	s = s.Scope("write")
	out := parquetio.Config{Dir: cfg.Out, Shards: cfg.OutputShards, Creator: "taskmill"}
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
