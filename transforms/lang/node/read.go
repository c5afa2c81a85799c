package node

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

const (
	maxLine   = 1 << 20 // bytes of one event
	maxEvents = 4 << 20
	maxChecks = 200_000
	maxDiags  = 1000
)

// An event is one line of the report that the files in support write.
type event struct {
	Event   string   `json:"event"` // begin, start, case, suite, file, problem, died, end
	File    string   `json:"file"`
	Path    []string `json:"path"` // titles
	Outcome string   `json:"outcome"`
	Phase   string   `json:"phase"`
	Seconds float64  `json:"seconds"`
	Seq     int      `json:"seq"` // place in the source
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Early   bool     `json:"early"`  // told again when the file has ended
	Beside  bool     `json:"beside"` // started together with others
	Stage   string   `json:"stage"`  // of a problem: configure, load, hook, unhandled, worker, internal
	Type    string   `json:"type"`
	Message string   `json:"message"`
	At      string   `json:"-"`
	Names   []string `json:"names"`
	Failed  int      `json:"failed"`
	Runner  string   `json:"runner"`
}

// A report is the events of one run, taken together.
type report struct {
	units    map[string]bool
	cases    []event
	starts   []event
	suites   []event
	problems []event
	begun    bool
	ended    bool
	bad      error
}

var verdicts = map[string]model.Verdict{
	"pass": model.Pass, "fail": model.Fail, "error": model.Error, "skip": model.Skip, "todo": model.Todo,
	"xfail": model.XFail, "xpass": model.XPass, "timeout": model.Timeout, "notrun": model.NotRun,
}

// Read parses the raw outcome of a run. Only the report of our reporters decides verdicts.
//
// A failed hook around a suite is an error of each of its cases that passed or did not run. The
// case in which the process died is crash (timeout after a timeout), unless others ran beside
// it; then none is judged. An error outside any case (an unhandled rejection) with only passing
// cases is a report that does not agree.
func Read(r model.Run, o model.Outcome) lang.Result {
	rep := readReport(r, o.Report)
	res := lang.Result{Complete: rep.ended && rep.bad == nil}
	switch {
	case o.ReportTooLarge:
		return lang.Result{Detail: "report is too large"}
	case rep.bad != nil:
		return lang.Result{Detail: "report cannot be read: " + rep.bad.Error()}
	}
	res.BuildError = rep.buildError(r.Unit)
	res.Complete = res.Complete || res.BuildError && (o.Outcome == model.OutcomeOK || o.Outcome == model.OutcomeFailed)
	res.Diagnostics = rep.diagnostics()
	res.Checks = rep.checks(r, o, &res)
	res.NoMatch = res.Complete && rep.ended && len(res.Checks) == 0 && !res.BuildError && len(rep.problems) == 0
	res.Agrees, res.Detail = rep.agrees(o, res)
	return res
}

func readReport(r model.Run, data []byte) *report {
	rep := &report{units: map[string]bool{r.Unit: true}}
	for _, f := range planted(r.With) {
		rep.units[f] = true
	}
	for n := 0; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if n >= maxEvents || len(line) > maxLine {
			rep.bad = errors.New("too many or too long events")
			return rep
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := parse(line)
		if err != nil {
			if !whole {
				return rep // the process died while it wrote its last line
			}
			rep.bad = fmt.Errorf("line %d is no event", n+1)
			return rep
		}
		if rep.ended && e.Event != "problem" {
			rep.bad = fmt.Errorf("line %d after the end", n+1)
			return rep
		}
		rep.add(e)
		if len(rep.cases) > maxChecks || len(rep.starts) > maxChecks {
			rep.bad = errors.New("too many checks")
			return rep
		}
	}
	return rep
}

func parse(line []byte) (event, error) {
	var kind struct{ Event string }
	var e event
	if err := json.Unmarshal(line, &kind); err != nil {
		return e, err
	}
	if kind.Event != "problem" {
		return e, json.Unmarshal(line, &e)
	}
	var p struct {
		event
		Path string `json:"path"`
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return e, err
	}
	e = p.event
	e.At, e.Path = p.Path, nil
	return e, nil
}

func (rep *report) add(e event) {
	switch e.Event {
	case "begin":
		rep.begun = true
	case "start":
		rep.starts = append(rep.starts, e)
	case "case":
		if !rep.units[e.File] {
			break
		}
		// Of one place in the source the last word counts: a hook after a case may fail.
		if i := slices.IndexFunc(rep.cases, func(c event) bool { return e.Seq > 0 && c.Seq == e.Seq && c.File == e.File }); i >= 0 {
			rep.cases[i] = e
			break
		}
		rep.cases = append(rep.cases, e)
	case "suite":
		rep.suites = append(rep.suites, e)
	case "file":
		rep.cases = slices.DeleteFunc(rep.cases, func(c event) bool { return c.Early && c.File == e.File })
	case "problem":
		if len(rep.problems) < maxDiags {
			rep.problems = append(rep.problems, e)
		}
	case "end":
		rep.ended = true
	}
}

// A check under way: its verdict and what it hangs on.
type found struct {
	model.Check
	event
}

