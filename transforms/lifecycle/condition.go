package lifecycle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// condition looks at the target units once on C and decides the first hidden set.
//
// A check that neither holds nor fails on C (skipped there, or a subtest that its failing
// parent never reached) goes into neither list: not_run is no observed failure, and nothing
// can be required of it.
func (p *planner) condition() *model.Fault {
	views := p.looks(StateC, p.C, p.TargetUnits, 0, 1)
	if !p.ready() {
		return nil
	}
	for _, u := range p.TargetUnits {
		v := views[u][0]
		p.unbuilt[u] = v.observation.BuildError
		for _, id := range p.held[u] {
			p.onC[id] = v.class(id, p.onH[id])
		}
	}
	for _, check := range []func(map[string][]view) *model.Fault{
		p.closed, p.timely, p.acceptable, p.discriminates, p.collateral,
	} {
		if f := check(views); f != nil {
			return f
		}
	}
	return nil
}

// timely: a limit on C is never an observed failure of a target.
func (p *planner) timely(map[string][]view) *model.Fault {
	for _, u := range p.TargetUnits {
		for _, id := range p.held[u] {
			if p.onC[id] == late && p.touched[p.function(id)] {
				return fault(model.TargetTimeout, "%s meets a limit on C twice", id)
			}
		}
	}
	return nil
}

// discriminates: at least one target fails on C. Its function is hidden whole.
func (p *planner) discriminates(map[string][]view) *model.Fault {
	ran, any := true, false
	for _, u := range p.TargetUnits {
		for _, id := range p.held[u] {
			f := p.function(id)
			if !p.touched[f] {
				continue
			}
			if p.onC[id] == fails {
				p.hide(f)
			}
			any = any || p.onC[id] == fails || p.onC[id] == broken && p.hides[f]
			ran = ran && p.onC[id] == holds
		}
	}
	if any || len(p.Structural) > 0 {
		return nil
	}
	if ran {
		return fault(p.inert(), "every target holds on C")
	}
	return fault(model.ConditionUnmet, "no target fails on C")
}

// collateral: an untouched check of a touched file that fails on C is hidden with the rest; in
// another file, or where no test function is found for it, it is broken.
func (p *planner) collateral(views map[string][]view) *model.Fault {
	for _, u := range p.TargetUnits {
		if p.unbuilt[u] {
			continue
		}
		for _, id := range p.held[u] {
			f := p.function(id)
			if p.touched[f] || p.onC[id] != fails {
				continue
			}
			if !slices.ContainsFunc(p.surfaces[f], func(s model.Surface) bool { return p.files[s.Path] }) {
				return fault(model.RegressionBroken, "%s fails on C", id)
			}
			p.fallen = append(p.fallen, id)
			p.hide(f)
		}
		if f := p.unbroken(u, views[u][0]); f != nil {
			return f
		}
	}
	return nil
}

// unbroken: what is not hidden in a unit must not fail on C, nor lose a whole test function.
func (p *planner) unbroken(unit string, v view) *model.Fault {
	if v.observation.BuildError {
		for _, d := range v.observation.Diagnostics {
			if p.namesRemoved(d) {
				return fault(model.TestsEntangled, "%s has no hidden check and names what the change removes: %s", d.Path, d.Message)
			}
		}
		return fault(model.RegressionBroken, "unit %s does not build on C", unit)
	}
	alive := map[string]bool{}
	for id, verdict := range v.verdicts {
		if verdict != model.NotRun {
			alive[p.function(id)] = true
		}
	}
	for _, id := range p.held[unit] {
		f := p.function(id)
		switch {
		case p.hides[f] || p.onC[id] == holds:
		case p.onC[id] == fails || p.onC[id] == broken || p.onC[id] == late:
			return fault(model.RegressionBroken, "%s does not hold on C", id)
		case !alive[f] && !p.touched[f]:
			return fault(model.RegressionBroken, "%s is not run on C", id)
		}
	}
	return nil
}

// hide puts the surfaces of a function into the hidden set.
func (p *planner) hide(function string) {
	p.hides[function] = true
	for _, s := range p.surfaces[function] {
		p.hidden[s.Unit+"\x00"+s.Key()] = s
	}
}

// hiddenSet is the hidden set, sorted by unit, path and function.
func (p *planner) hiddenSet() []model.Surface {
	var out []model.Surface
	for _, k := range sortedKeys(p.hidden) {
		out = append(out, p.hidden[k])
	}
	return out
}
