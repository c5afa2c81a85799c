package pairing

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/transforms/stats"
)

// figures fills in the groups.
func (c *Comparison) figures(outcomes []outcome, families bool) {
	c.All = groupOf("", "", outcomes)
	c.Solvers = split(outcomes, func(o outcome) [2]string { return [2]string{o.solver, ""} })
	c.Families, c.SolverFamilies = []Group{}, []Group{}
	if families {
		c.Families = split(outcomes, func(o outcome) [2]string { return [2]string{"", o.family} })
		c.SolverFamilies = split(outcomes, func(o outcome) [2]string { return [2]string{o.solver, o.family} })
	}
	if c.All.Clustered != nil {
		c.Notes = append(c.Notes, "some tasks have several outcomes (solvers, attempts): the interval by task allows for that, Wald's and McNemar's p take all pairs as independent")
	}
	if c.All.Wald.Low == c.All.Wald.High {
		c.Notes = append(c.Notes, "all pairs differ alike, or none does: the interval has no width and says nothing of how sure that is")
	}
	if c.Excluded.NoVerdict > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s without a verdict for infrastructure, left out: run taskmill eval again", many(c.Excluded.NoVerdict, "pair")))
	}
}

func split(outcomes []outcome, by func(outcome) [2]string) []Group {
	parts := map[[2]string][]outcome{}
	for _, o := range outcomes {
		parts[by(o)] = append(parts[by(o)], o)
	}
	out := []Group{}
	for _, k := range slices.SortedFunc(maps.Keys(parts), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		out = append(out, groupOf(k[0], k[1], parts[k]))
	}
	return out
}

func groupOf(solver, family string, outcomes []outcome) Group {
	tasks := map[int]*stats.Paired{}
	var all stats.Paired
	for _, o := range outcomes {
		if tasks[o.task] == nil {
			tasks[o.task] = &stats.Paired{}
		}
		tasks[o.task].Add(o.a, o.b)
		all.Add(o.a, o.b)
	}
	n := float64(all.N())
	g := Group{
		Solver: solver, Family: family, Pairs: all.N(), TaskPairs: len(tasks),
		Both: all.Both, OnlyA: all.OnlyA, OnlyB: all.OnlyB, Neither: all.Neither,
		RateA: float64(all.SolvedA()) / n, RateB: float64(all.SolvedB()) / n,
		Difference: all.Difference(), Wald: Interval(all.Wald()), McNemar: all.McNemar(), Agreement: all.Agreement(),
		PositiveAgreement: known(all.PositiveAgreement), Kappa: known(all.Kappa), Jaccard: known(all.Jaccard),
	}
	if len(tasks) < all.N() {
		var each []stats.Paired
		for _, i := range slices.Sorted(maps.Keys(tasks)) {
			each = append(each, *tasks[i])
		}
		in := Interval(stats.Clustered(each))
		g.Clustered = &in
	}
	return g
}

func known(of func() (float64, bool)) *float64 {
	if v, ok := of(); ok {
		return &v
	}
	return nil
}
