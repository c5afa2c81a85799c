package lifecycle

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// solver looks at S. In a unit that does not build on C, S shows which touched checks hold
// without the hidden ones; those that fail are hidden too, and S is built again.
func (p *planner) solver() *model.Fault {
	for {
		hidden := p.hiddenSet()
		if len(hidden) == 0 { // a structural target alone: no check file differs
			p.s = p.C
			return nil
		}
		s, ok := p.built(hidden)
		if !ok {
			p.want = hidden
			return nil
		}
		p.s = s
		views := map[string][]view{}
		for _, u := range p.units() {
			if p.visible(u) {
				n := 1
				if p.unbuilt[u] {
					n = p.n
				}
				views[u] = p.looks(StateS, s, []string{u}, 0, n)[u]
			}
		}
		if !p.ready() {
			return nil
		}
		joined, f := p.judgeS(views)
		if f != nil || len(joined) == 0 {
			return f
		}
		for _, function := range joined {
			p.hide(function)
		}
	}
}

// visible reports whether S still holds anything of a unit. A unit that was hidden whole may
// not exist there.
func (p *planner) visible(unit string) bool {
	for _, s := range p.Surfaces[unit] {
		if !p.hides[functionKey(s.Unit, s.Function)] {
			return true
		}
	}
	return slices.ContainsFunc(p.held[unit], func(id string) bool { return !p.hides[p.function(id)] })
}

// judgeS returns the touched functions that S shows to fail, or a fault.
func (p *planner) judgeS(views map[string][]view) ([]string, *model.Fault) {
	clear(p.onS)
	var joined []string
	for _, u := range p.units() {
		for _, v := range views[u] {
			if f := p.openProduction(v); f != nil {
				return nil, f
			}
			if v.observation.BuildError {
				return nil, fault(model.TestsEntangled, "unit %s does not build on S", u)
			}
			for _, id := range sortedKeys(v.verdicts) {
				if p.hides[p.function(id)] {
					return nil, fault(model.TestsEntangled, "%s is hidden and still there on S", id)
				}
			}
		}
		if len(views[u]) == 0 {
			continue
		}
		for _, id := range p.held[u] {
			f := p.function(id)
			if p.hides[f] || !p.unbuilt[u] && p.onC[id] != holds {
				continue
			}
			got := make([]class, 0, len(views[u]))
			for _, v := range views[u] {
				got = append(got, v.class(id, p.onH[id]))
			}
			p.onS[id] = got[0]
			same := len(slices.Compact(slices.Clone(got))) == 1
			switch {
			case same && got[0] == holds:
			case same && p.unbuilt[u] && p.touched[f] && got[0] == fails:
				joined = append(joined, f)
			case same && p.unbuilt[u] && p.touched[f] && got[0] == other:
			case !same && slices.Contains(got, holds):
				return nil, fault(model.Flaky, "%s varies on S", id)
			default:
				return nil, fault(model.RegressionBroken, "%s does not hold on S", id)
			}
		}
	}
	return joined, nil
}

// suite runs the rest of the whole suite once on S, where H's first runs together take at most
// SuiteSeconds. A check that holds on H and fails there is broken.
func (p *planner) suite() *model.Fault {
	units := sortedSet(p.AllUnits)
	if len(units) == 0 {
		return nil
	}
	onH := p.looks(StateH, p.H, units, 0, 1)
	seconds := 0.0
	for _, u := range units {
		for _, v := range onH[u] {
			seconds += v.observation.Seconds
		}
	}
	if seconds > SuiteSeconds {
		p.runs = nil // what is missing cannot make it shorter
		return nil
	}
	if !p.ready() {
		return nil
	}
	var rest []string
	done := p.units()
	for _, u := range units {
		if v := onH[u][0]; !slices.Contains(done, u) && !v.limited && !v.observation.BuildError {
			rest = append(rest, u)
		}
	}
	onS := p.looks(StateS, p.s, rest, 0, 1)
	if !p.ready() {
		return nil
	}
	for _, u := range rest {
		for _, id := range sortedKeys(onH[u][0].verdicts) {
			v := onH[u][0].verdicts[id]
			if !v.Holds() || p.unstable[id] != "" {
				continue
			}
			if got := onS[u][0].class(id, v); got == fails || got == broken || got == late {
				return fault(model.RegressionBroken, "%s does not hold on S", id)
			}
		}
	}
	p.suiteRan = true
	return nil
}
