package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

// A process is a unit whose functions pass, fail, hang or kill the process, in order.
type process struct {
	functions []string
	fate      map[string]string // pass unless: fail, dies, dies silently, vanishes
	silent    bool              // the report never says what was running
}

func (p process) execute(r model.Run) Round {
	o := Round{Run: r, Outcome: model.Outcome{Outcome: model.OutcomeOK, Seconds: 1}, Result: lang.Result{Complete: true, Agrees: true}}
	for _, f := range p.functions {
		if slices.Contains(r.Skip, f) || len(r.Only) > 0 && !slices.Contains(r.Only, f) {
			continue
		}
		switch p.fate[f] {
		case "fail":
			o.Result.Checks = append(o.Result.Checks, model.Check{ID: "u::" + f, Verdict: model.Fail})
			o.Outcome.Outcome, o.Outcome.ExitCode = model.OutcomeFailed, 1
		case "dies", "kills", "times out", "crash":
			o.Result.Complete, o.Result.Agrees = false, false
			o.Outcome.Outcome, o.Outcome.ExitCode = model.OutcomeFailed, 2
			switch p.fate[f] {
			case "kills":
				o.Outcome.Outcome = model.OutcomeKilled
			case "times out":
				o.Outcome.Outcome = model.OutcomeTimeout
			case "crash":
				o.Result.Checks = append(o.Result.Checks, model.Check{ID: "u::" + f, Verdict: model.Crash})
			}
			if !p.silent {
				o.Result.Running = f
			}
			return o
		case "vanishes":
		case "waits":
			// Reported as not run in the whole, and runs alone.
			v := model.NotRun
			if len(r.Only) > 0 {
				v = model.Pass
			}
			o.Result.Checks = append(o.Result.Checks, model.Check{ID: "u::" + f, Verdict: v})
		default:
			o.Result.Checks = append(o.Result.Checks, model.Check{ID: "u::" + f, Verdict: model.Pass})
		}
	}
	return o
}

// complete runs to the end and says what was run.
func complete(t *testing.T, p process, expected []string) (model.Observation, []string) {
	t.Helper()
	rounds := []Round{p.execute(model.Run{Unit: "u"})}
	var log []string
	made := map[model.Hash]bool{rounds[0].Run.Key(): true}
	for {
		next, o := Complete(naming{}.Function, expected, rounds)
		if next == nil {
			return o, log
		}
		if made[next.Key()] {
			t.Fatalf("asked twice: %+v", next)
		}
		made[next.Key()] = true
		log = append(log, fmt.Sprintf("skip=%s only=%s", strings.Join(next.Skip, ","), strings.Join(next.Only, ",")))
		rounds = append(rounds, p.execute(*next))
	}
}

