package lifecycle

import (
	"cmp"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Bounds of completing a run whose process died.
const (
	MaxRounds = 5   // further runs of the rest together
	MaxAlone  = 200 // test functions run in a process of their own
)

// A Round is one execution on the way to a complete observation.
type Round struct {
	Run     model.Run
	Outcome model.Outcome
	Result  lang.Result
}

// Complete merges the rounds of a run into its observation. Where its process died before each
// expected test function had a verdict, next is the run that comes closer: first the rest
// together without the function that was running, up to MaxRounds times; then one process for
// each function still without a verdict, at most MaxAlone. It is nil when nothing is left to
// try, and merged is final then. The first verdict of a check counts.
//
// rounds[0] is the run itself; expected are its test functions as function names them. A
// process that a limit of ours ended is not continued: its confirmation is a run of its own. A
// process that a foreign signal ended is continued, and is a failed one, if the report says
// what was running; else it ends as killed.
func Complete(function func(id string) (unit, function string), expected []string, rounds []Round) (next *model.Run, merged model.Observation) {
	first := rounds[0]
	merged = model.Observation{Run: first.Run, Outcome: outcome(first), ExitCode: first.Outcome.ExitCode, Detail: cmp.Or(first.Result.Detail, first.Outcome.Detail)}
	m := merger{function: function, verdicts: map[string]model.Check{}, has: map[string]bool{}, ran: map[string]bool{}, alone: map[string]bool{}}
	for i, r := range rounds {
		merged.Seconds += r.Outcome.Seconds
		merged.Executions++
		ended := outcome(r)
		if i > 0 && (infrastructure(ended) || Limited(ended)) && !(m.only(r) && ended == model.OutcomeKilled) {
			merged.Outcome, merged.Detail = ended, cmp.Or(r.Outcome.Detail, merged.Detail)
		}
		m.add(r, ended)
		if i == 0 {
			merged.BuildError = r.Result.BuildError
			merged.Diagnostics = r.Result.Diagnostics
		}
	}
	if merged.Outcome == model.OutcomeNoReport && first.Outcome.Outcome != model.OutcomeNoReport {
		merged.Detail = "exit status and report disagree"
	}
	merged.Checks = m.checks()
	if merged.BuildError || first.Result.Complete || infrastructure(merged.Outcome) || Limited(merged.Outcome) {
		return nil, merged
	}
	return m.next(first.Run, expected, rounds[len(rounds)-1]), merged
}

// outcome is how a round ended: what the sandbox says, less what its report cannot bear out.
func outcome(r Round) string {
	o := r.Outcome.Outcome
	switch {
	case o != model.OutcomeOK && o != model.OutcomeFailed && o != model.OutcomeKilled:
		return o
	case r.Outcome.ReportTooLarge:
		return model.OutcomeOutput
	case o == model.OutcomeKilled && r.Result.Running != "":
		return model.OutcomeFailed
	case o == model.OutcomeKilled:
		return o
	case r.Result.Complete && !r.Result.Agrees && !r.Result.BuildError:
		return model.OutcomeNoReport
	}
	return o
}

// A merger keeps what the rounds have shown so far.
type merger struct {
	function func(id string) (unit, function string)
	verdicts map[string]model.Check
	has      map[string]bool // functions with a verdict
	ran      map[string]bool // functions that were running when a process died
	alone    map[string]bool // functions that had a process of their own
	together int             // rounds of the rest together
	stuck    bool            // a round told nothing new
}

func (m *merger) only(r Round) bool { return len(r.Run.Only) > 0 }

func (m *merger) add(r Round, ended string) {
	before := len(m.has) + len(m.ran)
	// A report that its own exit status contradicts says nothing.
	if ended != model.OutcomeNoReport && ended != model.OutcomeForged {
		for _, c := range r.Result.Checks {
			if _, twice := m.verdicts[c.ID]; twice || c.Verdict == model.NotRun {
				continue
			}
			m.verdicts[c.ID] = c
			_, f := m.function(c.ID)
			m.has[f] = true
		}
	}
	if r.Result.Running != "" {
		m.ran[r.Result.Running] = true
	}
	switch {
	case m.only(r):
		for _, f := range r.Run.Only {
			m.alone[f] = true
		}
	default:
		m.together++
		m.stuck = r.Result.Running == "" || len(m.has)+len(m.ran) == before
	}
}

// next is the run that may give the verdicts that are still missing.
func (m *merger) next(run model.Run, expected []string, last Round) *model.Run {
	var missing, rest []string
	for _, f := range sortedSet(expected) {
		if m.has[f] || m.alone[f] || slices.Contains(run.Skip, f) || len(run.Only) > 0 && !slices.Contains(run.Only, f) {
			continue
		}
		missing = append(missing, f)
		if !m.ran[f] {
			rest = append(rest, f)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	died := !last.Result.Complete && !m.only(last)
	if died && !m.stuck && len(rest) > 0 && m.together <= MaxRounds {
		// Without the checks that were running, and without those that are known: a rerun
		// of these would only give the process more to die of.
		skip := slices.Clone(run.Skip)
		skip = append(skip, sortedKeys(m.has)...)
		skip = append(skip, sortedKeys(m.ran)...)
		run.Skip = sortedSet(skip)
		return &run
	}
	if len(m.alone) >= MaxAlone {
		return nil
	}
	run.Only, run.Skip = missing[:1], nil
	return &run
}

func (m *merger) checks() []model.Check {
	var out []model.Check
	for _, id := range sortedKeys(m.verdicts) {
		out = append(out, m.verdicts[id])
	}
	return out
}
