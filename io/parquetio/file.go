package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Columns are the names of the top columns of a Parquet file that no manifest names. An error
// says that the file is none.
func Columns(file string) (names []string, err error) {
	defer caught(&err)
	f, closer, err := openFile(file)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	return names, nil
}

func openFile(file string) (*parquet.File, io.Closer, error) {
	r, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	info, err := r.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	f, err := open(r, info.Size())
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return f, r, nil
}

// ReadFile gives the rows of a Parquet file that no manifest names, in batches. A column that
// the file lacks is zero; one of another type ends the reading.
func ReadFile[T any](ctx context.Context, file string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, err := os.Open(file)
		if err != nil {
			yield(none, err)
			return
		}
		defer r.Close()
		info, err := r.Stat()
		if err != nil {
			yield(none, err)
			return
		}
		next, end, err := rows[T](r, info.Size())
		if err != nil {
			yield(none, err)
			return
		}
		defer end()
		for {
			batch, err := next()
			for _, row := range batch {
				if !yield(row, nil) {
					return
				}
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(none, err)
				}
				return
			}
		}
	}
}

// ReadObjects gives the rows of a Parquet file of any schema as objects: each top column is a
// value, or a list of values; what is nested deeper is left out. Times are text in RFC 3339.
func ReadObjects(ctx context.Context, file string) iter.Seq2[map[string]any, error] {
	return func(yield func(map[string]any, error) bool) {
		err := eachObject(ctx, file, func(o map[string]any) bool { return yield(o, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

func eachObject(ctx context.Context, file string, yield func(map[string]any) bool) (err error) {
	defer caught(&err)
	f, closer, err := openFile(file)
	if err != nil {
		return err
	}
	defer closer.Close()
	paths := f.Schema().Columns()
	units := make([]time.Duration, len(paths))
	for i, p := range paths {
		if leaf, ok := f.Schema().Lookup(p...); ok {
			units[i] = unitOf(leaf.Node)
		}
	}
	for _, group := range f.RowGroups() {
		more, err := eachOfGroup(ctx, group, paths, units, yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func eachOfGroup(ctx context.Context, group parquet.RowGroup, paths [][]string, units []time.Duration, yield func(map[string]any) bool) (bool, error) {
	reader := group.Rows()
	defer reader.Close()
	buffer := make([]parquet.Row, 16)
	for ctx.Err() == nil {
		n, err := reader.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if !yield(flat(row, paths, units)) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// unitOf is what one of a timestamp column counts; 0 for other columns.
func unitOf(n parquet.Node) time.Duration {
	t := n.Type().LogicalType()
	if t == nil {
		return 0
	}
	stamp, ok := t.Value.(*format.TimestampType)
	if !ok || stamp.Unit.Value == nil {
		return 0
	}
	return stamp.Unit.Value.Duration()
}

// flat is a row's flat columns: plain ones, and lists of plain values.
func flat(row parquet.Row, paths [][]string, units []time.Duration) map[string]any {
	out := map[string]any{}
	for _, v := range row {
		i := v.Column()
		path := paths[i]
		listed := len(path) == 3 && path[1] == "list" || len(path) == 2 && path[1] == "array"
		switch {
		case len(path) == 1 && v.RepetitionLevel() == 0 && v.DefinitionLevel() == 0 && v.IsNull():
			out[path[0]] = nil
		case len(path) == 1:
			out[path[0]] = plain(v, units[i])
		case listed && v.IsNull():
			if _, ok := out[path[0]]; !ok {
				out[path[0]] = []any{}
			}
		case listed:
			list, _ := out[path[0]].([]any)
			out[path[0]] = append(list, plain(v, units[i]))
		}
	}
	return out
}

func plain(v parquet.Value, unit time.Duration) any {
	if v.IsNull() {
		return nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		if unit > 0 {
			n, per := v.Int64(), int64(time.Second/unit)
			return time.Unix(n/per, n%per*int64(unit)).UTC().Format(time.RFC3339Nano)
		}
		return v.Int64()
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return fmt.Sprint(v)
}
