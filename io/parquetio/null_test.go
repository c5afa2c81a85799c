package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/taskmill/taskmill/model"
)

// nulls tells of each value of a column of an encoded table whether it is null.
func nulls(t *testing.T, table []byte, column ...string) []bool {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(table), int64(len(table)))
	if err != nil {
		t.Fatal(err)
	}
	leaf, ok := f.Schema().Lookup(column...)
	if !ok {
		t.Fatalf("no column %v", column)
	}
	var out []bool
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buffer := make([]parquet.Row, 8)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for _, v := range row {
					if v.Column() == leaf.ColumnIndex {
						out = append(out, v.IsNull())
					}
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func encoded[T Row](t *testing.T, rows []T) []byte {
	t.Helper()
	in := make([]placed[T], len(rows))
	for i := range rows {
		in[i].row = &rows[i]
	}
	var b bytes.Buffer
	if n, err := encode(&b, "test", in, nil); err != nil || n != int64(len(rows)) {
		t.Fatalf("%d rows of %d: %v", n, len(rows), err)
	}
	return b.Bytes()
}

// An empty text is null wherever it stands among others, in rows and in lists of a row.
func TestEmptyTextIsNull(t *testing.T) {
	patterns := [][]string{{"", "x", "", ""}, {"", "", "x", "y", ""}, {"", ""}, {"x"}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		p := make([]string, 1+random.IntN(200))
		for i := range p {
			p[i] = []string{"", "x"}[random.IntN(2)]
		}
		patterns = append(patterns, p)
	}
	for _, p := range patterns {
		var want []bool
		var rows []model.ChangeRow
		var closing model.RecordRow
		for i, text := range p {
			want = append(want, text == "")
			rows = append(rows, model.ChangeRow{Change: fmt.Sprint(i), Reason: text})
			closing.Closes = append(closing.Closes, model.ClosesRow{Number: int64(i), Repo: text})
		}
		if d := cmp.Diff(want, nulls(t, encoded(t, rows), "reason")); d != "" {
			t.Errorf("%q in rows: %s", p, d)
		}
		if d := cmp.Diff(want, nulls(t, encoded(t, []model.RecordRow{closing}), "closes", "list", "element", "repo")); d != "" {
			t.Errorf("%q in a list: %s", p, d)
		}
	}
}
