package construct

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// TestMappings reads a case from each file of testdata/mapping: the trees below before/ and
// after/, all of H below h/, "moved: a b" in the comment for a path of after/ that H has under
// another, and what each mapping makes of it: the change from H to C, or its fault.
func TestMappings(t *testing.T) {
	files, err := filepath.Glob("testdata/mapping/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := Input{
				Change: model.Change{ID: "o__r-7", Family: "bug_fix"}, Before: tree.Of(below(a, "before/")...), After: tree.Of(below(a, "after/")...),
				H: tree.Of(below(a, "h/")...), Moves: map[string]string{},
			}
			for line := range strings.Lines(string(a.Comment)) {
				if from, to, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "moved: "), " "); ok && strings.HasPrefix(line, "moved: ") {
					in.Moves[from] = to
				}
			}
			if in.Source, err = evidence.Diff(in.Before, in.After, evidence.Changed(in.Before, in.After), func(string) bool { return true }); err != nil {
				t.Fatal(err)
			}
			got, want := mapped(t, in), ""
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

// mapped tells of each mapping what it does, once for mappings that do the same.
func mapped(t *testing.T, in Input) string {
	t.Helper()
	var b strings.Builder
	by := map[model.Hash]string{}
	for _, m := range Mappings {
		name := fmt.Sprintf("%d %s %d", m.Level, m.Name, m.Context)
		d, err := Undo(m, in, golang.Language{})
		var f *model.Fault
		switch {
		case errors.As(err, &f):
			fmt.Fprintf(&b, "== %s: %s: %s\n", name, f.Reason, f.Detail)
		case err != nil:
			t.Fatal(err)
		case by[d.C.Hash()] != "":
			fmt.Fprintf(&b, "== %s: as %s\n", name, by[d.C.Hash()])
		default:
			by[d.C.Hash()] = name
			fmt.Fprintf(&b, "== %s %v\n%s", name, d.Dropped, d.D.String())
			// The inverse of D brings H back.
			back, err := patch.Apply(d.D.Reverse(), d.C)
			if err != nil || d.C.With(back.Changes...).Hash() != in.H.Hash() {
				t.Errorf("%s: D reversed on C is not H: %v", name, err)
			}
		}
	}
	return b.String()
}
