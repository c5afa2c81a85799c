package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// differences compares two corpora: tasks and changes byte for byte, rejections and attempts but
// for what a clock or a log decides.
func differences(ctx context.Context, want, got string) error {
	return errors.Join(
		sameFiles(want, got, "tasks"), sameFiles(want, got, "changes"),
		sameTable(ctx, want, got, "rejections", func(r model.Rejection) model.Rejection { r.LogHash = ""; return r }),
		sameTable(ctx, want, got, "attempts", func(a model.Attempt) model.Attempt {
			a.Seconds, a.USD, a.TokensIn, a.TokensOut = 0, 0, 0, 0
			return a
		}),
	)
}

// sameFiles wants the same files with the same bytes.
func sameFiles(want, got, table string) error {
	var contents [2][][]byte
	for i, dir := range []string{want, got} {
		files, err := filepath.Glob(filepath.Join(dir, table, "*.parquet"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("%s has no %s", dir, table)
		}
		slices.Sort(files)
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			contents[i] = append(contents[i], data)
		}
	}
	if slices.EqualFunc(contents[0], contents[1], bytes.Equal) {
		return nil
	}
	switch table {
	case "tasks":
		return explained(table, sameTable(context.Background(), want, got, table, func(t model.Task) model.Task { return t }))
	default:
		return explained(table, sameTable(context.Background(), want, got, table, func(c model.ChangeRow) model.ChangeRow { return c }))
	}
}

func explained(table string, err error) error {
	if err == nil {
		err = errors.New("the rows are the same, the bytes are not")
	}
	return fmt.Errorf("%s differ: %w", table, err)
}

// sameTable wants the same rows in the same order, after plain has taken out what may differ.
func sameTable[T any](ctx context.Context, want, got, table string, plain func(T) T) error {
	a, err := rowsOf(ctx, want, table, plain)
	if err != nil {
		return err
	}
	b, err := rowsOf(ctx, got, table, plain)
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("%s: %d rows, want %d", table, len(b), len(a))
	}
	var faults []error
	for i := range a {
		if a[i] != b[i] {
			faults = append(faults, fmt.Errorf("%s row %d:\n    want %s\n    got  %s", table, i, a[i], b[i]))
		}
	}
	return errors.Join(faults[:min(len(faults), 5)]...)
}

func rowsOf[T any](ctx context.Context, dir, table string, plain func(T) T) ([]string, error) {
	var out []string
	for row, err := range parquetio.ReadTable[T](ctx, dir, table) {
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(plain(row))
		if err != nil {
			return nil, err
		}
		out = append(out, string(text))
	}
	return out, nil
}
