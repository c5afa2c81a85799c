package pairing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/transforms/stats"
)

// Schema is the version of a comparison's JSON form. A field that is taken away or means
// something else raises it; new fields do not.
const Schema = 1

// A Score has the columns of model.Score that a comparison rests on.
type Score struct {
	InstanceID string `parquet:"instance_id"`
	Solver     string `parquet:"solver"`
	Attempt    int64  `parquet:"attempt"`
	Resolved   bool   `parquet:"resolved"`
	Outcome    string `parquet:"outcome"`
}

// noVerdict is the outcome of a prediction that was not judged: it is no failure of its solver.
const noVerdict = "infrastructure"

// Results are one evaluation: its scores, and the ids of its tasks, with or without a score.
type Results struct {
	Name, Folder string
	Scores       []Score
	Tasks        []string
}

// Options of a comparison.
type Options struct {
	File          string            // where the pairs are from, for messages
	Families      map[string]string // by id of a task, of either side; nil: no families
	AllowUnpaired bool              // leave out and count what has no counterpart, rather than refuse it
}

// A Comparison is what Compare finds. Rates are 0 to 1; differences are B less A.
type Comparison struct {
	Schema         int      `json:"schema"`
	A              Side     `json:"a"`
	B              Side     `json:"b"`
	Pairs          int      `json:"pairs"`    // of tasks, as given
	Excluded       Excluded `json:"excluded"` // what the figures leave out
	All            Group    `json:"all"`
	Solvers        []Group  `json:"solvers"`
	Families       []Group  `json:"families"` // empty where families are not known
	SolverFamilies []Group  `json:"solver_families"`
	Notes          []string `json:"notes"`
}

// A Side is one evaluation.
type Side struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Tasks  int    `json:"tasks"`
	Scores int    `json:"scores"`
}

// Excluded counts what has no counterpart or no verdict.
type Excluded struct {
	TasksA    int      `json:"tasks_only_a"` // scored tasks that no pair names
	TasksB    int      `json:"tasks_only_b"`
	SolversA  []string `json:"solvers_only_a"`
	SolversB  []string `json:"solvers_only_b"`
	ScoresA   int      `json:"scores_only_a"` // of a solver and attempt that the counterpart lacks
	ScoresB   int      `json:"scores_only_b"`
	NoVerdict int      `json:"no_verdict"` // pairs with an infrastructure outcome on a side
}

// A Group is the paired outcomes of a solver, a family, or both; of all where both are empty.
type Group struct {
	Solver            string    `json:"solver"`
	Family            string    `json:"family"`
	Pairs             int       `json:"pairs"` // of outcomes: a pair of tasks has one for each solver and attempt
	TaskPairs         int       `json:"task_pairs"`
	Both              int       `json:"both"`
	OnlyA             int       `json:"only_a"`
	OnlyB             int       `json:"only_b"`
	Neither           int       `json:"neither"`
	RateA             float64   `json:"rate_a"`
	RateB             float64   `json:"rate_b"`
	Difference        float64   `json:"difference"`
	Wald              Interval  `json:"wald"`      // 95 %, the pairs taken as independent
	Clustered         *Interval `json:"clustered"` // 95 %, by task; null where each task has one outcome
	McNemar           float64   `json:"mcnemar_p"` // exact, two-sided
	Agreement         float64   `json:"agreement"`
	PositiveAgreement *float64  `json:"positive_agreement"` // null where neither side solved anything
	Kappa             *float64  `json:"kappa"`              // null where both sides solved all, or none
	Jaccard           *float64  `json:"jaccard"`            // of the solved sets; null where both are empty
}

// An Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// An outcome is one pair's, of one solver and attempt.
type outcome struct {
	task           int // index of the pair
	solver, family string
	a, b           bool
}

// An entry names a score within one side.
type entry struct {
	id, solver string
	attempt    int64
}

// Compare compares the outcomes of each pair, solver by solver and attempt by attempt. Solvers
// are matched by name; where each side has one, those two are matched. What has no counterpart
// is an error, unless the options allow it.
func Compare(a, b Results, pairs []Pair, o Options) (Comparison, error) {
	c := Comparison{Schema: Schema, A: sideOf(a), B: sideOf(b), Pairs: len(pairs), Notes: []string{}}
	c.Excluded.SolversA, c.Excluded.SolversB = []string{}, []string{}
	for _, r := range []Results{a, b} {
		if len(r.Scores) == 0 {
			return c, fmt.Errorf("%s has no score: its evaluation had no prediction", r.Folder)
		}
	}
	if err := c.pairAll(a, b, pairs, o); err != nil {
		return c, err
	}
	solvers, err := c.matchSolvers(a, b, o)
	if err != nil {
		return c, err
	}
	outcomes, err := c.match(a, b, pairs, solvers, o)
	if err != nil {
		return c, err
	}
	if len(outcomes) == 0 {
		return c, errors.New("no pair has a verdict on both sides: nothing can be compared")
	}
	c.figures(outcomes, o.Families != nil)
	return c, nil
}

func sideOf(r Results) Side { return Side{r.Name, r.Folder, len(r.Tasks), len(r.Scores)} }

