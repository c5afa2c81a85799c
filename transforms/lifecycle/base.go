package lifecycle

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// targets looks at the target units on H. The candidate is healthy when every mapped target
// that runs on H holds in every run. A target that the base lists as unstable, whose id is not
// in every run, or that is skipped, is no target; when none is left the reason says why.
func (p *planner) targets() *model.Fault {
	views := p.looks(StateH, p.H, p.TargetUnits, 0, p.n)
	if !p.ready() {
		return nil
	}
	var lost []*model.Fault
	usable := 0
	for _, u := range p.TargetUnits {
		for _, v := range views[u] {
			if v.limited {
				return fault(model.TargetTimeout, "unit %s is slow or heavy on H", u)
			}
			if v.observation.BuildError {
				return fault(model.TargetFailsOnH, "unit %s does not build on H", u)
			}
		}
		lost = append(lost, p.settle(u, views[u])...)
		for _, id := range p.held[u] {
			if p.touched[p.function(id)] {
				usable++
			}
		}
	}
	for _, f := range lost {
		if f.Reason == model.TargetFailsOnH {
			return f
		}
	}
	if usable > 0 || len(p.Structural) > 0 {
		return nil
	}
	for _, r := range []model.Reason{model.TargetUnstable, model.OrderDependent, model.ClockDependent, model.UnstableID} {
		for _, f := range lost {
			if f.Reason == r {
				return f
			}
		}
	}
	return fault(model.TargetAbsent, "no target ran on H")
}

// settle fills held with the checks of a unit that hold in every run of H and are stable. It
// returns a fault for each target that is left out: fails on H, or unstable.
func (p *planner) settle(unit string, views []view) []*model.Fault {
	ids := map[string]int{}
	for _, v := range views {
		for id := range v.verdicts {
			ids[id]++
		}
	}
	var lost []*model.Fault
	for _, id := range sortedKeys(ids) {
		reason, detail := p.stable(id, ids[id], views)
		if reason == "" {
			if first := views[0].verdicts[id]; first.Holds() {
				p.held[unit] = append(p.held[unit], id)
				p.onH[id] = first
			} else if bad := views[0].class(id, first); bad != other {
				reason, detail = model.TargetFailsOnH, "is "+string(first)+" on H"
			}
		}
		if reason != "" && p.touched[p.function(id)] {
			lost = append(lost, fault(reason, "%s %s", id, detail))
		}
	}
	return lost
}

// stable says why a check of H may be neither target nor regression; an empty reason says that
// it may.
func (p *planner) stable(id string, present int, views []view) (model.Reason, string) {
	if present < len(views) {
		return model.UnstableID, "is not in every run of H"
	}
	switch p.unstable[id] {
	case "":
	case CauseOrder:
		return model.OrderDependent, "depends on the order of tests"
	case CauseClock:
		return model.ClockDependent, "depends on the clock"
	default:
		return model.TargetUnstable, "flips between runs of H"
	}
	for _, v := range views[1:] {
		if v.verdicts[id] != views[0].verdicts[id] {
			return model.TargetUnstable, "flips between runs of H"
		}
	}
	return "", ""
}

// neighbours looks at the units of the touched modules, on H and once on C. A unit that has no
// stable holding check on H, or that is slow there, gives no regression check and is left out.
// The candidate's second part of health is here: one regression check at least.
func (p *planner) neighbours() *model.Fault {
	var units []string
	for _, u := range sortedSet(p.NearbyUnits) {
		if !slices.Contains(p.TargetUnits, u) {
			units = append(units, u)
		}
	}
	views := p.looks(StateH, p.H, units, 0, p.n)
	if !p.ready() {
		return nil
	}
	for _, u := range units {
		if slices.ContainsFunc(views[u], func(v view) bool { return v.limited || v.observation.BuildError }) {
			continue
		}
		p.settle(u, views[u])
		if len(p.held[u]) > 0 {
			p.nearby = append(p.nearby, u)
		}
	}
	if !p.anyRegression() {
		return fault(model.BaseUnhealthy, "no regression check holds on H")
	}
	onC := p.looks(StateC, p.C, p.nearby, 0, 1)
	if !p.ready() {
		return nil
	}
	for _, u := range p.nearby {
		v := onC[u][0]
		for _, id := range p.held[u] {
			p.onC[id] = v.class(id, p.onH[id])
		}
		if f := p.unbroken(u, v); f != nil {
			return f
		}
	}
	return nil
}

func (p *planner) anyRegression() bool {
	for _, ids := range p.held {
		for _, id := range ids {
			if !p.touched[p.function(id)] {
				return true
			}
		}
	}
	return false
}
