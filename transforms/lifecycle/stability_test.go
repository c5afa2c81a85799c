package lifecycle

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestBaseRuns(t *testing.T) {
	h := template
	h.Tree = "tree H"
	h.Command = model.Command{Argv: []string{"left over"}}
	for _, tt := range []struct {
		name          string
		base, repeats int
		clock         bool
		want          []string
	}{
		{"go", 3, 3, false, []string{"b 0 0 0s", "b 1 0 0s", "b 2 0 0s", "b 0 1 0s"}},
		{"python", 3, 3, true, []string{"b 0 0 0s", "b 1 0 0s", "b 2 0 0s", "b 0 1 0s", "b 0 0 9600h0m0s"}},
		{"more base repeats", 6, 1, true, []string{"b 0 0 0s", "b 1 0 0s", "b 2 0 0s", "b 3 0 0s", "b 0 1 0s", "b 0 0 9600h0m0s"}},
		{"one", 1, 1, true, []string{"b 0 0 0s"}},
		{"two", 2, 1, true, []string{"b 0 0 0s", "b 0 1 0s"}},
		{"none", 0, 0, false, []string{"b 0 0 0s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			keys := map[model.Hash]bool{}
			for _, r := range BaseRuns([]string{"b", "b"}, h, tt.base, tt.repeats, tt.clock) {
				got = append(got, fmt.Sprintf("%s %d %d %s", r.Unit, r.Repeat, r.Order, r.ClockShift))
				keys[r.Key()] = true
				if r.Tree != h.Tree || r.Command.Argv != nil {
					t.Errorf("run %+v", r)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(keys) != len(got) {
				t.Errorf("%d runs have %d keys", len(got), len(keys))
			}
		})
	}
}

func TestBaseRunsAreTheRunsOfNext(t *testing.T) {
	h := template
	h.Tree = "tree H"
	base := map[model.Hash]bool{}
	for _, r := range BaseRuns([]string{"u"}, h, 3, 2, true) {
		base[r.Key()] = true
	}
	c, err := parseCase("targets u:a_test.go:TestA\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Next(c, &world{t: t}).Runs {
		if !base[p.Run.Key()] {
			t.Errorf("Next asks for %+v, which the base does not make", p)
		}
	}
}

// observations reads rows; the state column is plain, shuffled or clock.
func observations(t *testing.T, lines ...string) []model.Observation {
	t.Helper()
	var out []model.Observation
	for _, l := range lines {
		r, err := parseRow(l)
		if err != nil {
			t.Fatal(err)
		}
		c := Case{Template: template}
		r.o.Run = c.run("tree H", r.unit, max(r.repeat, 0))
		switch r.state {
		case "shuffled":
			r.o.Run.Order = 1
		case "clock":
			r.o.Run.ClockShift = ClockShift
		}
		if r.confirm {
			r.o.Run = Confirm(r.o.Run)
		}
		out = append(out, r.o)
	}
	return out
}

func TestStability(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  Health
	}{
		{"all hold", []string{"plain u 0 A=pass B=xfail", "plain u 1 A=pass B=xfail", "shuffled u 0 A=pass B=xfail", "clock u 0 A=pass B=xfail"},
			Health{Healthy: true, Holding: 2, Total: 2}},
		{"causes", []string{"plain u 0 A=pass B=pass C=pass D=pass", "plain u 1 A=fail B=pass C=pass D=pass", "shuffled u 0 A=pass B=fail C=pass D=pass", "clock u 0 A=pass B=pass C=error D=pass"},
			Health{Unstable: []model.UnstableCheck{{ID: "u::A", Cause: "flaky"}, {ID: "u::B", Cause: "order"}, {ID: "u::C", Cause: "clock"}}, Holding: 1, Total: 4}},
		{"flaky before order", []string{"plain u 0 A=pass", "plain u 1 A=fail", "shuffled u 0 A=fail"},
			Health{Unstable: []model.UnstableCheck{{ID: "u::A", Cause: "flaky"}}, Total: 1}},
		{"missing in the shuffled run", []string{"plain u 0 A=pass B=pass", "shuffled u 0 A=pass"},
			Health{Unstable: []model.UnstableCheck{{ID: "u::B", Cause: "order"}}, Healthy: true, Holding: 1, Total: 2}},
		{"ids of one run", []string{"plain u 0 A=pass t1=pass", "plain u 1 A=pass t2=pass"},
			Health{Unstable: []model.UnstableCheck{{ID: "u::t1", Cause: "flaky"}, {ID: "u::t2", Cause: "flaky"}}, Healthy: true, Holding: 1, Total: 2}},
		{"skips say nothing", []string{"plain u 0 A=pass B=skip C=skip D=todo"}, Health{Healthy: true, Holding: 1, Total: 1}},
		{"half is enough", []string{"plain u 0 A=pass B=fail"}, Health{Healthy: true, Holding: 1, Total: 2}},
		{"less is not", []string{"plain u 0 A=pass B=fail C=fail"}, Health{Holding: 1, Total: 3}},
		{"a unit without checks counts as one", []string{"plain u 0 A=pass", "plain v 0 build_error", "plain w 0 outcome=no_report"}, Health{Holding: 1, Total: 3}},
		{"nothing", nil, Health{}},
		{"slow", []string{"plain u 0 outcome=timeout A=pass", "plain u 0! outcome=timeout A=pass"}, Health{Healthy: true, Holding: 1, Total: 1, Slow: []string{"u"}}},
		{"not slow when alone", []string{"plain u 0 outcome=timeout A=pass", "plain u 0! A=pass B=pass"}, Health{Healthy: true, Holding: 2, Total: 2}},
		{"the world's fault is left out", []string{"plain u 0 A=pass", "plain u 1 outcome=infrastructure", "shuffled u 0 outcome=killed"}, Health{Healthy: true, Holding: 1, Total: 1}},
		{"only the world's fault", []string{"plain u 0 outcome=infrastructure", "shuffled u 0 A=pass"}, Health{Total: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Stability(observations(t, tt.lines...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlakeBound(t *testing.T) {
	for n, want := range map[int]string{0: "1.00", 1: "0.95", 3: "0.63", 10: "0.26", 59: "0.05"} {
		if got := fmt.Sprintf("%.2f", FlakeBound(n)); got != want {
			t.Errorf("FlakeBound(%d) = %s, want %s", n, got, want)
		}
	}
}
