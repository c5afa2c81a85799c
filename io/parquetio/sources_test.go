package parquetio_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/taskmill/taskmill/io/recordio"
	"github.com/taskmill/taskmill/model"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

// told gives a line for each entry and each fault of a Parquet file.
func told(t *testing.T, feed recordio.Feed) ([]string, error) {
	t.Helper()
	var out []string
	err := recordio.Read(t.Context(), []recordio.Feed{feed}, func(e recordio.Entry) error {
		r := e.Record
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%s %s %s#%d %s", r.Told, r.Kind, r.Repo, r.Number, r.State))
		for _, part := range []struct{ name, value string }{{"text ", r.TextSource}, {"merge ", r.MergeCommit.Short(4)}, {"base ", r.Before.Short(4)}} {
			if part.value != "" {
				line.WriteString(" " + part.name + part.value)
			}
		}
		for _, l := range r.Labels {
			line.WriteString(" label " + l.Name)
		}
		for _, i := range r.Issues {
			line.WriteString(fmt.Sprintf(" issue %d %q", i.Number, i.Title+i.Body))
		}
		if e.Patch != "" {
			line.WriteString(fmt.Sprintf(" patch %q", e.Patch))
		}
		out = append(out, line.String()+" @"+e.Place)
		return nil
	}, func(f recordio.Fault) {
		out = append(out, fmt.Sprintf("%s %s#%d %s @%s", f.Reason, f.Repo, f.Number, f.Detail, f.Place))
	})
	return out, err
}

// Parquet files: our tables by their schema, benchmarks' with lists or with JSON in texts.
func TestFilesOfSources(t *testing.T) {
	type listed struct {
		ID      string   `parquet:"instance_id"`
		Base    string   `parquet:"base_commit"`
		Patch   string   `parquet:"patch"`
		Problem *string  `parquet:"problem_statement,optional"`
		At      int64    `parquet:"created_at,timestamp(millisecond)"`
		Fail    []string `parquet:"FAIL_TO_PASS,list"`
	}
	type texts struct {
		ID    string `parquet:"instance_id"`
		Base  string `parquet:"base_commit"`
		Patch string `parquet:"patch"`
		Fail  string `parquet:"FAIL_TO_PASS"`
	}
	dir := t.TempDir()
	problem, body, one := "It fails", "B", int64(1)
	check := func(name string, err error, want ...string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got, err := told(t, recordio.Feed{Source: recordio.Auto, Path: filepath.Join(dir, name), Name: name, Repo: "o/r"})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	check("l.parquet", parquet.WriteFile(filepath.Join(dir, "l.parquet"), []listed{{"a__b-1", sha, "P", &problem, 1736000000000, []string{"x", "y"}}, {"a__b-2", sha, "P", nil, 0, nil}}),
		`swebench pr a/b#1 merged base 0123 issue 0 "It fails" patch "P\n" @l.parquet row 1`, `swebench pr a/b#2 merged base 0123 patch "P\n" @l.parquet row 2`)
	check("t.parquet", parquet.WriteFile(filepath.Join(dir, "t.parquet"), []texts{{"a__b-1", sha, "P", `["x"]`}, {"a__b-2", sha, "P", "x"}}),
		`swebench pr a/b#1 merged base 0123 patch "P\n" @t.parquet row 1`,
		"no_parse #0 FAIL_TO_PASS and PASS_TO_PASS: want lists of check ids, or such a list as JSON in a text @t.parquet row 2")
	check("c.parquet", parquet.WriteFile(filepath.Join(dir, "c.parquet"), []model.ChangeRow{{Change: "a__b-1", Repo: "a/b", SourcePR: &one, SourceCommit: sha}}),
		"parquet pr a/b#1 merged merge 0123 @c.parquet row 1")
	check("r.parquet", parquet.WriteFile(filepath.Join(dir, "r.parquet"), []model.RecordRow{{Repo: "a/b", Number: 1, Kind: "pr", State: "merged", Body: &body, Labels: []model.LabelRow{{Name: "bug"}}}, {Repo: "a/b", Kind: "pr"}}),
		"parquet pr a/b#1 merged text api label bug @r.parquet row 1", "no_parse a/b#0 it has no number @r.parquet row 2")
	if err := parquet.WriteFile(filepath.Join(dir, "x.parquet"), []struct{ Colour string }{{"red"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := told(t, recordio.Feed{Source: recordio.Auto, Path: filepath.Join(dir, "x.parquet"), Name: "x.parquet"}); err == nil || !strings.Contains(err.Error(), "wrong schema") {
		t.Errorf("%v, want a wrong schema", err)
	}
}
