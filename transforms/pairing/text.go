package pairing

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/summary"
)

// Text writes a comparison as aligned tables.
func (c Comparison) Text(out io.Writer) error {
	w := &strings.Builder{}
	for _, s := range []struct {
		name string
		Side
	}{{"A", c.A}, {"B", c.B}} {
		fmt.Fprintf(w, "%s  %s: %s, %s\n", s.name, s.Folder, many(s.Tasks, "task"), many(s.Scores, "score"))
	}
	if len(c.Solvers) == 1 {
		fmt.Fprintf(w, "solver %s\n", c.Solvers[0].Solver)
	}
	fmt.Fprintf(w, "%s of tasks%s\n\n", many(c.Pairs, "pair"), c.Excluded)
	groups := append([]Group{c.All}, c.Families...)
	if len(c.Solvers) > 1 {
		groups = slices.Concat([]Group{c.All}, c.Solvers, c.Families, c.SolverFamilies)
	}
	counts := [][]string{{"paired outcomes", "pairs", "tasks", "A solved", "B solved", "both", "only A", "only B", "neither"}}
	figures := [][]string{{"statistics", "B - A, points", "95 % interval", "by task", "McNemar p", "agreement", "positive", "kappa", "Jaccard"}}
	for _, g := range groups {
		counts = append(counts, []string{g.name(), fmt.Sprint(g.Pairs), fmt.Sprint(g.TaskPairs), solved(g.Both+g.OnlyA, g.RateA), solved(g.Both+g.OnlyB, g.RateB),
			fmt.Sprint(g.Both), fmt.Sprint(g.OnlyA), fmt.Sprint(g.OnlyB), fmt.Sprint(g.Neither)})
		by := "-"
		if g.Clustered != nil {
			by = g.Clustered.String()
		}
		figures = append(figures, []string{g.name(), points(g.Difference), g.Wald.String(), by, fmt.Sprintf("%.4g", g.McNemar), percent(&g.Agreement),
			percent(g.PositiveAgreement), third(g.Kappa), percent(g.Jaccard)})
	}
	summary.Grid(w, counts)
	fmt.Fprintln(w)
	summary.Grid(w, figures)
	for i, note := range c.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, "note: "+note)
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// String says what was left out, after a comma each; empty where nothing was.
func (e Excluded) String() string {
	var text strings.Builder
	for _, part := range []struct {
		n          int
		noun, what string
	}{
		{e.TasksA, "task", "of A without a pair"}, {e.TasksB, "task", "of B without a pair"},
		{len(e.SolversA), "solver", "of A alone"}, {len(e.SolversB), "solver", "of B alone"},
		{e.ScoresA, "score", "of A without a counterpart"}, {e.ScoresB, "score", "of B without a counterpart"},
		{e.NoVerdict, "pair", "without a verdict"},
	} {
		if part.n > 0 {
			fmt.Fprintf(&text, ", %s %s left out", many(part.n, part.noun), part.what)
		}
	}
	return text.String()
}

// many is a count with its noun.
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (g Group) name() string {
	switch {
	case g.Solver == "" && g.Family == "":
		return "all"
	case g.Family == "":
		return "  " + g.Solver
	case g.Solver == "":
		return "  " + g.Family
	}
	return "  " + g.Solver + ", " + g.Family
}

func solved(n int, rate float64) string { return fmt.Sprintf("%d %5.1f%%", n, 100*rate) }

// String is the interval in points.
func (in Interval) String() string { return fmt.Sprintf("[%s, %s]", points(in.Low), points(in.High)) }

// points is a difference of rates, without the sign that rounding leaves at zero.
func points(d float64) string {
	text := fmt.Sprintf("%.1f", 100*d)
	if text == "-0.0" {
		return "0.0"
	}
	return text
}

func percent(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**v)
}

func third(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}
