package parquetio

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/taskmill/taskmill/model"
)

// ErrCorrupt is in the error of reading a file that differs from what the manifest says.
var ErrCorrupt = errors.New("not the file that the manifest names")

// ReadTable gives the rows of a table of a finished build, shard by shard in their order. Each
// file is checked against the manifest before its first row is given. Rows are read in batches:
// memory does not grow with the table.
func ReadTable[T any](ctx context.Context, dir, table string) iter.Seq2[T, error] {
	return readTable(ctx, dir, table, rows[T])
}

// An opener opens a Parquet file for reading: see rows.
type opener[T any] func(r io.ReaderAt, size int64) (next func() ([]T, error), end func() error, err error)

func readTable[T any](ctx context.Context, dir, table string, open opener[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		m, err := ReadManifest(ctx, dir)
		if err != nil {
			yield(none, err)
			return
		}
		parts, ok := m.Tables[table]
		if !ok {
			yield(none, fmt.Errorf("read table %s of %s: the build has no such table", table, dir))
			return
		}
		in, err := openFolder(ctx, dir)
		if err != nil {
			yield(none, fmt.Errorf("read table %s: %w", table, err))
			return
		}
		defer in.close()
		for _, p := range parts {
			for row, err := range readPart(ctx, in, p, open) {
				if err != nil {
					yield(none, fmt.Errorf("read %s of %s: %w", p.File, dir, err))
					return
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func readPart[T any](ctx context.Context, in folder, p Part, begin opener[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, size, closer, err := in.open(ctx, p.File)
		if missing(err) {
			err = errors.New("the file is missing")
		}
		if err != nil {
			yield(none, err)
			return
		}
		defer closer.Close()
		hash := sha256.New()
		if _, err := io.Copy(hash, io.NewSectionReader(r, 0, size)); err != nil {
			yield(none, err)
			return
		}
		if model.Hash(hex.EncodeToString(hash.Sum(nil))) != p.Sha {
			yield(none, ErrCorrupt)
			return
		}
		next, end, err := begin(r, size)
		if err != nil {
			yield(none, err)
			return
		}
		defer end()
		var n int64
		for {
			batch, err := next()
			for _, row := range batch {
				if n++; !yield(row, nil) {
					return
				}
			}
			if err == nil && ctx.Err() != nil {
				err = ctx.Err()
			}
			if errors.Is(err, io.EOF) {
				if n != p.Rows {
					yield(none, fmt.Errorf("%d rows, the manifest says %d: %w", n, p.Rows, ErrCorrupt))
				}
				return
			}
			if err != nil {
				yield(none, err)
				return
			}
		}
	}
}

// rows opens a Parquet file and returns a function that gives the next batch, io.EOF with the
// last. The library panics on files that are none: those panics are errors here.
func rows[T any](r io.ReaderAt, size int64) (next func() ([]T, error), end func() error, err error) {
	defer caught(&err)
	f, err := open(r, size)
	if err != nil {
		return nil, nil, err
	}
	reader := parquet.NewGenericReader[T](f)
	next = func() (batch []T, err error) {
		defer caught(&err)
		buffer := make([]T, 64)
		n, err := reader.Read(buffer)
		return buffer[:n], err
	}
	return next, reader.Close, nil
}

// open opens a Parquet file whose footer is within it: the library makes room for as much as the
// footer says, up to 4 GB.
func open(r io.ReaderAt, size int64) (*parquet.File, error) {
	var end [8]byte
	if size < 12 {
		return nil, fmt.Errorf("%d bytes are too few", size)
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) != "PAR1" {
		return nil, errors.New("its end is missing")
	}
	if n := int64(binary.LittleEndian.Uint32(end[:])); n > size-12 {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", n, size)
	}
	f, err := parquet.OpenFile(r, size)
	if err != nil { // the library's words are of thrift fields
		return nil, errors.New("its footer cannot be read")
	}
	return f, nil
}

func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrCorrupt, r)
	}
}
