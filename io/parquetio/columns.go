package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// ErrSchema is in the error of reading a table that lacks a wanted column, or has it in another
// form.
var ErrSchema = errors.New("a table of another version of taskmill")

// ReadColumns is ReadTable for rows that have some of a table's columns: only those are read. A
// column that the table lacks, or has with another type, is ErrSchema, where ReadTable gives its
// zero value.
func ReadColumns[T any](ctx context.Context, dir, table string) iter.Seq2[T, error] {
	return readTable(ctx, dir, table, columns[T])
}

func columns[T any](r io.ReaderAt, size int64) (next func() ([]T, error), end func() error, err error) {
	if err := hasColumns[T](r, size); err != nil {
		return nil, nil, err
	}
	return rows[T](r, size)
}

func hasColumns[T any](r io.ReaderAt, size int64) (err error) {
	defer caught(&err)
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	var row T
	want := parquet.SchemaOf(row)
	for _, path := range want.Columns() {
		name := strings.Join(path, ".")
		wanted, _ := want.Lookup(path...)
		found, ok := f.Schema().Lookup(path...)
		if !ok {
			return fmt.Errorf("no column %s: %w", name, ErrSchema)
		}
		if found.Node.Type().Kind() != wanted.Node.Type().Kind() || found.MaxRepetitionLevel != wanted.MaxRepetitionLevel || found.MaxDefinitionLevel != wanted.MaxDefinitionLevel {
			return fmt.Errorf("column %s is %s, want %s: %w", name, found.Node, wanted.Node, ErrSchema)
		}
	}
	return nil
}
