package recordio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// A change is what a row of the table changes says of the record. What a build found out (family,
// whether it is eligible, how it ended) is found out again.
type change struct {
	Change         string     `json:"change" parquet:"change"`
	Repo           string     `json:"repo" parquet:"repo"`
	SourcePR       *int64     `json:"source_pr" parquet:"source_pr,optional"`
	SourceCommit   string     `json:"source_commit" parquet:"source_commit"`
	SourceMergedAt *time.Time `json:"source_merged_at" parquet:"source_merged_at,optional,timestamp(millisecond)"`
}

func (c change) record(told string) model.Record {
	rec := model.Record{Repo: c.Repo, Kind: "pr", State: "merged", MergeCommit: model.Hash(c.SourceCommit), Told: told, Confidence: 1}
	if c.SourcePR != nil {
		rec.Number = *c.SourcePR
	} else {
		rec.Kind = "commit"
	}
	if c.SourceMergedAt != nil {
		rec.MergedAt = c.SourceMergedAt.UTC()
	}
	return rec
}

// row reads a line of JSON with the columns of the table changes or records.
func (r *reader) row(place string, text []byte, f fields) error {
	if f.has("change") {
		var c change
		if err := json.Unmarshal(text, &c); err != nil {
			r.reject(place, model.ToldJSONL, f.text("repo"), 0, model.NoParse, "%s", typeFault(err))
			return nil
		}
		return r.emit(Entry{Record: c.record(model.ToldJSONL), Place: place})
	}
	var row model.RecordRow
	if err := json.Unmarshal(text, &row); err != nil {
		r.reject(place, model.ToldJSONL, f.text("repo"), 0, model.NoParse, "%s", typeFault(err))
		return nil
	}
	return r.recordRow(place, row, model.ToldJSONL)
}

func (r *reader) recordRow(place string, row model.RecordRow, told string) error {
	if row.Patch != "" && row.BaseCommit == "" {
		r.reject(place, told, row.Repo, row.Number, model.NoParse, "it has a patch and no base_commit")
		return nil
	}
	rec := row.Record(told)
	if row.Patch == "" {
		rec.Before = ""
	}
	if rec.Kind == "pr" && rec.State == "" && !rec.MergedAt.IsZero() {
		rec.State = "merged"
	}
	return r.emit(Entry{Record: rec, Patch: row.Patch, Place: place})
}

// Columns by which a Parquet file is told.
var (
	recordColumns    = []string{"repo", "number", "kind"}
	changeColumns    = []string{"change", "repo", "source_commit"}
	benchmarkColumns = []string{"instance_id", "base_commit", "patch"}
)

// parquet reads a table of ours or a benchmark's.
func (r *reader) parquet(ctx context.Context, f file) error {
	names, err := parquetio.Columns(f.path)
	if err != nil {
		return &FileError{f.name, fmt.Errorf("it is no whole Parquet file: %w", err)}
	}
	all := func(want []string) bool {
		return !slices.ContainsFunc(want, func(c string) bool { return !slices.Contains(names, c) })
	}
	ours := slices.Contains([]string{Auto, model.ToldParquet}, r.feed.Source)
	switch {
	case ours && all(recordColumns):
		return eachRow(r, f, parquetio.ReadFile[model.RecordRow](ctx, f.path), r.storedRecord)
	case ours && all(changeColumns):
		return eachRow(r, f, parquetio.ReadFile[change](ctx, f.path), r.storedChange)
	case r.feed.Source != model.ToldParquet && all(benchmarkColumns):
		return eachRow(r, f, parquetio.ReadObjects(ctx, f.path), r.storedObject)
	case all(recordColumns) || all(changeColumns):
		return &FileError{f.name, fmt.Errorf("it is a table of taskmill's, which --source %s does not read: --source parquet does", r.feed.Source)}
	case all(benchmarkColumns):
		return &FileError{f.name, errors.New("it holds a benchmark's rows, which --source parquet does not read: --source swebench does")}
	}
	if len(names) > 6 {
		names = append(names[:6:6], "…")
	}
	return &FileError{f.name, fmt.Errorf("wrong schema: want the columns of the table changes or records, or a benchmark's instance_id, base_commit and patch; it has %v", names)}
}

// corpus is the table of records of a folder with a manifest, else its changes.
func (f Feed) corpus(ctx context.Context) ([]file, error) {
	m, err := parquetio.ReadManifest(ctx, f.Path)
	if err != nil {
		return nil, &FileError{f.Name, err}
	}
	for _, table := range []string{"records", "changes"} {
		if _, ok := m.Tables[table]; ok {
			return []file{{path: f.Path, name: f.Name + "/" + table, table: table}}, nil
		}
	}
	return nil, &FileError{f.Name, errors.New("a corpus with neither records nor changes")}
}

func (r *reader) table(ctx context.Context, f file) error {
	if f.table == "records" {
		return eachRow(r, f, parquetio.ReadTable[model.RecordRow](ctx, f.path, f.table), r.storedRecord)
	}
	return eachRow(r, f, parquetio.ReadTable[change](ctx, f.path, f.table), r.storedChange)
}

// digestTable is the hash of what a manifest says of a table.
func digestTable(ctx context.Context, f file) (model.Hash, error) {
	m, err := parquetio.ReadManifest(ctx, f.path)
	if err != nil {
		return "", &FileError{f.name, err}
	}
	return model.Digest(m.Tables[f.table]), nil
}

// eachRow reads the rows of a table, counted from 1.
func eachRow[T any](r *reader, f file, rows iter.Seq2[T, error], read func(place string, row T) error) error {
	n := 0
	for row, err := range rows {
		if err != nil && !errors.Is(err, io.EOF) {
			return &FileError{f.name, err}
		}
		n++
		if err := read(fmt.Sprintf("%s row %d", f.name, n), row); err != nil {
			return err
		}
		if r.one {
			return errEnough
		}
	}
	return nil
}

func (r *reader) storedRecord(place string, row model.RecordRow) error {
	return r.recordRow(place, row, model.ToldParquet)
}

func (r *reader) storedChange(place string, c change) error {
	return r.emit(Entry{Record: c.record(model.ToldParquet), Place: place})
}

func (r *reader) storedObject(place string, o map[string]any) error {
	text, err := json.Marshal(o)
	if err != nil {
		r.reject(place, model.ToldSWEBench, "", 0, model.NoParse, "%v", err)
		return nil
	}
	return r.benchmark(place, text)
}