// checks are the verdicts by id, with what a dying process left.
func (rep *report) checks(r model.Run, o model.Outcome, res *lang.Result) []model.Check {
	var all []found
	for _, e := range rep.cases {
		v, ok := verdicts[e.Outcome]
		switch {
		case e.Outcome == "unselected":
			continue
		case !ok:
			v = model.Fail // an outcome that no reporter of ours has
		}
		if v == model.Pass && slices.ContainsFunc(rep.suites, func(s event) bool { return s.File == e.File && prefix(s.Path, e.Path) }) {
			v = model.Error
		}
		all = append(all, found{model.Check{Verdict: v, Seconds: sane(e.Seconds)}, e})
	}
	if !res.Complete && !rep.ended {
		open := rep.open(r.Unit)
		if len(open) > 0 {
			last := open[len(open)-1]
			if last.Beside { // all were begun at once: the first is as good a guess
				last = open[0]
			}
			res.Running = strings.Join(last.Path, separator)
		}
		if v := death(o); v != "" {
			for _, e := range alone(open) {
				all = append(all, found{model.Check{Verdict: v}, e})
			}
		}
	}
	return named(all)
}

// named gives the ids: in source order where the report tells it, equal ones with an ordinal.
func named(all []found) []model.Check {
	slices.SortStableFunc(all, func(a, b found) int {
		if c := cmp.Compare(a.Seq, b.Seq); c != 0 && a.Seq > 0 && b.Seq > 0 {
			return c
		}
		if a.Line > 0 && b.Line > 0 {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		}
		return 0
	})
	literal := map[string]bool{}
	for _, f := range all {
		literal[identity(f.File, f.Path)] = true
	}
	taken := map[string]bool{}
	next := map[string]int{}
	var out []model.Check
	for _, f := range all {
		id := identity(f.File, f.Path)
		if taken[id] {
			base := id
			n := max(next[base], 2)
			for id = fmt.Sprintf("%s #%d", base, n); taken[id] || literal[id]; id = fmt.Sprintf("%s #%d", base, n) {
				n++
			}
			next[base] = n + 1
		}
		taken[id] = true
		f.ID = id
		out = append(out, f.Check)
	}
	slices.SortFunc(out, func(a, b model.Check) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func sane(seconds float64) float64 {
	if seconds > 0 && seconds < 1e9 {
		return seconds
	}
	return 0
}

// open are the cases that were started and not ended, in the order they were started.
func (rep *report) open(unit string) []event {
	ended := map[string]int{}
	for _, c := range rep.cases {
		ended[identity(c.File, c.Path)]++
	}
	var out []event
	for _, s := range rep.starts {
		if !rep.units[s.File] {
			continue
		}
		id := identity(s.File, s.Path)
		if ended[id] > 0 {
			ended[id]--
			continue
		}
		if i := slices.IndexFunc(out, func(o event) bool { return identity(o.File, o.Path) == id }); i >= 0 {
			out = slices.Delete(out, i, i+1) // a retry
		}
		out = append(out, s)
	}
	return out
}

// alone is the chain of open cases from an outer one to the one that ran, where no other ran
// beside it.
func alone(open []event) []event {
	for i := 1; i < len(open); i++ {
		if open[i].File != open[i-1].File || !prefix(open[i-1].Path, open[i].Path) {
			return nil
		}
	}
	return open
}

func prefix(outer, inner []string) bool {
	return len(outer) < len(inner) && slices.Equal(outer, inner[:len(outer)])
}

// death is the verdict of a case that had no end: none where a limit other than time ended it.
func death(o model.Outcome) model.Verdict {
	switch o.Outcome {
	case model.OutcomeTimeout:
		return model.Timeout
	case model.OutcomeFailed, model.OutcomeOK, model.OutcomeKilled:
		return model.Crash
	}
	return ""
}

// buildError reports whether the unit could not be loaded: nothing of it ran.
func (rep *report) buildError(unit string) bool {
	if slices.ContainsFunc(rep.cases, func(c event) bool { return c.File == unit && c.Outcome != "unselected" }) {
		return false
	}
	return slices.ContainsFunc(rep.problems, func(p event) bool {
		return (p.Stage == "load" || p.Stage == "configure") && (p.File == unit || p.File == "")
	})
}

func (rep *report) diagnostics() []model.Diagnostic {
	var out []model.Diagnostic
	for _, p := range rep.problems {
		at := cmp.Or(p.At, p.File)
		out = append(out, model.Diagnostic{Path: at, Line: p.Line, Message: p.Type + ": " + p.Message, Names: p.Names})
	}
	return out
}

// agrees compares the exit status with what the report says.
func (rep *report) agrees(o model.Outcome, res lang.Result) (bool, string) {
	detail := ""
	if len(res.Diagnostics) > 0 {
		detail = res.Diagnostics[0].Message
	}
	failing := slices.ContainsFunc(res.Checks, func(c model.Check) bool { return c.Verdict.Fails() || c.Verdict == model.Timeout })
	switch {
	case res.BuildError:
		return o.ExitCode != 0, detail
	case !rep.ended && len(rep.cases) == 0 && len(rep.starts) == 0:
		return false, cmp.Or(detail, "no tests ran")
	case !rep.ended:
		return o.ExitCode != 0, "the process ended before its tests"
	case res.NoMatch:
		return true, "no test matched"
	case failing != (o.ExitCode != 0):
		return false, cmp.Or(detail, fmt.Sprintf("exit status %d, verdicts say otherwise", o.ExitCode))
	}
	return true, detail
}
