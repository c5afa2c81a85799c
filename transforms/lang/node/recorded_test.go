package node

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

var update = flag.Bool("update", false, "rewrite what is read from the recorded reports")

// A recording is one case of testdata: a tree, a run in it, what the real runner reported of it
// (recorded by scripts/record) and what is to be read from that.
type recording struct {
	Unit  string   `json:"unit"`
	Only  []string `json:"only"`
	Skip  []string `json:"skip"`
	With  []string `json:"with"`
	Order int64    `json:"order"`
	Wall  string   `json:"wall"`
}

func (r recording) run() model.Run {
	return model.Run{Unit: r.Unit, Only: r.Only, Skip: r.Skip, With: r.With, Order: r.Order}
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func recordings(t *testing.T, each func(t *testing.T, file string, a *txtar.Archive, r recording)) {
	t.Helper()
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range all {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r recording
			if err := json.Unmarshal(section(a, "run"), &r); err != nil {
				t.Fatal(err)
			}
			each(t, file, a, r)
		})
	}
}

// told is a result as the recordings hold it, without what may differ between runs.
func told(res lang.Result) string {
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

// What the real runners reported reads as it did when it was recorded.
func TestRecorded(t *testing.T) {
	recordings(t, func(t *testing.T, file string, a *txtar.Archive, r recording) {
		var o model.Outcome
		if err := json.Unmarshal(section(a, "outcome"), &o); err != nil {
			t.Fatalf("not recorded: %v", err)
		}
		o.Report = section(a, "report")
		got := told(Read(r.run(), o))
		if *update {
			for i := range a.Files {
				if a.Files[i].Name == "want" {
					a.Files[i].Data = []byte(got)
				}
			}
			if section(a, "want") == nil {
				a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
			}
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(section(a, "want")), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
