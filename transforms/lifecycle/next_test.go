package lifecycle

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the want sections")

// TestNext drives each case to its end. A case is a head of settings, the table of what runs
// show, and the steps and the verdict that are right.
func TestNext(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("corpus: %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parseCase(string(a.Comment))
			if err != nil {
				t.Fatal(err)
			}
			w := &world{t: t}
			want := ""
			for _, f := range a.Files {
				switch f.Name {
				case "want":
					want = string(f.Data)
				case "runs":
					for line := range strings.Lines(string(f.Data)) {
						if strings.TrimSpace(line) == "" {
							continue
						}
						r, err := parseRow(line)
						if err != nil {
							t.Fatal(err)
						}
						w.rows = append(w.rows, r)
					}
				}
			}
			v := w.drive(c)
			if v.Accepted {
				if err := cells(c, w, v); err != nil {
					t.Errorf("accepted against the table: %v", err)
				}
			}
			got := strings.Join(w.log, "\n") + "\n" + render(v)
			if *update {
				a.Files = append(a.Files[:1:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// render is a verdict as the corpus writes it.
func render(v *Verdict) string {
	if !v.Accepted {
		mark := ""
		if v.Infrastructure {
			mark = " (the world's fault)"
		}
		return fmt.Sprintf("rejected %v%s\n", v.Fault, mark)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "accepted")
	list := func(name string, ss []string) {
		if len(ss) > 0 {
			fmt.Fprintln(&b, name, strings.Join(ss, " "))
		}
	}
	list("fail_to_pass", v.FailToPass)
	list("pass_to_pass", v.PassToPass)
	list("collateral", v.Collateral)
	list("expected_failures", v.ExpectedFailures)
	list("regression", v.Regression)
	list("uses", v.HiddenUses)
	if v.BuildErrorTarget {
		fmt.Fprintln(&b, "build_error_target")
	}
	if v.Suite {
		fmt.Fprintln(&b, "suite")
	}
	return b.String()
}

// cells is the methods' table, read again without the planner: every cell holds in every
// repeat that was run.
func cells(c Case, w *world, v *Verdict) error {
	hidden := map[string]bool{}
	for _, s := range v.Hidden {
		hidden[s.Unit+"::"+s.Function] = true
	}
	isHidden := func(id string) bool { u, f := c.Naming.Function(id); return hidden[u+"::"+f] }
	targets := map[string]bool{}
	for _, s := range c.Targets {
		targets[s.Unit+"::"+s.Function] = true
	}
	isTarget := func(id string) bool { u, f := c.Naming.Function(id); return targets[u+"::"+f] }
	structural := map[string]bool{}
	for _, s := range c.Structural {
		structural[s.ID] = true
	}
	// All settled observations by state and unit.
	table := map[string][]model.Observation{}
	for _, m := range v.Runs {
		o, ok := w.seen[m.Run.Key()]
		if !ok {
			return fmt.Errorf("verdict rests on a run that was not made: %+v", m)
		}
		if m.State == StateS && m.Run.Tree != v.S {
			continue
		}
		if _, confirmed := w.seen[Confirm(m.Run).Key()]; confirmed {
			continue
		}
		table[m.State+" "+m.Run.Unit] = append(table[m.State+" "+m.Run.Unit], o)
	}
	all := func(state, id string, want int, ok func(model.Observation) bool) error {
		u, _ := c.Naming.Function(id)
		rows := table[state+" "+u]
		if len(rows) < want {
			return fmt.Errorf("%s: %d runs of %s, want %d", id, len(rows), state, want)
		}
		for _, o := range rows {
			if !ok(o) {
				return fmt.Errorf("%s is %s on %s", id, o.Verdict(id), state)
			}
		}
		return nil
	}
	onH := func(id string) model.Verdict {
		if slices.Contains(v.ExpectedFailures, id) {
			return model.XFail
		}
		return model.Pass
	}
	pass := func(id string) func(model.Observation) bool {
		return func(o model.Observation) bool { return o.Verdict(id).HoldsAs(onH(id)) }
	}
	absent := func(id string) func(model.Observation) bool {
		return func(o model.Observation) bool { return o.Verdict(id) == model.NotRun }
	}
	restored := 0
	if c.Restored != c.H {
		restored = c.Repeats
	}
	if len(v.FailToPass) == 0 {
		return fmt.Errorf("FAIL_TO_PASS is empty")
	}
	own := 0
	for _, id := range v.FailToPass {
		if structural[id] {
			own++
			continue
		}
		if isTarget(id) {
			own++
		}
		failed := func(o model.Observation) bool {
			return o.Verdict(id).Fails() || o.Verdict(id) == model.BuildError && o.BuildError && (c.Family == "feature" || c.AcceptBuildErrors)
		}
		if !isHidden(id) {
			return fmt.Errorf("%s is in FAIL_TO_PASS and not hidden", id)
		}
		for _, err := range []error{all("H", id, c.Repeats, pass(id)), all("S", id, 0, absent(id)), all("C", id, c.Repeats, failed), all("H'", id, restored, pass(id))} {
			if err != nil {
				return err
			}
		}
	}
	if own == 0 {
		return fmt.Errorf("no target in FAIL_TO_PASS: %v", v.FailToPass)
	}
	unbuilt := map[string]bool{}
	for _, s := range v.Hidden {
		for _, o := range table["C "+s.Unit] {
			unbuilt[s.Unit] = unbuilt[s.Unit] || o.BuildError
		}
	}
	for _, id := range v.PassToPass {
		u, _ := c.Naming.Function(id)
		onC := func(o model.Observation) bool {
			return o.Verdict(id).HoldsAs(onH(id)) || unbuilt[u] && o.Verdict(id) == model.BuildError
		}
		errs := []error{all("H", id, c.Repeats, pass(id)), all("C", id, c.Repeats, onC), all("H'", id, restored, pass(id))}
		switch {
		case isHidden(id):
			errs = append(errs, all("S", id, 0, absent(id)))
		case len(v.Hidden) > 0 && unbuilt[u]:
			errs = append(errs, all("S", id, c.Repeats, pass(id)))
		case len(v.Hidden) > 0:
			errs = append(errs, all("S", id, 1, pass(id)))
		}
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
	}
	// Nothing that holds on H, is stable and fails on C is left out.
	unstable := map[string]bool{}
	for _, u := range c.Unstable {
		unstable[u.ID] = true
	}
	listed := map[string]bool{}
	for _, id := range v.FailToPass {
		listed[id] = true
	}
	for k, rows := range table {
		if !strings.HasPrefix(k, "C ") {
			continue
		}
		for _, o := range rows {
			for _, x := range o.Checks {
				if x.Verdict.Fails() && !unstable[x.ID] && !listed[x.ID] && all("H", x.ID, c.Repeats, pass(x.ID)) == nil {
					return fmt.Errorf("%s holds on H, fails on C and is in no list", x.ID)
				}
			}
		}
	}
	for k, rows := range table {
		if strings.HasPrefix(k, "S ") {
			for _, o := range rows {
				if o.BuildError && !v.Suite {
					return fmt.Errorf("%s does not build", k)
				}
			}
		}
	}
	return nil
}
