package pairing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
	if len(match) == 0 {
		return nil, fmt.Errorf("%s and %s have no solver in common (%s; %s): solvers are matched by name", a.Folder, b.Folder, some(inA), some(inB))
	}
	for _, only := range []struct {
		here, there Results
		names       []string
	}{{a, b, c.Excluded.SolversA}, {b, a, c.Excluded.SolversB}} {
		if len(only.names) > 0 && !o.AllowUnpaired {
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
