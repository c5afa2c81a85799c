package python

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
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

// An event is one line of the plugin's report.
type event struct {
	Event     string   `json:"event"`
	ID        string   `json:"id"`
	When      string   `json:"when"`
	Outcome   string   `json:"outcome"`
	Seconds   float64  `json:"seconds"`
	WasXFail  *string  `json:"wasxfail"`
	NotRun    bool     `json:"notrun"`
	Strict    bool     `json:"strict"`
	Sub       bool     `json:"sub"`
	Stage     string   `json:"stage"`
	Type      string   `json:"type"`
	Message   string   `json:"message"`
	Path      string   `json:"path"`
	Line      int      `json:"line"`
	Names     []string `json:"names"`
	Exit      int      `json:"exit"`
	Failed    int      `json:"failed"`
	Collected int      `json:"collected"`
	Count     int      `json:"count"`
}

// A progress is what the events say of one check.
type progress struct {
	verdict model.Verdict
	done    bool // the runner ended it
	seconds float64
}

// A report is the plugin's events, taken together.
type report struct {
	checks   map[string]*progress
	order    []string
	running  string // id of the last check that was started and not ended
	errors   []event
	broken   map[string]bool // node ids that could not be collected
	ready    bool            // collection ended
	finish   *event
	internal bool
	bad      error // the report is not of the plugin's making
}

// Read parses the raw outcome of a run. Only the plugin's report decides verdicts.
//
// Phases give the verdict of a check: a failed call (a failed subtest is one) is fail; else a
// failed set-up or teardown is error; xfail that ran is xfail, with run=False not_run; a strict
// xpass is fail, another xpass. The check in which the process died is crash (timeout after a
// timeout) and its function is Running. Two items of one node id are one check whose worse
// verdict counts.
func (Language) Read(r model.Run, o model.Outcome) lang.Result {
	rep := readReport(o.Report)
	res := lang.Result{Complete: rep.finish != nil && rep.bad == nil}
	if rep.bad != nil {
		res.Detail = "report cannot be read: " + rep.bad.Error()
		return res
	}
	if o.ReportTooLarge {
		res.Detail = "report is too large"
		return res
	}
	for _, id := range rep.order {
		p := rep.checks[id]
		if !p.done {
			p.verdict = model.Crash
			if o.Outcome == model.OutcomeTimeout {
				p.verdict = model.Timeout
			}
		}
		if p.verdict != "" {
			res.Checks = append(res.Checks, model.Check{ID: id, Verdict: p.verdict, Seconds: p.seconds})
		}
	}
	slices.SortFunc(res.Checks, func(a, b model.Check) int { return strings.Compare(a.ID, b.ID) })
	if rep.running != "" && !res.Complete {
		_, res.Running = split(rep.running)
	}
	res.BuildError = rep.buildError(r.Unit)
	res.Diagnostics = rep.diagnostics()
	res.NoMatch = res.Complete && len(rep.checks) == 0 && !res.BuildError && (rep.finish.Exit == 5 || rep.finish.Exit == 4)
	res.Agrees, res.Detail = rep.agrees(o)
	return res
}

func readReport(data []byte) *report {
	rep := &report{checks: map[string]*progress{}, broken: map[string]bool{}}
	for n := 0; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if n >= maxEvents || len(line) > maxLine {
			rep.bad = errors.New("too many or too long events")
			return rep
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			if !ended {
				return rep // the process died while it wrote its last line
			}
			rep.bad = fmt.Errorf("line %d is no event", n+1)
			return rep
		}
		if rep.finish != nil {
			rep.bad = fmt.Errorf("line %d after the end", n+1)
			return rep
		}
		rep.add(e)
		if len(rep.checks) > maxChecks {
			rep.bad = errors.New("too many checks")
			return rep
		}
	}
	return rep
}

func (rep *report) add(e event) {
	switch e.Event {
	case "start":
		rep.running = e.ID
		p := rep.check(e.ID)
		p.done = false
	case "phase":
		rep.check(e.ID).phase(e)
	case "end":
		rep.check(e.ID).done = true
		rep.running = ""
	case "collection_end":
		rep.ready = true
	case "collect_failed":
		rep.broken[e.ID] = true
	case "error":
		if len(rep.errors) < maxDiags {
			rep.errors = append(rep.errors, e)
		}
		rep.internal = rep.internal || e.Stage == "internal"
	case "finish":
		rep.finish = &e
	}
}

