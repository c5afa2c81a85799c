package jvm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// Limits of a report.
const (
	maxLine   = 32 << 20 // an XML report is one line
	maxEvents = 4 << 20
	maxChecks = 200_000
	maxDiags  = 10_000
)

// An event is one line of our launchers' report.
type event struct {
	Event    string   `json:"event"`
	Class    string   `json:"class"`
	Method   string   `json:"method"`
	Name     string   `json:"name"`
	Outcome  string   `json:"outcome"`
	Seconds  float64  `json:"seconds"`
	Type     string   `json:"type"`
	Stage    string   `json:"stage"`
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Message  string   `json:"message"`
	Names    []string `json:"names"`
	FollowUp bool     `json:"follow_up"`
	Exit     int      `json:"exit"`
	Found    int      `json:"found"`
	Failed   int      `json:"failed"`
	Document string   `json:"document"` // an XML report, whole
}

// A report is a run's events, taken together.
type report struct {
	checks      map[string]*progress
	order       []string
	running     string // id of the check that began last and has no end
	build       *event
	broken      *event
	finish      *event
	diagnostics []model.Diagnostic
	bad         error
}

// A progress is what the events say of one check.
type progress struct {
	verdict model.Verdict
	open    int // begun and not ended
	seconds float64
}

// Read judges a run by its report. An assertion that does not hold is fail, any other exception
// error, an assumption that does not hold or a disabled test skip; each check below a container
// whose set-up failed is error. A check that was running when the process ended is crash, or
// timeout after a timeout. Two checks of one id are one, whose worse verdict counts.
func (Runner) Read(r model.Run, o model.Outcome) lang.Result {
	if o.ReportTooLarge {
		return lang.Result{Detail: "report is too large"}
	}
	module, _, _ := strings.Cut(r.Unit, ":")
	rep := scan(module, o.Report)
	if rep.bad != nil {
		return lang.Result{Detail: "report cannot be read: " + rep.bad.Error()}
	}
	res := lang.Result{Complete: rep.finish != nil, Diagnostics: rep.diagnostics}
	if rep.build != nil {
		res.BuildError, res.Detail = true, oneLine(rep.build.Message)
		res.Agrees = rep.finish != nil && o.ExitCode == rep.finish.Exit && o.ExitCode == exitBuild
		return res
	}
	res.Checks = rep.verdicts(o)
	if rep.running != "" && !res.Complete {
		_, res.Running = split(rep.running)
	}
	res.NoMatch = res.Complete && len(res.Checks) == 0 && rep.broken == nil && rep.finish.Exit == exitNone
	res.Agrees, res.Detail = rep.agrees(o)
	return res
}

// Exit statuses of our programs.
const (
	exitFailed = 1
	exitNone   = 2
	exitBuild  = 3
	exitBroken = 4
)

func scan(module string, data []byte) *report {
	rep := &report{checks: map[string]*progress{}}
	for n := 0; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if n >= maxEvents || len(line) > maxLine {
			rep.bad = fmt.Errorf("too many or too long events")
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
		if rep.add(module, e); rep.bad != nil {
			return rep
		}
		if len(rep.checks) > maxChecks {
			rep.bad = fmt.Errorf("too many checks")
			return rep
		}
	}
	return rep
}

func (rep *report) add(module string, e event) {
	id := join(module, e.Class) + "#" + e.Name
	switch e.Event {
	case "start":
		rep.check(id).open++
		rep.running = id
	case "end":
		p := rep.check(id)
		if p.open == 0 {
			rep.bad = fmt.Errorf("%s ends before it begins", e.Name)
			return
		}
		p.open--
		p.end(verdictOf(e.Outcome), e.Seconds)
		if rep.running == id {
			rep.running = ""
		}
	case "diagnostic":
		if len(rep.diagnostics) < maxDiags {
			rep.diagnostics = append(rep.diagnostics, model.Diagnostic{Path: e.Path, Line: e.Line, Message: oneLine(e.Message), Names: e.Names, FollowUp: e.FollowUp})
		}
	case "build_error":
		rep.build = &e
	case "broken":
		rep.broken = &e
	case "document":
		rep.document(module, e.Document)
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

// worse orders the verdicts of checks that share an id.
var worse = map[model.Verdict]int{"": 0, model.Pass: 1, model.Skip: 2, model.Error: 3, model.Fail: 4}

func (p *progress) end(v model.Verdict, seconds float64) {
	if worse[v] > worse[p.verdict] {
		p.verdict = v
	}
	if seconds > 0 && seconds < 1e9 {
		p.seconds += seconds
	}
}

func verdictOf(outcome string) model.Verdict {
	switch outcome {
	case "pass":
		return model.Pass
	case "skip":
		return model.Skip
	case "error":
		return model.Error
	}
	return model.Fail
}

func (rep *report) verdicts(o model.Outcome) []model.Check {
	var out []model.Check
	for _, id := range rep.order {
		p := rep.checks[id]
		v := p.verdict
		if p.open > 0 {
			v = model.Crash
			if o.Outcome == model.OutcomeTimeout {
				v = model.Timeout
			}
		}
		out = append(out, model.Check{ID: id, Verdict: v, Seconds: p.seconds})
	}
	slices.SortFunc(out, func(a, b model.Check) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// agrees compares the exit status with the report: its own figures, and what they must be by
// the verdicts.
func (rep *report) agrees(o model.Outcome) (bool, string) {
	if rep.finish == nil {
		switch {
		case len(rep.checks) == 0:
			return false, "no tests ran"
		case rep.running != "":
			_, f := split(rep.running)
			return true, "the process ended in " + f
		}
		return o.ExitCode != 0, "the process ended before its tests"
	}
	failed, open := false, 0
	for _, p := range rep.checks {
		failed = failed || p.verdict.Fails()
		open += p.open
	}
	want := 0
	switch {
	case rep.broken != nil:
		want = exitBroken
	case failed:
		want = exitFailed
	case len(rep.checks) == 0:
		want = exitNone
	}
	switch {
	case o.ExitCode != rep.finish.Exit:
		return false, fmt.Sprintf("exit status %d, report says %d", o.ExitCode, rep.finish.Exit)
	case rep.finish.Exit != want || open > 0 || rep.finish.Failed > 0 != failed:
		return false, fmt.Sprintf("exit status %d, verdicts say %d", o.ExitCode, want)
	case rep.broken != nil:
		return true, oneLine(rep.broken.Type + ": " + rep.broken.Message)
	case want == exitNone:
		return true, "no test matched"
	}
	return true, ""
}

// oneLine is a message without line breaks, cut to what a row can hold.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 1000 {
		s = strings.ToValidUTF8(s[:1000], "")
	}
	return s
}
