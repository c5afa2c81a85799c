package lifecycle

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// lists are FAIL_TO_PASS and PASS_TO_PASS by what C's first run and S showed, each sorted.
func (p *planner) lists() (fail, pass []string) {
	for _, u := range p.units() {
		for _, id := range p.held[u] {
			hidden := p.hides[p.function(id)]
			switch {
			case hidden && (p.onC[id] == fails || p.onC[id] == broken):
				fail = append(fail, id)
			case !hidden && p.unbuilt[u]:
				if p.onS[id] == holds {
					pass = append(pass, id)
				}
			case p.onC[id] == holds:
				pass = append(pass, id)
			}
		}
	}
	for _, s := range p.Structural {
		fail = append(fail, s.ID)
	}
	return sortedSet(fail), sortedSet(pass)
}

// restored looks once at H', where its tree is not H's.
func (p *planner) restored() *model.Fault {
	return p.holdRestored(0, 1, model.NotRestored)
}

func (p *planner) holdRestored(from, to int, reason model.Reason) *model.Fault {
	if p.Restored == p.H {
		return nil
	}
	views := p.looks(StateRestored, p.Restored, p.units(), from, to)
	if !p.ready() {
		return nil
	}
	fail, pass := p.lists()
	want := map[string]bool{}
	for _, id := range slices.Concat(fail, pass) {
		want[id] = true
	}
	for _, u := range p.units() {
		for _, id := range p.held[u] {
			for _, v := range views[u] {
				if want[id] && v.class(id, p.onH[id]) != holds {
					return fault(reason, "%s does not hold on H'", id)
				}
			}
		}
	}
	return nil
}

// repeats runs C and H' again. Whatever varies is flaky.
func (p *planner) repeats() *model.Fault {
	onC := p.looks(StateC, p.C, p.units(), 1, p.n)
	if f := p.holdRestored(1, p.n, model.Flaky); f != nil || !p.ready() {
		return f
	}
	for _, u := range p.units() {
		for _, v := range onC[u] {
			if v.observation.BuildError != p.unbuilt[u] {
				return fault(model.Flaky, "unit %s builds in some runs on C", u)
			}
			for _, id := range p.held[u] {
				if v.class(id, p.onH[id]) != p.onC[id] {
					return fault(model.Flaky, "%s varies on C", id)
				}
			}
			if p.unbuilt[u] {
				if f := p.explained(u, v); f != nil {
					return fault(model.Flaky, "unit %s: %s", u, f.Detail)
				}
			}
		}
	}
	return nil
}

// accept is the verdict of a candidate whose every cell holds.
func (p *planner) accept() Step {
	v := &Verdict{Accepted: true, S: p.s, Repeats: p.n, FlakeBound: FlakeBound(p.n), Suite: p.suiteRan, Runs: p.made}
	v.FailToPass, v.PassToPass = p.lists()
	v.Collateral = sortedSet(p.fallen)
	for _, id := range sortedSet(slices.Concat(v.FailToPass, v.PassToPass)) {
		if p.onH[id] == model.XFail {
			v.ExpectedFailures = append(v.ExpectedFailures, id)
		}
	}
	v.Hidden = p.hiddenSet()
	for _, id := range v.PassToPass {
		if f := p.function(id); !p.touched[f] && !p.hides[f] {
			v.Regression = append(v.Regression, id)
		}
	}
	for _, s := range v.Hidden {
		v.HiddenUses = append(v.HiddenUses, p.RemovedUses[s.Key()]...)
	}
	v.HiddenUses = sortedSet(v.HiddenUses)
	for _, u := range p.TargetUnits {
		v.BuildErrorTarget = v.BuildErrorTarget || p.unbuilt[u]
	}
	return Step{Verdict: v}
}
