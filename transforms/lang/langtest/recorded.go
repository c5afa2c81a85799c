// Package langtest turns recordings of real test runners into tests of what a language reads from
// their reports.
package langtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// A Recording is one case, a txtar archive: `run` is this in JSON, `in/…` is the tree; `outcome`
// and `report` are what the real runner gave (scripts/record writes them), `want` is what is to
// be read from that.
type Recording struct {
	Unit  string   `json:"unit"`
	Only  []string `json:"only,omitempty"`
	Skip  []string `json:"skip,omitempty"`
	With  []string `json:"with,omitempty"`
	Order int64    `json:"order,omitempty"`
	Wall  string   `json:"wall,omitempty"` // a minute where it is empty
}

// Run is the run of the recording, without its tree.
func (r Recording) Run() (model.Run, error) {
	wall := time.Minute
	if r.Wall != "" {
		var err error
		if wall, err = time.ParseDuration(r.Wall); err != nil {
			return model.Run{}, err
		}
	}
	return model.Run{Unit: r.Unit, Only: r.Only, Skip: r.Skip, With: r.With, Order: r.Order, Limits: model.Limits{Wall: wall}}, nil
}

// Parse reads a recording's run and tree.
func Parse(a *txtar.Archive) (run model.Run, in []model.File, err error) {
	var r Recording
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			in = append(in, model.File{Path: p, Mode: model.ModeFile, Data: f.Data})
		}
	}
	if err := json.Unmarshal(Section(a, "run"), &r); err != nil {
		return run, nil, fmt.Errorf("read the section run: %w", err)
	}
	if run, err = r.Run(); err != nil {
		return run, nil, fmt.Errorf("read the section run: %w", err)
	}
	return run, in, nil
}

// Section is a file of an archive, nil where it has none of the name.
func Section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// Set puts a file into an archive, in place of one of its name.
func Set(a *txtar.Archive, name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: data})
}

// Each calls a test for each recording of a folder, in a subtest of its name.
func Each(t *testing.T, folder string, each func(t *testing.T, file string, a *txtar.Archive)) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range all {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			each(t, file, a)
		})
	}
}

// Recorded wants the recordings of a folder to be read as they say; update rewrites what they say.
func Recorded(t *testing.T, folder string, update bool, read func(model.Run, model.Outcome) lang.Result) {
	t.Helper()
	Each(t, folder, func(t *testing.T, file string, a *txtar.Archive) {
		run, _, err := Parse(a)
		if err != nil {
			t.Fatal(err)
		}
		var o model.Outcome
		if err := json.Unmarshal(Section(a, "outcome"), &o); err != nil {
			t.Fatalf("not recorded: %v", err)
		}
		o.Report = Section(a, "report")
		got := Told(read(run, o))
		if update {
			Set(a, "want", []byte(got))
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(Section(a, "want")), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Told is a result as the recordings hold it, without what may differ between runs.
func Told(res lang.Result) string {
	var b strings.Builder
	for _, f := range []struct {
		name string
		is   bool
	}{{"complete", res.Complete}, {"agrees", res.Agrees}, {"build_error", res.BuildError}, {"no_match", res.NoMatch}} {
		if f.is {
			b.WriteString(f.name + "\n")
		}
	}
	if res.Running != "" {
		fmt.Fprintf(&b, "running %q\n", res.Running)
	}
	if res.Detail != "" {
		fmt.Fprintf(&b, "detail %q\n", res.Detail)
	}
	for _, d := range res.Diagnostics {
		fmt.Fprintf(&b, "diagnostic %s:%d %q\n", d.Path, d.Line, d.Names)
	}
	for _, c := range res.Checks {
		fmt.Fprintf(&b, "%s %s\n", strconv.Quote(c.ID), c.Verdict)
	}
	return b.String()
}
