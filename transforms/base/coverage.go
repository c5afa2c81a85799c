package base

import "slices"

// DefaultMinTasks is the least number of changes, not yet covered, that a base is planned for,
// ours.
const DefaultMinTasks = 4

// A Matrix says which changes can be constructed on which points, by git objects alone:
// Cells[change][point]. Points are newest first.
type Matrix struct {
	Points []Point
	Cells  [][]bool
}

// A Pick is one base of a plan: the point, and the changes that it is the first to cover, in
// order.
type Pick struct {
	Point   int
	Changes []int
}

// Choose picks points greedily: each time the one that covers the most changes not yet covered,
// the newest on ties. It ends after most picks (0: no limit), or where no point covers least
// more. The order of the picks is the plan's order.
func (m Matrix) Choose(most, least int) []Pick {
	covered := make([]bool, len(m.Cells))
	var picks []Pick
	for most == 0 || len(picks) < most {
		best := Pick{Point: -1}
		for p := range m.Points {
			if own := m.fresh(p, covered); len(own) > len(best.Changes) {
				best = Pick{p, own}
			}
		}
		if best.Point < 0 || len(best.Changes) < max(least, 1) {
			break
		}
		for _, c := range best.Changes {
			covered[c] = true
		}
		picks = append(picks, best)
	}
	return picks
}

// WithNewest adds the newest point where changes are left and it was not picked: they end there,
// those that it covers and those that nothing does.
func (m Matrix) WithNewest(picks []Pick) []Pick {
	lost := m.Uncovered(picks)
	if len(lost) == 0 || slices.ContainsFunc(picks, func(p Pick) bool { return p.Point == 0 }) {
		return picks
	}
	own := slices.DeleteFunc(lost, func(c int) bool { return !m.Cells[c][0] })
	return append(slices.Clip(picks), Pick{Point: 0, Changes: own})
}

// fresh are the changes that a point covers and nothing before it did.
func (m Matrix) fresh(point int, covered []bool) []int {
	var out []int
	for c, row := range m.Cells {
		if row[point] && !covered[c] {
			out = append(out, c)
		}
	}
	return out
}

// Reach is how many changes the first k picks cover, for k from 0 to all of them: the curve of
// a plan.
func Reach(picks []Pick) []int {
	out := []int{0}
	for _, p := range picks {
		out = append(out, out[len(out)-1]+len(p.Changes))
	}
	return out
}

// Next is the pick after at, in plan order, that covers a change; false where none does.
func (m Matrix) Next(picks []Pick, at, change int) (int, bool) {
	for i := at + 1; i < len(picks); i++ {
		if m.Cells[change][picks[i].Point] {
			return i, true
		}
	}
	return 0, false
}

// Uncovered are the changes that no pick covers, in order.
func (m Matrix) Uncovered(picks []Pick) []int {
	var out []int
	for c := range m.Cells {
		if !slices.ContainsFunc(picks, func(p Pick) bool { return slices.Contains(p.Changes, c) }) {
			out = append(out, c)
		}
	}
	return out
}