func (rep *report) check(id string) *progress {
	p, ok := rep.checks[id]
	if !ok {
		p = &progress{}
		rep.checks[id] = p
		rep.order = append(rep.order, id)
	}
	return p
}

// worse orders verdicts within one check: a later phase replaces the verdict only by a worse.
var worse = map[model.Verdict]int{
	"": 0, model.Pass: 1, model.XPass: 2, model.XFail: 3, model.Skip: 4, model.NotRun: 5,
	model.Error: 6, model.Fail: 7,
}

func (p *progress) phase(e event) {
	if e.Seconds > 0 && e.Seconds < 1e9 {
		p.seconds += e.Seconds
	}
	v := verdict(e)
	if worse[v] > worse[p.verdict] {
		p.verdict = v
	}
}

// verdict is what one phase says; "" where it says nothing yet.
func verdict(e event) model.Verdict {
	switch e.Outcome {
	case "passed":
		switch {
		case e.Sub || e.When != "call":
			return ""
		case e.WasXFail != nil:
			return model.XPass
		}
		return model.Pass
	case "skipped":
		switch {
		case e.Sub:
			return ""
		case e.WasXFail != nil && e.NotRun:
			return model.NotRun
		case e.WasXFail != nil:
			return model.XFail
		}
		return model.Skip
	case "failed":
		if e.When != "call" {
			return model.Error
		}
		return model.Fail
	}
	if e.When == "call" { // an outcome that pytest itself does not have
		return model.Fail
	}
	return model.Error
}

// buildError reports whether the unit's file could not be collected: a collection error in it,
// in a conftest.py before it, or of the whole session.
func (rep *report) buildError(unit string) bool {
	for id := range rep.broken {
		file, _ := split(id)
		if path.Base(file) == "__init__.py" {
			file = path.Dir(file)
		}
		if file == unit || strings.HasPrefix(unit, strings.TrimSuffix(file, "/")+"/") || file == "." || file == "" {
			return true
		}
	}
	for _, e := range rep.errors {
		if e.Stage == "configure" || e.Stage == "internal" && (!rep.ready || len(rep.checks) == 0) {
			return true
		}
	}
	return false
}

func (rep *report) diagnostics() []model.Diagnostic {
	var out []model.Diagnostic
	for _, e := range rep.errors {
		message, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
		out = append(out, model.Diagnostic{Path: e.Path, Line: e.Line, Message: e.Type + ": " + message, Names: e.Names})
	}
	return out
}

// agrees compares the exit status with the report: its own figure, and what it must be by the
// verdicts.
func (rep *report) agrees(o model.Outcome) (bool, string) {
	if rep.finish == nil {
		if len(rep.checks) == 0 && len(rep.errors) == 0 {
			return false, "no tests ran"
		}
		if len(rep.errors) > 0 && o.ExitCode != 0 {
			return true, rep.diagnostics()[0].Message
		}
		return o.ExitCode != 0, "the process ended before its tests"
	}
	failed := len(rep.broken) > 0
	for _, p := range rep.checks {
		failed = failed || p.verdict == model.Fail || p.verdict == model.Error || !p.done
	}
	want := 0
	switch {
	case rep.internal:
		want = 3
	case failed:
		want = 1
	case len(rep.checks) == 0 && rep.finish.Exit == 4:
		want = 4 // the file is not there
	case len(rep.checks) == 0:
		want = 5
	}
	switch {
	case o.ExitCode != rep.finish.Exit:
		return false, fmt.Sprintf("exit status %d, report says %d", o.ExitCode, rep.finish.Exit)
	case rep.finish.Exit != want:
		return false, fmt.Sprintf("exit status %d, verdicts say %d", o.ExitCode, want)
	case want == 5, want == 4:
		return true, "no test matched"
	case len(rep.errors) > 0:
		return true, rep.diagnostics()[0].Message
	}
	return true, ""
}
