package construct

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/lang/python"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

var update = flag.Bool("update", false, "rewrite the wanted results in testdata")

var languages = []lang.Language{golang.Language{}, python.Language{}}

// TestConstruct reads a case from each file of testdata/construct: the trees below before/ and
// after/, what H changes over after below h/, in the comment "gone: path" for what H lacks, and
// the wanted draft, targets, units, interface and patches, all targets hidden.
func TestConstruct(t *testing.T) {
	files, err := filepath.Glob("testdata/construct/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, want := constructed(t, a), ""
			kept := a.Files[:0:0]
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
				} else {
					kept = append(kept, f)
				}
			}
			if *update {
				a.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// below are the files of an archive under a prefix.
func below(a *txtar.Archive, prefix string) []model.File {
	var out []model.File
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, prefix); ok {
			out = append(out, model.File{Path: p, Mode: model.ModeFile, Data: f.Data})
		}
	}
	return out
}

func constructed(t *testing.T, a *txtar.Archive) string {
	before, after := tree.Of(below(a, "before/")...), tree.Of(below(a, "after/")...)
	h := after
	for _, f := range below(a, "h/") {
		h = h.With(model.TreeChange{Path: f.Path, Data: f.Data})
	}
	for line := range strings.Lines(string(a.Comment)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "gone: "); ok {
			h = h.With(model.TreeChange{Path: p, Delete: true})
		}
	}
	rec := model.Record{Repo: "o/r", Number: 7, Title: "A change", MergedAt: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)}
	stored := map[model.Hash][]byte{}
	c, err := evidence.Of(rec, before, after, languages, func(b []byte) (model.Hash, error) {
		stored[model.Sum(b)] = b
		return model.Sum(b), nil
	})
	if err != nil || !c.Eligible {
		t.Fatalf("evidence: %v, %s %s", err, c.Reason, c.Detail)
	}
	read := func(h model.Hash) patch.Patch {
		p, err := patch.Parse(stored[h])
		if err != nil && h != "" {
			t.Fatal(err)
		}
		return p
	}
	out, err := report(c, read(c.SourcePatch), read(c.DocsPatch), h, before)
	var f *model.Fault
	switch {
	case errors.As(err, &f):
		return out + fmt.Sprintf("rejected %s %s %s\n", f.Stage, f.Reason, f.Detail)
	case err != nil:
		t.Fatal(err)
	}
	return out
}

func report(c model.Change, source, docs patch.Patch, h, before *tree.Tree) (string, error) {
	var b strings.Builder
	l, _ := lang.ByName(languages, c.Language)
	ok, err := Reverses(source, h)
	if err != nil {
		return b.String(), err
	}
	fmt.Fprintf(&b, "reverses %v\n", ok)
	d, err := Undo(Mappings[0], Input{Change: c, Source: source, Docs: docs, H: h, Before: before}, l)
	if err != nil {
		return b.String(), err
	}
	fmt.Fprintf(&b, "draft %+v\n", d.Profile)
	for _, p := range d.Ambiguous {
		fmt.Fprintf(&b, "ambiguous %s hunk %d line %d\n", p.Path, p.Hunk, p.Line)
	}
	for _, cut := range d.DocsCut {
		fmt.Fprintf(&b, "cut %s:%d %s\n", cut.Path, cut.Line, cut.Text)
	}
	targets, err := Targets(c, nil, h, l)
	if err != nil {
		return b.String(), err
	}
	for _, s := range targets {
		fmt.Fprintf(&b, "target %s\n", s.Key())
	}
	units, nearby := Units(targets, c, h, l)
	fmt.Fprintf(&b, "units %v nearby %v\n", units, nearby)
	fmt.Fprintf(&b, "interface\n%s\n", Interface(targets, d.Removed))
	s, err := Hide(d.C, targets, d.Gone, l)
	if err != nil {
		return b.String(), err
	}
	task, test, fix, err := Patches(h, s, d.C, l)
	if err != nil {
		return b.String(), err
	}
	fmt.Fprintf(&b, "task_patch %v\ntest_patch\n%spatch\n%s", task.Paths(), test, fix)
	return b.String(), nil
}