// pairAll checks that pairs name tasks of both sides, and all that have a score.
func (c *Comparison) pairAll(a, b Results, pairs []Pair, o Options) error {
	for side, r := range []Results{a, b} {
		known, paired := map[string]bool{}, map[string]bool{}
		for _, id := range r.Tasks {
			known[id] = true
		}
		for _, s := range r.Scores {
			known[s.InstanceID] = true
		}
		for _, p := range pairs {
			id := []string{p.A, p.B}[side]
			paired[id] = true
			if !known[id] {
				return fmt.Errorf("%sno task %q in %s: it has %s", o.where(p), id, r.Folder, some(slices.Sorted(maps.Keys(known))))
			}
		}
		alone := map[string]bool{}
		for _, s := range r.Scores {
			if !paired[s.InstanceID] {
				alone[s.InstanceID] = true
			}
		}
		left := slices.Sorted(maps.Keys(alone))
		*[]*int{&c.Excluded.TasksA, &c.Excluded.TasksB}[side] = len(left)
		if len(left) > 0 && !o.AllowUnpaired {
			return fmt.Errorf("%s of %s with a score, but in no pair (%s): pair them, or leave them out with --allow-unpaired", many(len(left), "task"), r.Folder, some(left))
		}
	}
	if o.Families == nil {
		return nil
	}
	for _, p := range pairs {
		if _, ok := o.family(p); !ok {
			return fmt.Errorf("%sneither %q nor %q is a task of the corpora given with --tasks", o.where(p), p.A, p.B)
		}
	}
	return nil
}

// family is that of the task in B, else in A.
func (o Options) family(p Pair) (string, bool) {
	if f, ok := o.Families[p.B]; ok {
		return f, true
	}
	f, ok := o.Families[p.A]
	return f, ok
}

// where says which line of which file has the pair.
func (o Options) where(p Pair) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s line %d: ", o.File, p.Line)
}

// some names a few ids and how many there are beside.
func some(ids []string) string {
	const named = 3
	if len(ids) <= named {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:named], ", "), len(ids)-named)
}

// matchSolvers gives the solver of B for each of A.
func (c *Comparison) matchSolvers(a, b Results, o Options) (map[string]string, error) {
	inA, inB := a.solvers(), b.solvers()
	if len(inA) == 1 && len(inB) == 1 {
		return map[string]string{inA[0]: inB[0]}, nil
	}
	match := map[string]string{}
	for _, s := range inA {
		if slices.Contains(inB, s) {
			match[s] = s
			continue
		}
		c.Excluded.SolversA = append(c.Excluded.SolversA, s)
	}
	for _, s := range inB {
		if !slices.Contains(inA, s) {
			c.Excluded.SolversB = append(c.Excluded.SolversB, s)
		}
	}
	for _, only := range []struct {
		here, there Results
		names       []string
	}{{a, b, c.Excluded.SolversA}, {b, a, c.Excluded.SolversB}} {
		if len(only.names) > 0 && (!o.AllowUnpaired || len(match) == 0) {
			return nil, fmt.Errorf("%s has solvers that %s lacks (%s): solvers are matched by name; --allow-unpaired leaves out those of one side", only.here.Folder, only.there.Folder, some(only.names))
		}
	}
	return match, nil
}

func (r Results) solvers() []string {
	names := map[string]bool{}
	for _, s := range r.Scores {
		names[s.Solver] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// match brings the scores of each pair together.
func (c *Comparison) match(a, b Results, pairs []Pair, solvers map[string]string, o Options) ([]outcome, error) {
	ofA, ofB := byTask(a), byTask(b)
	back := map[string]string{}
	for sa, sb := range solvers {
		back[sb] = sa
	}
	var out []outcome
	for i, p := range pairs {
		there := map[entry]Score{}
		for _, s := range ofB[p.B] {
			if name, ok := back[s.Solver]; ok {
				there[entry{p.A, name, s.Attempt}] = s
			}
		}
		family, _ := o.family(p)
		for _, s := range ofA[p.A] {
			other, ok := solvers[s.Solver]
			if !ok {
				continue
			}
			k := entry{p.A, s.Solver, s.Attempt}
			t, ok := there[k]
			delete(there, k)
			switch {
			case !ok && !o.AllowUnpaired:
				return nil, o.lacking(p, p.B, b, other, s.Attempt)
			case !ok:
				c.Excluded.ScoresA++
			case s.Outcome == noVerdict || t.Outcome == noVerdict:
				c.Excluded.NoVerdict++
			default:
				out = append(out, outcome{i, label(s.Solver, other), family, s.Resolved, t.Resolved})
			}
		}
		c.Excluded.ScoresB += len(there)
		if !o.AllowUnpaired {
			for _, t := range ofB[p.B] { // in their order: which one is named must not vary
				if _, left := there[entry{p.A, back[t.Solver], t.Attempt}]; left {
					return nil, o.lacking(p, p.A, a, back[t.Solver], t.Attempt)
				}
			}
		}
	}
	return out, nil
}

func (o Options) lacking(p Pair, id string, r Results, solver string, attempt int64) error {
	return fmt.Errorf("%s%s has no score of %s, attempt %d, for %q, its counterpart has: an empty prediction counts as unsolved, --allow-unpaired leaves it out", o.where(p), r.Folder, solver, attempt, id)
}

func label(a, b string) string {
	if a == b {
		return a
	}
	return a + " | " + b
}

func byTask(r Results) map[string][]Score {
	out := map[string][]Score{}
	for _, s := range r.Scores {
		out[s.InstanceID] = append(out[s.InstanceID], s)
	}
	return out
}

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
