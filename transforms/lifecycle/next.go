package lifecycle

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Next is the next step of a candidate: the runs worth making, cheapest first and only after
// what was run before passed; or the hidden set that S must be built for; or the verdict. It
// asks for no run that seen has, and ends after a bounded number of steps.
//
// A stage looks only at runs that it asks for itself, so a verdict does not depend on what else
// a ledger happens to hold.
func Next(c Case, seen Seen) Step {
	p := newPlanner(c, seen)
	for _, stage := range []func() *model.Fault{
		p.admit,      // nothing to run
		p.targets,    // H: the target units
		p.condition,  // C: the target units, once
		p.neighbours, // H and C: the touched modules, C once
		p.solver,     // S
		p.restored,   // H', once, where its tree is not H's
		p.repeats,    // C and H' again
		p.suite,      // S: everything else
	} {
		f := stage()
		switch {
		case p.world != nil:
			return p.end(p.world, true)
		case f != nil:
			return p.end(f, false)
		case len(p.runs) > 0:
			return Step{Runs: p.runs}
		case len(p.want) > 0:
			return Step{Hidden: p.want}
		}
	}
	return p.accept()
}

// FlakeBound is an upper bound, at 95 % confidence, of the rate at which a check flips that
// did not flip in n runs: 1 − 0.05^(1/n).
func FlakeBound(n int) float64 {
	if n < 1 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// A planner walks one candidate through the stages. It lives for one call of Next.
type planner struct {
	Case
	seen  Seen
	n     int // repeats
	asked map[model.Hash]bool
	used  map[model.Hash]bool
	runs  []Planned
	made  []Made
	world *model.Fault
	want  []model.Surface

	unstable map[string]string          // id to cause
	surfaces map[string][]model.Surface // by function key
	resolve  map[string]func(id string) (unit, function string)
	touched  map[string]bool // function keys of Targets
	files    map[string]bool // paths of Targets
	removed  map[string]bool // last names of Removed

	held     map[string][]string      // by unit: ids that hold in every run of H and are stable, sorted
	onH      map[string]model.Verdict // their verdicts
	onC      map[string]class         // their classes in C's first run
	nearby   []string                 // units beside the target units that have a held check
	unbuilt  map[string]bool          // target units that are a build error on C
	fallen   []string                 // untouched ids of touched files that fail on C
	hidden   map[string]model.Surface // by surface key: the hidden set
	hides    map[string]bool          // function keys of hidden
	s        model.Hash               // S, once it was judged; C where nothing is hidden
	onS      map[string]class         // of the visible held ids of unbuilt units
	suiteRan bool
}

func newPlanner(c Case, seen Seen) *planner {
	p := &planner{
		Case: c, seen: seen, n: max(1, c.Repeats),
		asked: map[model.Hash]bool{}, used: map[model.Hash]bool{},
		unstable: map[string]string{}, surfaces: map[string][]model.Surface{},
		touched: map[string]bool{}, files: map[string]bool{}, removed: map[string]bool{},
		held: map[string][]string{}, onH: map[string]model.Verdict{}, onC: map[string]class{},
		unbuilt: map[string]bool{}, hidden: map[string]model.Surface{}, hides: map[string]bool{},
		onS: map[string]class{},
	}
	for _, s := range c.Targets {
		p.TargetUnits = append(slices.Clone(p.TargetUnits), s.Unit)
	}
	p.TargetUnits = sortedSet(p.TargetUnits)
	for _, u := range c.Unstable {
		p.unstable[u.ID] = u.Cause
	}
	known := map[string]bool{}
	add := func(s model.Surface) {
		if k := s.Unit + "\x00" + s.Key(); !known[k] {
			known[k] = true
			f := functionKey(s.Unit, s.Function)
			p.surfaces[f] = append(p.surfaces[f], s)
		}
	}
	for _, s := range c.Targets {
		p.touched[functionKey(s.Unit, s.Function)] = true
		p.files[s.Path] = true
		add(s)
	}
	for _, ss := range c.Surfaces {
		for _, s := range ss {
			add(s)
		}
	}
	functions := map[string][]string{}
	for _, f := range sortedKeys(p.surfaces) {
		unit, function, _ := strings.Cut(f, "\x00")
		functions[unit] = append(functions[unit], function)
	}
	p.resolve = map[string]func(id string) (unit, function string){}
	for unit, list := range functions {
		p.resolve[unit] = lang.Resolver(p.Naming, unit, list)
	}
	for _, s := range c.Removed {
		p.removed[lastName(s.Name)] = true
	}
	return p
}

func functionKey(unit, function string) string { return unit + "\x00" + function }

// function is the key of the test function of a check.
func (p *planner) function(id string) string {
	unit, function := p.Naming.Function(id)
	if r := p.resolve[unit]; r != nil {
		unit, function = r(id)
	}
	return functionKey(unit, function)
}

// units are all units that the table's cells are about.
func (p *planner) units() []string { return append(slices.Clone(p.TargetUnits), p.nearby...) }

// maxDetail bounds what a compiler or a hostile id can put into a row, in bytes.
const maxDetail = 500

func fault(r model.Reason, format string, args ...any) *model.Fault {
	detail := fmt.Sprintf(format, args...)
	if len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	return &model.Fault{Stage: model.StageLifecycle, Reason: r, Detail: detail}
}

func (p *planner) end(f *model.Fault, world bool) Step {
	return Step{Verdict: &Verdict{Fault: f, Infrastructure: world, Repeats: p.n, Runs: p.made}}
}

// admit rejects what no run can decide.
func (p *planner) admit() *model.Fault {
	if p.Family == "security_repair" && p.Template.Sandbox == "local" {
		return fault(model.SandboxRequired, "a vulnerability is not run without isolation")
	}
	if len(p.Targets) == 0 && len(p.Structural) == 0 {
		return fault(model.TargetAbsent, "no touched test function is found on H")
	}
	for _, s := range p.Structural {
		switch {
		case !s.H.Holds():
			return fault(model.TargetFailsOnH, "%s is %s on H", s.ID, s.H)
		case !s.C.Fails():
			return fault(p.inert(), "%s is %s on C", s.ID, s.C)
		case !s.Restored.Holds():
			return fault(model.NotRestored, "%s is %s on H'", s.ID, s.Restored)
		}
	}
	return nil
}

// inert is the reason of a C in which no target fails.
func (p *planner) inert() model.Reason {
	if p.Reversal {
		return model.NotDiscriminating
	}
	return model.ConditionUnmet
}
