package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/summary"
)

func runReport(ctx context.Context, c *call) error {
	format := c.flags.String("format", "text", "`form` of the report: text (aligned tables) or json (all figures)")
	if err := c.parse(); err != nil {
		return err
	}
	switch {
	case len(c.args) == 0:
		return usagef("no corpus: want taskmill report CORPUS …")
	case *format != "text" && *format != "json":
		return usagef("--format %s: want text or json", *format)
	}
	names, err := corpusNames(c.args)
	if err != nil {
		return err
	}
	var corpora []summary.Corpus
	for i, dir := range c.args {
		corpus, err := readSummary(ctx, dir)
		if err != nil {
			return err
		}
		corpus.Name, corpus.Folder = names[i], dir
		corpora = append(corpora, corpus)
	}
	r := summary.Make(corpora)
	if *format == "json" {
		return writeJSON(c.out, r)
	}
	return writePrintable(c.out, r.Text)
}

// corpusNames are the folders' own names, or the folders as given where two are the same.
func corpusNames(dirs []string) ([]string, error) {
	names := make([]string, len(dirs))
	n := map[string]int{}
	for i, dir := range dirs {
		whole, err := absolute("corpus", dir)
		if err != nil {
			return nil, err
		}
		for k, other := range dirs[:i] {
			if same, err := absolute("corpus", other); err != nil || same == whole {
				return nil, usagef("%s and %s are one corpus: name it once", dirs[k], dir)
			}
		}
		names[i] = filepath.Base(whole)
		n[names[i]]++
	}
	for i, dir := range dirs {
		if n[names[i]] > 1 || names[i] == "union" {
			names[i] = dir
		}
	}
	return names, nil
}

// readSummary reads what a report needs of a corpus.
func readSummary(ctx context.Context, dir string) (summary.Corpus, error) {
	var c summary.Corpus
	m, err := parquetio.ReadManifest(ctx, dir)
	if err != nil {
		return c, err
	}
	if _, ok := m.Tables["changes"]; !ok {
		return c, fmt.Errorf("%s is no corpus: its manifest names no table changes: give a folder that taskmill build wrote", dir)
	}
	c.ConfigHash, c.Version = string(m.ConfigHash), m.Version
	err = errors.Join(
		collectRows(parquetio.ReadColumns[summary.Change](ctx, dir, "changes"), &c.Changes),
		collectRows(parquetio.ReadColumns[summary.Task](ctx, dir, "tasks"), &c.Tasks),
		collectRows(parquetio.ReadColumns[summary.Rejection](ctx, dir, "rejections"), &c.Rejections),
		collectRows(parquetio.ReadColumns[summary.Attempt](ctx, dir, "attempts"), &c.Attempts),
		collectRows(parquetio.ReadColumns[summary.Run](ctx, dir, "runs"), &c.Runs),
		collectRows(parquetio.ReadColumns[summary.Base](ctx, dir, "bases"), &c.Bases),
		collectRows(parquetio.ReadColumns[model.Cost](ctx, dir, "costs"), &c.Costs),
	)
	switch {
	case errors.Is(err, parquetio.ErrSchema):
		return c, fmt.Errorf("%w (%s, this is %s): build the corpus again or use that version", firstOf(err), c.Version, version())
	case err != nil:
		return c, firstOf(err)
	case len(c.Changes) == 0:
		return c, fmt.Errorf("%s is empty: its table changes has no row, so there is nothing to report", dir)
	}
	if err := c.Check(); err != nil {
		return c, fmt.Errorf("read %s: %w: build the corpus again", dir, err)
	}
	return c, nil
}

// firstOf is the first of joined errors: one line is enough.
func firstOf(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()[0]
	}
	return err
}

func collectRows[T any](rows iter.Seq2[T, error], into *[]T) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		*into = append(*into, row)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// writePrintable writes text of a table whose names may be hostile.
func writePrintable(w io.Writer, write func(io.Writer) error) error {
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}