func TestComplete(t *testing.T) {
	abcd := []string{"A", "B", "C", "D"}
	for _, tt := range []struct {
		name    string
		p       process
		want    string // verdicts
		outcome string
		log     []string
	}{
		{"comes to its end", process{functions: abcd, fate: map[string]string{"B": "fail"}}, "A=pass B=fail C=pass D=pass", "failed", nil},
		{"a function that is not there is not looked for", process{functions: abcd, fate: map[string]string{"B": "vanishes"}}, "A=pass C=pass D=pass", "ok", nil},
		{"one dies", process{functions: abcd, fate: map[string]string{"B": "dies"}}, "A=pass C=pass D=pass", "failed", []string{"skip=A,B only=", "skip= only=B"}},
		{"one crashes and the report says so", process{functions: abcd, fate: map[string]string{"B": "crash"}}, "A=pass B=crash C=pass D=pass", "failed", []string{"skip=A,B only="}},
		{"two die", process{functions: abcd, fate: map[string]string{"A": "crash", "C": "crash"}}, "A=crash B=pass C=crash D=pass", "failed", []string{"skip=A only=", "skip=A,B,C only="}},
		{"the last dies", process{functions: abcd, fate: map[string]string{"D": "dies"}}, "A=pass B=pass C=pass", "failed", []string{"skip= only=D"}},
		{"one is reported as not run", process{functions: abcd, fate: map[string]string{"A": "waits", "B": "crash"}}, "A=pass B=crash C=pass D=pass", "failed", []string{"skip=B only=", "skip= only=A"}},
		{"silently", process{functions: abcd, fate: map[string]string{"B": "dies"}, silent: true}, "A=pass C=pass D=pass", "failed", []string{"skip= only=B", "skip= only=C", "skip= only=D"}},
		{"killed while one was running", process{functions: abcd, fate: map[string]string{"B": "kills"}}, "A=pass C=pass D=pass", "failed", []string{"skip=A,B only=", "skip= only=B"}},
		{"killed and nobody knows by whom", process{functions: abcd, fate: map[string]string{"B": "kills"}, silent: true}, "A=pass", "killed", nil},
		{"a limit is confirmed, not continued", process{functions: abcd, fate: map[string]string{"B": "times out"}}, "A=pass", "timeout", nil},
		{"a limit after a death", process{functions: abcd, fate: map[string]string{"A": "crash", "C": "times out"}}, "A=crash B=pass", "timeout", []string{"skip=A only="}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, log := complete(t, tt.p, tt.p.functions)
			var got []string
			for _, c := range o.Checks {
				got = append(got, strings.TrimPrefix(c.ID, "u::")+"="+string(c.Verdict))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.log, log); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if o.Outcome != tt.outcome || o.Executions != len(log)+1 || o.Seconds != float64(len(log)+1) || o.Run.Unit != "u" || len(o.Run.Skip) > 0 {
				t.Errorf("observation %+v", o)
			}
		})
	}
}

func TestCompleteIsBounded(t *testing.T) {
	p := process{fate: map[string]string{}}
	for i := range 300 {
		f := fmt.Sprintf("T%03d", i)
		p.functions = append(p.functions, f)
		p.fate[f] = "dies"
	}
	o, log := complete(t, p, p.functions)
	together := 0
	for _, l := range log {
		if strings.HasSuffix(l, "only=") {
			together++
		}
	}
	if together != MaxRounds || len(log)-together != MaxAlone || len(o.Checks) != 0 {
		t.Errorf("%d together, %d alone, %d checks", together, len(log)-together, len(o.Checks))
	}
}

func TestCompleteTrustsNoContradiction(t *testing.T) {
	check := []model.Check{{ID: "u::A", Verdict: model.Pass}}
	for _, tt := range []struct {
		name  string
		round Round
		want  model.Observation
	}{
		{"report and exit status disagree", Round{Outcome: model.Outcome{Outcome: "failed", ExitCode: 1}, Result: lang.Result{Checks: check, Complete: true}},
			model.Observation{Outcome: "no_report", ExitCode: 1, Detail: "exit status and report disagree"}},
		{"a build error needs no report", Round{Outcome: model.Outcome{Outcome: "failed", ExitCode: 1}, Result: lang.Result{BuildError: true, Diagnostics: []model.Diagnostic{{Path: "p"}}}},
			model.Observation{Outcome: "failed", ExitCode: 1, BuildError: true, Diagnostics: []model.Diagnostic{{Path: "p"}}}},
		{"forged", Round{Outcome: model.Outcome{Outcome: "forged"}, Result: lang.Result{Checks: check, Complete: true, Agrees: true}},
			model.Observation{Outcome: "forged"}},
		{"too large", Round{Outcome: model.Outcome{Outcome: "ok", ReportTooLarge: true}}, model.Observation{Outcome: "output"}},
		{"infrastructure", Round{Outcome: model.Outcome{Outcome: "infrastructure", Detail: "engine gone"}}, model.Observation{Outcome: "infrastructure", Detail: "engine gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, got := Complete(naming{}.Function, []string{"A"}, []Round{tt.round})
			if next != nil {
				t.Errorf("goes on with %+v", next)
			}
			tt.want.Executions = 1
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
