// Package lifecycle plans the runs that decide one candidate, and turns what they showed into
// exactly one verdict: a task's check lists, or a fault with its reason.
//
// It is a planner over (tree, unit, repeat) values: Next is a pure function of a Case and of
// what has been run; it executes nothing. H is the healthy base, C the task condition, S what
// the solver gets, H' the restored tree.
package lifecycle

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

// States of a tree in a Planned or Made run.
const (
	StateH        = "H"
	StateS        = "S"
	StateC        = "C"
	StateRestored = "H'"
)

// SuiteSeconds is the longest whole suite, in seconds on H, that is run once on S.
const SuiteSeconds = 120

// Naming reads check ids and paths of a language; every lang.Language is one.
type Naming interface {
	Function(id string) (unit, function string)
	Kind(path string) model.Kind
}

// A Case is one candidate under validation. Trees are git ids only. It is plain data but for
// Naming, which must be a pure function of its arguments.
type Case struct {
	ID                string
	Family            string // bug_fix, feature, …
	AcceptBuildErrors bool   // accept a build error as the failure of a target also where Family is not feature
	Reversal          bool   // C is a complete Level 1 reversal on the nearest base: a C without effect is not_discriminating, else condition_unmet
	Naming            Naming

	H, C, Restored model.Hash // Restored equals H where G is the inverse of D
	Built          []Built    // each S that was built so far, for the hidden set it was built for

	Targets     []model.Surface            // touched test functions, as found on H
	TargetUnits []string                   // their units
	NearbyUnits []string                   // units of the touched modules; may contain target units
	AllUnits    []string                   // the whole suite, where it may be affordable; Next asks for H's first run of each
	Surfaces    map[string][]model.Surface // by target unit: all its test functions on H
	Removed     []model.Symbol             // what D removes, or whose signature D changes
	// RemovedUses has for each Surface.Key the names of removed or changed symbols that the
	// test function names, directly or through check-side helpers.
	RemovedUses map[string][]string
	Unstable    []model.UnstableCheck // of the base
	Structural  []Structural

	Repeats  int       // complete runs in C, H and H'; below 1 counts as 1
	Template model.Run // lock, protocol, sandbox and limits; tree, unit and repeat are filled in
}

// A Built is S for one hidden set.
type Built struct {
	S      model.Hash
	Hidden []model.Surface
}

// A Structural is a check that we compute on the trees themselves (taskmill::old_api). S has
// C's verdict: they differ in check files only.
type Structural struct {
	ID             string
	H, C, Restored model.Verdict
}

// Seen is what has been run so far, by model.Run.Key. It must not change during a call.
type Seen interface {
	Of(key model.Hash) (model.Observation, bool)
}

// A Planned is a run worth making. Alone asks for the machine to itself: it is the second run
// of a unit that met a limit.
type Planned struct {
	State string
	Run   model.Run
	Alone bool
}

// A Made is a run that a verdict rests on.
type Made struct {
	State string
	Run   model.Run
}

// A Step is what to do next: exactly one of its fields is set. Runs are to be made, all of
// them, before the next call. Hidden asks for S: C without these test functions, to be
// appended to Case.Built. A Verdict ends the candidate.
type Step struct {
	Runs    []Planned
	Hidden  []model.Surface
	Verdict *Verdict
}

// A Verdict is the end of a candidate. Where Accepted is false, Fault says why and the lists
// are empty.
type Verdict struct {
	Accepted         bool
	Fault            *model.Fault
	Infrastructure   bool // the fault is the world's: never counted against the candidate
	S                model.Hash
	FailToPass       []string // sorted; collateral and structural checks included
	PassToPass       []string // sorted
	Collateral       []string // the untouched checks in FailToPass
	ExpectedFailures []string // the checks of both lists that are xfail on H, not pass
	Regression       []string // the checks in PassToPass that are of no touched or hidden function
	Hidden           []model.Surface
	HiddenUses       []string // removed or changed symbols that hidden functions name: what the interface must give
	BuildErrorTarget bool
	Repeats          int
	FlakeBound       float64
	Suite            bool // the whole suite ran on S
	Runs             []Made
}

// run is the plain run of a unit in a tree.
func (c Case) run(tree model.Hash, unit string, repeat int) model.Run {
	r := c.Template
	r.Tree, r.Unit, r.Repeat = tree, unit, repeat
	r.Order, r.ClockShift, r.Command = 0, 0, model.Command{}
	return r
}

// accepts reports whether a build error counts as the failure of a target.
func (c Case) accepts() bool { return c.AcceptBuildErrors || c.Family == "feature" }

// built is S for a hidden set.
func (c Case) built(hidden []model.Surface) (model.Hash, bool) {
	want := keys(hidden)
	for _, b := range c.Built {
		if slices.Equal(keys(b.Hidden), want) {
			return b.S, true
		}
	}
	return "", false
}

// keys is the identity of a set of surfaces: sorted, each once.
func keys(ss []model.Surface) []string {
	out := make([]string, 0, len(ss))
	for _, s := range ss {
		out = append(out, s.Unit+"\x00"+s.Key())
	}
	return sortedSet(out)
}

func sortedSet(ss []string) []string {
	out := slices.Clone(ss)
	slices.Sort(out)
	return slices.Compact(out)
}
