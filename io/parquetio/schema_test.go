package parquetio_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/taskmill/taskmill/model"
)

var update = flag.Bool("update", false, "rewrite the golden schemas")

// TestSchema holds the tables' columns and types: they are a contract with readers.
func TestSchema(t *testing.T) {
	for table, row := range map[string]any{
		"tasks": model.Task{}, "changes": model.ChangeRow{}, "rejections": model.Rejection{}, "attempts": model.Attempt{},
		"runs": model.RunRow{}, "bases": model.BaseRow{}, "costs": model.Cost{}, "scores": model.Score{}, "records": model.RecordRow{},
	} {
		file := filepath.Join("testdata", "schema", table+".txt")
		got := parquet.SchemaOf(row).String() + "\n"
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("schema of %s (-golden +got), -update rewrites it:\n%s", table, diff)
		}
	}
}
