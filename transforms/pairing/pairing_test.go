package pairing

import (
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestColumnsAreTheTables(t *testing.T) {
	want := map[string]reflect.Type{}
	for f := range reflect.TypeFor[model.Score]().Fields() {
		want[f.Tag.Get("parquet")] = f.Type
	}
	for f := range reflect.TypeFor[Score]().Fields() {
		if tag := f.Tag.Get("parquet"); want[tag] != f.Type {
			t.Errorf("column %s is %v, the table has %v", tag, f.Type, want[tag])
		}
	}
}

func TestParse(t *testing.T) {
	want := []Pair{{"x-1", "y-1", 2}, {"x-2", "y-2", 4}}
	for name, text := range map[string]string{
		"values": "# historical and modern\nx-1\ty-1\n\nx-2\ty-2",
		"marked": "\ufeffa\tb\r\nx-1\ty-1\r\n\r\nx-2\ty-2\r\n",
		"lines":  "\n{\"a\": \"x-1\", \"b\": \"y-1\"}\n\n{\"b\": \"y-2\", \"a\": \"x-2\", \"why\": 1}\n",
	} {
		got, err := Parse([]byte(text))
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	for text, want := range map[string]string{
		"":                           "no pair in it",
		"# nothing\n\n":              "no pair in it",
		"a\tb\n":                     "no pair in it",
		"x\ty\nz\n":                  "line 2: want a line for each pair",
		"x\ty\tz\n":                  "line 1: want a line",
		"x\t\n":                      "line 1: an id is empty",
		"{\"a\": 1, \"b\": \"y\"}":   "line 1: want a line",
		"{\"a\": \"x\"}":             "line 1: want a line",
		"x\ty\nx\tz":                 `line 2: "x" is paired on line 1 already`,
		"x\ty\n# a\nz\ty":            `line 3: "y" is paired on line 1 already`,
		"{\"a\": \"x\", \"b\": \"\"": "line 1: want a line",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a\tb\nx\ty", "{\"a\":\"x\",\"b\":\"y\"}", "#\n\t", "\ufeffx\ty\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pairs, err := Parse(text)
		if (err == nil) == (len(pairs) == 0) {
			t.Fatalf("%d pairs, %v", len(pairs), err)
		}
		a, b := map[string]bool{}, map[string]bool{}
		for _, p := range pairs {
			if p.A == "" || p.B == "" || a[p.A] || b[p.B] || p.Line < 1 {
				t.Fatalf("pair %+v", p)
			}
			a[p.A], b[p.B] = true, true
		}
	})
}

// matrix makes two evaluations of paired tasks from the counts of outcomes of each solver.
func matrix(solvers map[string][4]int) (a, b Results, pairs []Pair) {
	a, b = Results{Name: "old", Folder: "old"}, Results{Name: "new", Folder: "new"}
	for name, counts := range solvers {
		n := 0
		for cell, count := range counts {
			for range count {
				n++
				a.Scores = append(a.Scores, Score{fmt.Sprint("a", n), name, 1, cell == 0 || cell == 1, "resolved"})
				b.Scores = append(b.Scores, Score{fmt.Sprint("b", n), name, 1, cell == 0 || cell == 2, "resolved"})
			}
		}
		for len(pairs) < n {
			k := len(pairs) + 1
			pairs = append(pairs, Pair{fmt.Sprint("a", k), fmt.Sprint("b", k), k})
			a.Tasks, b.Tasks = append(a.Tasks, fmt.Sprint("a", k)), append(b.Tasks, fmt.Sprint("b", k))
		}
	}
	return a, b, pairs
}

// Change2Task's published outcomes, 900 pairs of tasks and four solvers.
func TestChange2Task(t *testing.T) {
	a, b, pairs := matrix(map[string][4]int{
		"k": {323, 46, 46, 485}, "l": {323, 46, 46, 485}, "m": {323, 47, 47, 483}, "n": {323, 47, 47, 483},
	})
	c, err := Compare(a, b, pairs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := c.All
	if d := cmp.Diff([]int{3600, 900, 1292, 186, 186, 1936}, []int{g.Pairs, g.TaskPairs, g.Both, g.OnlyA, g.OnlyB, g.Neither}); d != "" {
		t.Error(d)
	}
	got := []string{percent(&g.RateA), percent(&g.RateB), percent(&g.Agreement), third(g.Kappa), percent(g.PositiveAgreement), percent(g.Jaccard), points(g.Difference), g.Wald.String(), fmt.Sprint(g.McNemar)}
	if d := cmp.Diff([]string{"41.1%", "41.1%", "89.7%", "0.787", "87.4%", "77.6%", "0.0", "[-1.1, 1.1]", "1"}, got); d != "" {
		t.Error(d)
	}
	if len(c.Solvers) != 4 || c.Solvers[0].Clustered != nil || g.Clustered == nil {
		t.Errorf("%d solvers, clustered %v of one and %v of all", len(c.Solvers), c.Solvers[0].Clustered, g.Clustered)
	}
}

func TestGroups(t *testing.T) {
	a, b, pairs := matrix(map[string][4]int{"s": {2, 1, 0, 1}, "t": {1, 0, 2, 1}})
	families := map[string]string{"b1": "bug_fix", "b2": "bug_fix", "b3": "feature", "a4": "feature"}
	c, err := Compare(a, b, pairs, Options{Families: families})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][4]int{}
	for _, g := range append(append(append([]Group{c.All}, c.Solvers...), c.Families...), c.SolverFamilies...) {
		got[strings.TrimSpace(g.name())] = [4]int{g.Both, g.OnlyA, g.OnlyB, g.Neither}
	}
	want := map[string][4]int{
		"all": {3, 1, 2, 2}, "s": {2, 1, 0, 1}, "t": {1, 0, 2, 1}, "bug_fix": {3, 0, 1, 0}, "feature": {0, 1, 1, 2},
		"s, bug_fix": {2, 0, 0, 0}, "s, feature": {0, 1, 0, 1}, "t, bug_fix": {1, 0, 1, 0}, "t, feature": {0, 0, 1, 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var text strings.Builder
	if err := c.Text(&text); err != nil {
		t.Fatal(err)
	}
	const name = "testdata/groups.txt"
	if *update {
		if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(name)
	if d := cmp.Diff(string(golden), text.String()); d != "" || err != nil {
		t.Error(err, d)
	}
}

// One solver a side is matched whatever its name; attempts are matched by number.
func TestSolversAndAttempts(t *testing.T) {
	a := Results{Folder: "A", Tasks: []string{"x"}, Scores: []Score{{"x", "one", 1, true, "resolved"}, {"x", "one", 2, false, "unresolved"}}}
	b := Results{Folder: "B", Tasks: []string{"x"}, Scores: []Score{{"x", "two", 2, true, "resolved"}, {"x", "two", 1, true, "resolved"}}}
	c, err := Compare(a, b, Same([]string{"x"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{1, 0, 1, 0, 1}, []int{c.All.Both, c.All.OnlyA, c.All.OnlyB, c.All.Neither, c.All.TaskPairs}); d != "" || c.Solvers[0].Solver != "one | two" {
		t.Error(c.Solvers[0].Solver, d)
	}
	if c.All.Difference != 0.5 || math.IsNaN(c.All.Clustered.Low) {
		t.Errorf("difference %v, by task %v", c.All.Difference, c.All.Clustered)
	}
}

// An interval without width is no certainty, and the text says so.
// One evaluation of tasks and their twins is compared with itself.
func TestOneEvaluationOfBoth(t *testing.T) {
	a, b, pairs := matrix(map[string][4]int{"k": {3, 1, 2, 4}})
	both := Results{Name: "A", Folder: "both", Scores: append(a.Scores, b.Scores...), Tasks: append(a.Tasks, b.Tasks...)}
	c, err := Compare(both, both, pairs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{10, 3, 1, 2, 4}, []int{c.All.Pairs, c.All.Both, c.All.OnlyA, c.All.OnlyB, c.All.Neither}); d != "" {
		t.Error(d)
	}
	both.Scores = append(both.Scores, Score{"c1", "k", 1, true, "resolved"})
	if _, err := Compare(both, both, pairs, Options{}); err == nil || !strings.Contains(err.Error(), "in no pair (c1)") {
		t.Errorf("a task in no pair: %v", err)
	}
}

func TestNoWidth(t *testing.T) {
	for _, counts := range [][4]int{{2, 0, 0, 1}, {0, 3, 0, 0}, {0, 0, 3, 0}, {1, 1, 0, 0}} {
		a, b, pairs := matrix(map[string][4]int{"s": counts})
		c, err := Compare(a, b, pairs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := c.Text(&text); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(text.String(), "note: all pairs differ alike"); told != (counts != [4]int{1, 1, 0, 0}) {
			t.Errorf("%v: told %v\n%s", counts, told, text.String())
		}
	}
}

// What was not judged for infrastructure is no failure.
func TestNoVerdict(t *testing.T) {
	a, b, pairs := matrix(map[string][4]int{"s": {1, 1, 0, 0}})
	b.Scores[1].Outcome = "infrastructure"
	c, err := Compare(a, b, pairs, Options{})
	if err != nil || c.All.Pairs != 1 || c.All.Both != 1 || c.Excluded.NoVerdict != 1 {
		t.Errorf("%v, %+v", err, c)
	}
	b.Scores[0].Outcome = "infrastructure"
	if _, err := Compare(a, b, pairs, Options{}); err == nil || !strings.Contains(err.Error(), "no pair has a verdict") {
		t.Errorf("%v", err)
	}
}

func TestWhatHasNoCounterpart(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a, b *Results, pairs *[]Pair, o *Options)
		want   string
		after  string // what is left out where it is allowed; empty where it never is
	}{
		{"unknown in A", func(_, _ *Results, p *[]Pair, _ *Options) { (*p)[2].A = "q" }, `p.tsv line 3: no task "q" in old: it has a1, a2, a3 and 1 more`, ""},
		{"unknown in B", func(_, _ *Results, p *[]Pair, _ *Options) { (*p)[0].B = "a1" }, `p.tsv line 1: no task "a1" in new`, ""},
		{"no pair", func(_, _ *Results, p *[]Pair, _ *Options) { *p = (*p)[:3] }, "1 task of old with a score, but in no pair (a4): pair them, or leave them out with --allow-unpaired",
			", 1 task of A without a pair left out, 1 task of B without a pair left out"},
		{"no prediction", func(a, _ *Results, _ *[]Pair, _ *Options) { a.Scores = a.Scores[1:] }, `p.tsv line 1: old has no score of s, attempt 1, for "a1"`, ", 1 score of B without a counterpart left out"},
		{"no prediction there", func(_, b *Results, _ *[]Pair, _ *Options) { b.Scores = b.Scores[:3] }, `p.tsv line 4: new has no score of s, attempt 1, for "b4"`, ", 1 score of A without a counterpart left out"},
		{"another solver", func(_, b *Results, _ *[]Pair, _ *Options) { b.Scores = append(b.Scores, Score{"b1", "t", 1, true, ""}) }, "new has solvers that old lacks (t)", ", 1 solver of B alone left out"},
		{"other solvers", func(a, b *Results, _ *[]Pair, _ *Options) {
			a.Scores = append(a.Scores, Score{"a1", "t", 1, true, ""})
			for i := range b.Scores {
				b.Scores[i].Solver = "u"
			}
		}, "old and new have no solver in common (s, t; u)", ""},
		{"no score", func(a, _ *Results, _ *[]Pair, _ *Options) { a.Scores = nil }, "old has no score", ""},
		{"other corpora", func(_, _ *Results, _ *[]Pair, o *Options) { o.Families = map[string]string{"a1": "bug_fix"} }, `p.tsv line 2: neither "a2" nor "b2" is a task of the corpora given with --tasks`, ""},
	} {
		a, b, pairs := matrix(map[string][4]int{"s": {1, 1, 1, 1}})
		o := Options{File: "p.tsv"}
		c.change(&a, &b, &pairs, &o)
		if _, err := Compare(a, b, pairs, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		o.AllowUnpaired = true
		got, err := Compare(a, b, pairs, o)
		if (err == nil) != (c.after != "") || err == nil && got.Excluded.String() != c.after {
			t.Errorf("%s, allowed: %v, %q, want %q", c.name, err, got.Excluded, c.after)
		}
	}
}
