package build

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/pipelines/ingest"
	"github.com/taskmill/taskmill/transforms/evidence"
)

func init() {
	beam.RegisterType(reflect.TypeFor[model.Source]())
	beam.RegisterDoFn(&readFn{})
	beam.RegisterDoFn(&shardRecordFn{})
	beam.RegisterDoFn(&evidenceFn{})
	register.Emitter1[model.Record]()
	register.Emitter1[model.Rejection]()
	register.Emitter1[model.Change]()
	register.Iter1[model.Record]()
}

// read turns Source into Record and Rejection.
func read(s beam.Scope, cfg Config, sources beam.PCollection) (records, rejected beam.PCollection) {
	s = s.Scope("ingest")
	return beam.ParDo2(s, &readFn{cfg}, beam.Reshuffle(s, sources))
}

type readFn struct{ Config Config }

func (f *readFn) ProcessElement(ctx context.Context, src model.Source, emit func(model.Record), reject func(model.Rejection)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	return f.Config.Reading().Records(ctx, shop, src, func(r model.Record) error {
		execute.Progress.Records.Add(1)
		emit(r)
		return nil
	}, reject)
}

// Reading is which records are read, and what files tell of them.
func (cfg Config) Reading() ingest.Reading {
	r := ingest.Reading{Options: cfg.Records(), Feeds: cfg.Changes, Only: cfg.ChangesOnly}
	for _, s := range cfg.Sources {
		r.Repos = append(r.Repos, s.Repo)
	}
	return r
}

// Records are the options of reading records.
func (cfg Config) Records() gitio.RecordOptions {
	return gitio.RecordOptions{Since: cfg.Since, Until: cfg.Until, Limit: cfg.Limit, Numbers: cfg.Numbers, Commits: cfg.Commits, Branches: cfg.Branches}
}

// changes turns Record into Change: evidence from git objects alone.
func changes(s beam.Scope, cfg Config, records beam.PCollection) beam.PCollection {
	s = s.Scope("evidence")
	keyed := beam.ParDo(s, &shardRecordFn{Shards: cfg.Shards}, records)
	return beam.ParDo(s, &evidenceFn{cfg}, beam.GroupByKey(s, keyed))
}

// shardRecordFn keys a record by repository and shard.
type shardRecordFn struct{ Shards int }

func (f *shardRecordFn) ProcessElement(r model.Record) (string, model.Record) {
	return r.Repo + "#" + shard(r.Key(), f.Shards), r
}

func shard(key string, shards int) string {
	h := fnv.New32a()
	h.Write([]byte(key))
	return fmt.Sprint(h.Sum32() % uint32(max(shards, 1)))
}

type evidenceFn struct{ Config Config }

func (f *evidenceFn) ProcessElement(ctx context.Context, _ string, next func(*model.Record) bool, emit func(model.Change)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	type found struct {
		change model.Change
		err    error
	}
	var fault error
	err = execute.Each(ctx, f.Config.Execute.Jobs, values(next), func(ctx context.Context, r model.Record) found {
		c, err := Evidence(ctx, shop, r)
		return found{c, err}
	}, func(g found) {
		if g.err != nil {
			fault = g.err
			return
		}
		execute.Progress.Changes.Add(1)
		emit(g.change)
	})
	if fault != nil {
		return fault
	}
	return err
}

// values ranges over a group's values.
func values[T any](next func(*T) bool) func(func(T) bool) {
	return func(yield func(T) bool) {
		for {
			var v T
			if !next(&v) || !yield(v) {
				return
			}
		}
	}
}

// Evidence is the evidence of one record. A record whose objects cannot be read is an
// ineligible change that says so; the error is the store's own.
func Evidence(ctx context.Context, shop *execute.Shop, r model.Record) (model.Change, error) {
	repo, err := shop.Repository(ctx, r.Source)
	if err != nil {
		return model.Change{}, err
	}
	before, after, err := ingest.Trees(ctx, shop, repo, r)
	if err != nil {
		return unreadable(r, err), nil
	}
	c, err := evidence.Of(r, before, after, execute.Languages(), func(b []byte) (model.Hash, error) { return shop.Store.Put(ctx, b) })
	if err != nil {
		return unreadable(r, err), nil
	}
	return c, nil
}

func unreadable(r model.Record, err error) model.Change {
	return model.Change{ID: r.Key(), Record: r, Repo: r.Repo, MergedAt: r.MergedAt, Reason: model.Infrastructure, Detail: gitio.Explain(err)}
}
