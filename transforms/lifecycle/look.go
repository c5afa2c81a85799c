package lifecycle

import (
	"slices"
	"time"

	"github.com/taskmill/taskmill/model"
)

// DefaultWall is the wall limit that a confirmation doubles where a run names none.
const DefaultWall = 30 * time.Minute

// Confirm is the second run of a unit that met a limit: the same with twice the wall limit, to
// be made alone on the machine. Only if it too meets a limit is that the tree's fault.
func Confirm(r model.Run) model.Run {
	if r.Limits.Wall <= 0 {
		r.Limits.Wall = DefaultWall
	}
	r.Limits.Wall *= 2
	return r
}

// Limited reports whether a run ended at a limit of ours.
func Limited(outcome string) bool {
	switch outcome {
	case model.OutcomeTimeout, model.OutcomeMemory, model.OutcomeOutput, model.OutcomeDisk:
		return true
	}
	return false
}

// infrastructure reports whether a run ended by no fault of the tree. The executor has retried
// it; here it is final. A process that a check killed is not among them: Complete has made a
// crash of that check.
func infrastructure(outcome string) bool {
	return outcome == model.OutcomeInfrastructure || outcome == model.OutcomeKilled
}

// A class is what a verdict means for a cell of the table.
type class int

const (
	other  class = iota // skip, todo, xpass, not run: neither holds nor fails
	holds               // the verdict of H, pass or executed xfail
	fails               // an observed failure
	broken              // build error
	late                // a limit, confirmed
)

// A view is the settled observation of one unit in one tree.
type view struct {
	observation model.Observation
	verdicts    map[string]model.Verdict
	limited     bool // confirmed
}

func newView(o model.Observation) view {
	v := view{observation: o, verdicts: make(map[string]model.Verdict, len(o.Checks)), limited: Limited(o.Outcome)}
	for _, c := range o.Checks {
		if have, twice := v.verdicts[c.ID]; twice && have != c.Verdict {
			// One id with two verdicts names no check.
			v.verdicts[c.ID] = model.NotRun
			continue
		}
		v.verdicts[c.ID] = c.Verdict
	}
	return v
}

// class of a check whose verdict on H is onH: a check holds when its verdict is the same.
func (v view) class(id string, onH model.Verdict) class {
	got, ran := v.verdicts[id]
	switch {
	case !ran && v.observation.BuildError:
		return broken
	case !ran && v.limited:
		return late
	case !ran:
		return other
	case got.HoldsAs(onH):
		return holds
	case got.Fails():
		return fails
	case got == model.BuildError:
		return broken
	case got == model.Timeout:
		return late
	case got == model.NotRun && v.limited:
		return late
	}
	return other
}

// look is the settled view of a unit in a tree; false while a run is missing, which is then
// asked for.
func (p *planner) look(state string, tree model.Hash, unit string, repeat int) (view, bool) {
	r := p.run(tree, unit, repeat)
	o, ok := p.observe(state, r, false)
	if ok && (Limited(o.Outcome) || slices.ContainsFunc(o.Checks, func(c model.Check) bool { return c.Verdict == model.Timeout })) {
		o, ok = p.observe(state, Confirm(r), true)
	}
	if !ok {
		return view{}, false
	}
	return newView(o), true
}

func (p *planner) observe(state string, r model.Run, alone bool) (model.Observation, bool) {
	key := r.Key()
	o, ok := p.seen.Of(key)
	if !ok {
		if !p.asked[key] {
			p.asked[key] = true
			p.runs = append(p.runs, Planned{State: state, Run: r, Alone: alone})
		}
		return o, false
	}
	if !p.used[key] {
		p.used[key] = true
		p.made = append(p.made, Made{State: state, Run: r})
	}
	if infrastructure(o.Outcome) && p.world == nil {
		p.world = fault(model.Infrastructure, "%s on %s ended as %s", r.Unit, state, o.Outcome)
	}
	return o, true
}

// looks are the views of units in a tree for the repeats from to below to, by unit. They are
// complete only if ready says so.
func (p *planner) looks(state string, tree model.Hash, units []string, from, to int) map[string][]view {
	out := make(map[string][]view, len(units))
	for _, u := range units {
		for n := from; n < to; n++ {
			if v, ok := p.look(state, tree, u, n); ok {
				out[u] = append(out[u], v)
			}
		}
	}
	return out
}

// ready reports whether everything asked for so far is there.
func (p *planner) ready() bool { return len(p.runs) == 0 && p.world == nil }
