package parquetio_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// narrow has some columns of a task, in another order.
type narrow struct {
	FailToPass    []string             `parquet:"FAIL_TO_PASS,list"`
	Level         int64                `parquet:"level"`
	Family        string               `parquet:"family,optional"`
	InstanceID    string               `parquet:"instance_id"`
	Fidelity      *float64             `parquet:"fidelity,optional"`
	FidelityParts *model.FidelityParts `parquet:"fidelity_parts,optional"`
}

func written(t *testing.T, tasks ...model.Task) string {
	t.Helper()
	dir := t.TempDir()
	part, err := parquetio.WriteTable(t.Context(), parquetio.Config{Dir: dir}, "tasks", tasks)
	if err != nil {
		t.Fatal(err)
	}
	if err := parquetio.WriteManifest(t.Context(), dir, parquetio.Manifest{Tables: map[string][]parquetio.Part{"tasks": {part}}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadColumns(t *testing.T) {
	whole := 1.0
	dir := written(t,
		model.Task{InstanceID: "b", Level: 2, FailToPass: []string{"x", "y"}, Patch: "long", Family: "feature", Fidelity: &whole, FidelityParts: &model.FidelityParts{Lines: 0.5}},
		model.Task{InstanceID: "a", Level: 1})
	var got []narrow
	for row, err := range parquetio.ReadColumns[narrow](t.Context(), dir, "tasks") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	want := []narrow{{InstanceID: "a", Level: 1, FailToPass: []string{}},
		{InstanceID: "b", Level: 2, FailToPass: []string{"x", "y"}, Family: "feature", Fidelity: &whole, FidelityParts: &model.FidelityParts{Lines: 0.5}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReadColumnsOfAnotherVersion(t *testing.T) {
	dir := written(t, model.Task{InstanceID: "a"})
	try := func(name, want string, read func() error) {
		err := read()
		if !errors.Is(err, parquetio.ErrSchema) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tasks/part-") {
			t.Errorf("%s: %v, want one of %q", name, err, want)
		}
	}
	try("a column more", "no column grade", func() error {
		return first[struct {
			Grade string `parquet:"grade"`
		}](t, dir)
	})
	try("another type", "column level is", func() error {
		return first[struct {
			Level string `parquet:"level"`
		}](t, dir)
	})
	try("null where it was not", "column level is", func() error {
		return first[struct {
			Level *int64 `parquet:"level,optional"`
		}](t, dir)
	})
	try("within a struct", "no column fidelity_parts.words", func() error {
		return first[struct {
			Parts *struct {
				Words float64 `parquet:"words"`
			} `parquet:"fidelity_parts,optional"`
		}](t, dir)
	})
}

// first is the error of reading the first row.
func first[T any](t *testing.T, dir string) error {
	for _, err := range parquetio.ReadColumns[T](t.Context(), dir, "tasks") {
		return err
	}
	return nil
}
