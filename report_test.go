package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
)

// retable puts other rows in place of a corpus's table changes: none, or those of another table.
func retable(ts *testscript.TestScript, kind, dir string) {
	ctx := context.Background()
	m, err := parquetio.ReadManifest(ctx, dir)
	ts.Check(err)
	var part parquetio.Part
	switch kind {
	case "empty":
		part, err = parquetio.WriteTable(ctx, parquetio.Config{Dir: dir}, "changes", []model.ChangeRow{})
	case "schema":
		part, err = parquetio.WriteTable(ctx, parquetio.Config{Dir: dir}, "changes", []model.Attempt{{Candidate: "a__b-1"}})
	case "contradiction":
		part, err = parquetio.WriteTable(ctx, parquetio.Config{Dir: dir}, "changes", []model.ChangeRow{{Change: "a__b-1", Eligible: true, End: "task"}})
	}
	ts.Check(err)
	m.Tables["changes"] = []parquetio.Part{part}
	ts.Check(parquetio.WriteManifest(ctx, dir, m))
}

func TestCorpusNames(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dirs, want []string }{
		{[]string{"a/b/", "c"}, []string{"b", "c"}},
		{[]string{"."}, []string{filepath.Base(here)}},
		{[]string{"x/corpus", "y/corpus", "z"}, []string{"x/corpus", "y/corpus", "z"}},
		{[]string{"union", "gs://bucket/one"}, []string{"union", "one"}},
		{[]string{"a", "./a"}, nil},
		{[]string{"a\n"}, nil},
	} {
		got, err := corpusNames(c.dirs)
		if d := cmp.Diff(c.want, got); d != "" || (err == nil) != (c.want != nil) {
			t.Errorf("%q: %v %s", c.dirs, err, d)
		}
	}
}
