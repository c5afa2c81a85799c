package parquetio

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/taskmill/taskmill/model"
)

// Limits of a row group, which is what the writer holds in memory. They are part of the bytes.
const (
	groupRows  = 64 << 10
	groupBytes = 64 << 20
	batchRows  = 512
)

// A restorer is a row that left a part of itself in the store.
type restorer[T Row] interface {
	Restore(get func(model.Hash) ([]byte, error)) (T, error)
}

// encode writes rows as one Parquet file, and lets each row go when it is written. get reads what
// rows left in the store.
func encode[T Row](w io.Writer, creator string, rows []placed[T], get func(model.Hash) ([]byte, error)) (n int64, err error) {
	// The library panics on what it cannot write.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("encode row %d: %v", n, r)
		}
	}()
	p := parquet.NewGenericWriter[T](w, options[T](creator)...)
	schema := p.Schema()
	var group int64
	// Rows are taken apart one by one: given many at once, the library (0.32) tells runs of
	// absent texts and numbers wrongly, and writes zeros for some.
	batch := make([]parquet.Row, 0, batchRows)
	flush := func() error {
		if _, err := p.WriteRows(batch); err != nil {
			return err
		}
		n += int64(len(batch))
		clear(batch)
		batch = batch[:0]
		return nil
	}
	for i := range rows {
		row := *rows[i].row
		if r, ok := any(row).(restorer[T]); ok {
			if row, err = r.Restore(get); err != nil {
				return n, err
			}
		}
		group += weight(reflect.ValueOf(row))
		batch = append(batch, schema.Deconstruct(nil, &row))
		var none T
		*rows[i].row = none
		if len(batch) < batchRows && group < groupBytes {
			continue
		}
		if err := flush(); err != nil {
			return n, err
		}
		if group >= groupBytes {
			if err := p.Flush(); err != nil {
				return n, err
			}
			group = 0
		}
	}
	if err := flush(); err != nil {
		return n, err
	}
	return n, p.Close()
}

// options are all that decides the bytes besides the rows.
func options[T Row](creator string) []parquet.WriterOption {
	var none T
	schema := parquet.SchemaOf(none)
	all := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.CreatedBy("taskmill", creator, ""),
		parquet.MaxRowsPerRowGroup(groupRows),
		// The bounds of a text column are whole texts, uncompressed: a patch would be there
		// five times.
		parquet.DataPageStatistics(false),
	}
	for _, column := range schema.Columns() {
		if leaf, ok := schema.Lookup(column...); ok && leaf.Node.Type().Kind() == parquet.ByteArray {
			all = append(all, parquet.SkipPageBounds(column...))
		}
	}
	return all
}
