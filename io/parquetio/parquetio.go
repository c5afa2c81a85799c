// Package parquetio turns collections of rows into sharded Parquet tables that are equal for
// equal rows, and reads them back through the manifest that commits them.
//
// A table is the files <table>/part-<shard>-of-<shards>-<8 of its SHA-256>.parquet. Since the
// name says the content, a table that is written again never changes a file that an earlier
// manifest names: the new manifest is the moment at which the new table is there.
package parquetio

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
)

// A Row is one row of a table: a struct whose parquet tags are the schema.
type Row interface {
	// RowKey decides the shard and the order. Rows with equal keys are ordered by their JSON
	// form.
	RowKey() string
}

// A Config says where and how tables are written.
type Config struct {
	Dir     string // a directory or gs://bucket/prefix, as every worker sees it
	Shards  int    // files a table, by hash of the key; at least 1
	Creator string // in each file's metadata: the version of the program
	Store   string // where rows left parts of themselves, as blobio.Open takes it; empty: they did not
}

// A Part is one file of a table.
type Part struct {
	Table string     `json:"table"`
	File  string     `json:"file"` // below the output folder
	Rows  int64      `json:"rows"`
	Sha   model.Hash `json:"sha256"`
}

// Write writes the rows (a PCollection of T, which is registered) as a table and gives its
// Parts. A shard without rows has no file, except shard 0: a table without rows is one file
// with the schema.
func Write[T Row](s beam.Scope, table string, cfg Config, rows beam.PCollection) beam.PCollection {
	s = s.Scope("parquetio.Write/" + table)
	cfg.Shards = max(cfg.Shards, 1)
	keyed := beam.ParDo(s, &shardFn[T]{Shards: cfg.Shards}, rows)
	seed := beam.ParDo(s, &seedFn{}, beam.Impulse(s))
	shards := beam.CoGroupByKey(s, seed, keyed)
	parts := beam.ParDo(s, &writeFn[T]{Table: table, Config: cfg}, shards)
	return beam.Reshuffle(s, parts) // Prism spins on a slow stage that ends in no output
}

// Register makes rows of type T writable on every runner. Call it in an init function. The rows
// of package model are registered.
func Register[T Row]() {
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterDoFn(&shardFn[T]{})
	beam.RegisterDoFn(&writeFn[T]{})
	register.Iter1[T]()
}

func init() {
	beam.RegisterType(reflect.TypeFor[Part]())
	beam.RegisterDoFn(&seedFn{})
	register.Iter1[bool]()
	register.Emitter1[Part]()
	Register[model.Task]()
	Register[model.ChangeRow]()
	Register[model.Rejection]()
	Register[model.Attempt]()
	Register[model.RunRow]()
	Register[model.BaseRow]()
	Register[model.Cost]()
	Register[model.Score]()
	Register[model.RecordRow]()
}

// shardFn keys a row by its shard.
type shardFn[T Row] struct{ Shards int }

func (f *shardFn[T]) ProcessElement(row T) (int, T) {
	h := fnv.New64a()
	h.Write([]byte(row.RowKey()))
	return int(h.Sum64() % uint64(f.Shards)), row
}

// seedFn makes shard 0 exist.
type seedFn struct{}

func (*seedFn) ProcessElement([]byte) (int, bool) { return 0, true }

// writeFn writes one shard.
type writeFn[T Row] struct {
	Table  string
	Config Config
}

func (f *writeFn[T]) ProcessElement(ctx context.Context, shard int, seed func(*bool) bool, next func(*T) bool, emit func(Part)) error {
	for drained := false; seed(&drained); {
	}
	var rows []T
	for {
		var row T // a fresh one: the decoder may leave what it does not set
		if !next(&row) {
			break
		}
		rows = append(rows, row)
	}
	part, err := writePart(ctx, f.Config, f.Table, shard, rows)
	if err != nil {
		return err
	}
	emit(part)
	return nil
}

// WriteTable writes rows as one file of a table without a pipeline; WriteManifest names it.
func WriteTable[T Row](ctx context.Context, cfg Config, table string, rows []T) (Part, error) {
	cfg.Shards = 1
	return writePart(ctx, cfg, table, 0, slices.Clone(rows))
}

// writePart writes rows, which it sorts and clears, as one file.
func writePart[T Row](ctx context.Context, cfg Config, table string, shard int, rows []T) (Part, error) {
	sorted, err := arrange(rows)
	if err != nil {
		return Part{}, fmt.Errorf("write table %s: %w", table, err)
	}
	out, err := openFolder(ctx, cfg.Dir)
	if err != nil {
		return Part{}, fmt.Errorf("write table %s: %w", table, err)
	}
	defer out.close()
	draft, err := out.draft(table)
	if err != nil {
		return Part{}, fmt.Errorf("write table %s: %w", table, err)
	}
	n, err := encode(draft, cfg.Creator, sorted, cfg.fetch(ctx))
	if err != nil {
		return Part{}, errors.Join(fmt.Errorf("write table %s: %w", table, err), draft.discard())
	}
	part := Part{Table: table, Rows: n, Sha: draft.sum()}
	part.File = fmt.Sprintf("%s/part-%05d-of-%05d-%s.parquet", table, shard, cfg.Shards, part.Sha.Short(8))
	if err := draft.commit(ctx, part.File); err != nil {
		return Part{}, fmt.Errorf("write table %s: %w", table, err)
	}
	return part, nil
}

// fetch reads what rows left in the store, which is opened when the first asks.
func (cfg Config) fetch(ctx context.Context) func(model.Hash) ([]byte, error) {
	open := sync.OnceValues(func() (blobio.Store, error) { return blobio.Open(ctx, cfg.Store) })
	return func(h model.Hash) ([]byte, error) {
		s, err := open()
		if err != nil {
			return nil, err
		}
		return s.Get(ctx, h)
	}
}
