package golang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Read judges a run by the event stream of go test (Go 1.24 and newer, whose events name the
// failed build). Output events decide no verdict. The one thing read from them is the
// runner's closing PASS or FAIL, which tells a run that came to its end from one that died:
// a test that panics has a fail event like any other, and the tests after it have none.
func (Language) Read(r model.Run, o model.Outcome) lang.Result {
	var res lang.Result
	if o.ReportTooLarge {
		res.Detail = "report over the size limit"
		return res
	}
	s := scan(r.Unit, o.Report)
	ended := o.Outcome == model.OutcomeOK || o.Outcome == model.OutcomeFailed
	res.Diagnostics = diagnostics(s.builds, s.dir(r))
	if s.failedBuild != "" {
		res.BuildError = true
		res.Complete = ended
		res.Agrees = ended && o.ExitCode != 0 && s.malformed == 0
		res.Detail = "build failed: " + s.failedBuild
		return res
	}
	open := s.unfinished()
	none := ended && !slices.ContainsFunc(s.order, func(t *test) bool { return t.begun })
	res.NoMatch = none && (s.end == "pass" || s.end == "skip")
	res.Complete = ended && !s.conflict && len(open) == 0 && (s.closed && s.end != "" || none && s.end == "skip")
	if !res.Complete {
		res.Running = s.running(open)
	}
	res.Agrees = s.agrees(o, ended, open)
	res.Checks = s.checks(r, o, res, open)
	res.Detail = s.detail(res)
	return res
}

// unfinished lists the tests that have begun and have no end, in the order they began.
func (s *stream) unfinished() []*test {
	var out []*test
	for _, t := range s.order {
		if t.begun && t.verdict == "" {
			out = append(out, t)
		}
	}
	return out
}

// running guesses the test function that ended the process: the one that panicked, else the
// open test that was active last and not waiting.
func (s *stream) running(open []*test) string {
	if p := s.panicked(open); p != nil {
		return top(p.name)
	}
	best := (*test)(nil)
	for _, t := range open {
		if !t.paused && (best == nil || t.active > best.active) {
			best = t
		}
	}
	if best == nil && len(open) > 0 {
		best = open[len(open)-1]
	}
	if best == nil {
		return ""
	}
	return top(best.name)
}

// panicked is the test whose panic ended the process, nil where none is known. Its fail event
// is the last verdict, and no event follows but of tests that ran beside it: these may go on
// until the process is gone. A parallel test that failed before another ended the process
// looks the same; it is named then, and the other gets its verdict in a run without it.
func (s *stream) panicked(open []*test) *test {
	p := s.judged
	if p == nil || p.verdict != model.Fail || s.end != "fail" || s.closed {
		return nil
	}
	if s.last == p {
		return p
	}
	first := s.tests[top(p.name)]
	if first == nil || !first.beside {
		return nil
	}
	for _, t := range open {
		o := s.tests[top(t.name)]
		if o == nil || o == first || !o.beside {
			return nil
		}
	}
	return p
}

// agrees reports whether exit status, package verdict and test verdicts tell one story.
func (s *stream) agrees(o model.Outcome, ended bool, open []*test) bool {
	if s.conflict || s.malformed > 1 || s.malformed == 1 && ended {
		return false
	}
	if !ended {
		return s.end != "pass"
	}
	switch s.end {
	case "pass", "skip":
		if o.ExitCode != 0 || len(open) > 0 {
			return false
		}
		return !slices.ContainsFunc(s.order, func(t *test) bool { return t.verdict.Fails() })
	case "fail":
		return o.ExitCode != 0
	}
	return false
}

// checks are the verdicts by test. A test that was running alone when the process ended has
// timed out or crashed; where several ran, the runner does not say which, and none is judged.
func (s *stream) checks(r model.Run, o model.Outcome, res lang.Result, open []*test) []model.Check {
	byID := map[string]model.Check{}
	for _, t := range s.order {
		if t.verdict != "" {
			id := r.Unit + "::" + t.name
			byID[id] = model.Check{ID: id, Verdict: t.verdict, Seconds: t.seconds}
		}
	}
	if v := s.death(r, o, open); v != "" {
		for _, t := range alone(open) {
			id := r.Unit + "::" + t.name
			byID[id] = model.Check{ID: id, Verdict: v}
		}
	}
	out := slices.Collect(maps.Values(byID))
	slices.SortFunc(out, func(a, b model.Check) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// death is the verdict of a test that had no end: timeout when a limit ended the run, crash
// when the process ended itself, none when something outside killed it or a panic elsewhere
// already has its fail event.
func (s *stream) death(r model.Run, o model.Outcome, open []*test) model.Verdict {
	if o.Outcome == model.OutcomeTimeout {
		return model.Timeout
	}
	if o.Outcome != model.OutcomeFailed || s.end != "fail" {
		return ""
	}
	if s.panicked(open) != nil {
		return ""
	}
	if limit := given(r); limit > 0 && s.seconds >= limit.Seconds() {
		return model.Timeout
	}
	return model.Crash
}

// alone is the chain of open tests from a function down to the one subtest that ran, where no
// other test ran beside it.
func alone(open []*test) []*test {
	var chain []*test
	for _, t := range open {
		if t.paused {
			continue
		}
		if len(chain) > 0 && !strings.HasPrefix(t.name, chain[len(chain)-1].name+"/") {
			return nil
		}
		chain = append(chain, t)
	}
	return chain
}

func (s *stream) detail(res lang.Result) string {
	switch {
	case s.end == "" && len(s.tests) == 0:
		return "no report"
	case s.conflict:
		return "report contradicts itself"
	case s.malformed > 0:
		return fmt.Sprintf("%d malformed lines in the report", s.malformed)
	case res.NoMatch:
		return "no test matched"
	case res.Running != "":
		return "process ended in " + res.Running
	case s.end == "fail" && !slices.ContainsFunc(s.order, func(t *test) bool { return t.verdict.Fails() }):
		return "package failed outside its tests"
	}
	return ""
}

func top(name string) string {
	f, _, _ := strings.Cut(name, "/")
	return f
}
