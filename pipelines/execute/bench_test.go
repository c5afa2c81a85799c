package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/ledgerio"
	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lang/golang"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A plainLanguage reads reports of lines "function verdict"; a last line "end" says that the
// runner came to its end, "in function" that the process died there.
type plainLanguage struct{ golang.Language }

func (plainLanguage) Command(_ model.Protocol, r model.Run) model.Command {
	return model.Command{Argv: []string{"check", r.Unit}}
}

func (plainLanguage) Function(id string) (unit, function string) {
	unit, function, _ = strings.Cut(id, "::")
	return unit, function
}

func (plainLanguage) Read(r model.Run, o model.Outcome) lang.Result {
	res := lang.Result{Agrees: true}
	for line := range strings.Lines(string(o.Report)) {
		name, verdict, two := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "end":
			res.Complete = true
		case name == "in":
			res.Running = verdict
			res.Checks = append(res.Checks, model.Check{ID: r.Unit + "::" + verdict, Verdict: model.Crash})
		case two:
			res.Checks = append(res.Checks, model.Check{ID: r.Unit + "::" + name, Verdict: model.Verdict(verdict)})
		}
	}
	slices.SortFunc(res.Checks, func(a, b model.Check) int { return cmp.Compare(a.ID, b.ID) })
	return res
}

// A fake is an environment whose states answer from a function and are counted.
type fake struct {
	answer func(n int, r model.Run) (model.Outcome, error) // n counts the executions, from 1
	build  model.Outcome
	fault  func(opened int) error // of opening

	mu       sync.Mutex
	runs     []model.Run
	opened   int
	closed   int
	prepared int
}

func (f *fake) Lock() []byte           { return nil }
func (f *fake) Facts() sandboxio.Facts { return sandboxio.Facts{} }
func (f *fake) Close() error           { return nil }
func (f *fake) Walk(context.Context, func(string, int64, func() (io.ReadCloser, error)) error) error {
	return nil
}

func (f *fake) Open(_ context.Context, t model.Tree) (sandboxio.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	if f.fault != nil {
		if err := f.fault(f.opened); err != nil {
			return nil, err
		}
	}
	return &fakeState{f, t.Hash}, nil
}

type fakeState struct {
	*fake
	tree model.Hash
}

func (s *fakeState) Build() model.Outcome { return s.build }

func (s *fakeState) Execute(_ context.Context, r model.Run) (model.Outcome, error) {
	s.mu.Lock()
	s.runs = append(s.runs, r)
	n := len(s.runs)
	s.mu.Unlock()
	if r.Tree != s.tree {
		return model.Outcome{}, fmt.Errorf("a run of tree %s in a state of %s", r.Tree, s.tree)
	}
	return s.answer(n, r)
}

func (s *fakeState) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

func (f *fake) site() *Site {
	return &Site{Language: plainLanguage{}, Template: model.Run{Sandbox: "fake", Limits: model.Limits{Wall: time.Minute}},
		Protocol: model.Protocol{Build: []model.Command{{Argv: []string{"build"}}}},
		Prepare: func(context.Context) (sandboxio.Environment, error) {
			f.prepared++
			return f, nil
		}}
}

func bench(t *testing.T) *Bench {
	t.Helper()
	store, err := blobio.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Bench{Ledger: ledgerio.New(store), Jobs: 2, Remember: true, Backoff: func(int) time.Duration { return 0 }}
}

func runs(site *Site, t *tree.Tree, units ...string) []model.Run {
	var out []model.Run
	for _, u := range units {
		r := site.Template
		r.Tree, r.Unit = t.Hash(), u
		out = append(out, r)
	}
	return out
}

func some(text string) *tree.Tree {
	return tree.Of(model.File{Path: "a", Mode: model.ModeFile, Data: []byte(text)})
}

func none(string) []string { return nil }

func ok(report string) model.Outcome {
	return model.Outcome{Outcome: model.OutcomeOK, Report: []byte(report), Log: []byte("log\n"), Seconds: 2}
}

func TestObserveAsksTheLedgerFirst(t *testing.T) {
	b, f, tr := bench(t), &fake{}, some("x")
	f.answer = func(_ int, r model.Run) (model.Outcome, error) { return ok("A pass\nB fail\nend\n"), nil }
	for pass := range 2 {
		site := f.site()
		got, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u", "v", "w"), none)
		if err != nil {
			t.Fatal(err)
		}
		for i, unit := range []string{"u", "v", "w"} {
			o := got[i].Observation
			if o.Run.Unit != unit || o.Verdict(unit+"::A") != model.Pass || o.Verdict(unit+"::B") != model.Fail || o.Executions != 1 || o.FromLedger != (pass == 1) || o.Seconds != 2 {
				t.Errorf("pass %d: %+v", pass, o)
			}
			if len(got[i].Rows) != 1 || got[i].Rows[0].Command != "check "+unit || got[i].Rows[0].FromLedger != (pass == 1) {
				t.Errorf("pass %d: rows %+v", pass, got[i].Rows)
			}
		}
		if err := site.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.runs) != 3 || f.opened != 1 || f.closed != 1 || f.prepared != 1 {
		t.Errorf("%d runs, %d states opened, %d closed, %d preparations: want 3, 1, 1, 1", len(f.runs), f.opened, f.closed, f.prepared)
	}
}

func TestObserveWithoutMemory(t *testing.T) {
	b, f, tr := bench(t), &fake{}, some("x")
	f.answer = func(int, model.Run) (model.Outcome, error) { return ok("A pass\nend\n"), nil }
	b.Remember = false
	site := f.site()
	for range 2 {
		if _, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u"), none); err != nil {
			t.Fatal(err)
		}
	}
	if _, n, err := b.Ledger.Outcome(t.Context(), runs(site, tr, "u")[0].Key()); n != 0 || err != nil || len(f.runs) != 2 {
		t.Errorf("%d runs, %d in the ledger, %v: want 2 and none", len(f.runs), n, err)
	}
}

func TestInfrastructureIsTriedAgainAndNeverStored(t *testing.T) {
	bad := model.Outcome{Outcome: model.OutcomeInfrastructure, ExitCode: -1, Detail: "engine away"}
	killed := model.Outcome{Outcome: model.OutcomeKilled, ExitCode: 137}
	for _, c := range []struct {
		name    string
		answers []any // model.Outcome or error
		want    string
		runs    int
		stored  int
	}{
		{"recovers", []any{bad, ok("A pass\nend\n")}, model.OutcomeOK, 2, 1},
		{"recovers from an error", []any{errors.New("no connection"), killed, ok("A pass\nend\n")}, model.OutcomeOK, 3, 1},
		{"stays", []any{bad, bad, bad}, model.OutcomeInfrastructure, 3, 0},
		{"killed each time", []any{killed, killed, killed}, model.OutcomeInfrastructure, 3, 0},
		{"a limit is the tree's own", []any{model.Outcome{Outcome: model.OutcomeTimeout, ExitCode: -1}}, model.OutcomeTimeout, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, f, tr := bench(t), &fake{}, some("x")
			waits := 0
			b.Backoff = func(try int) time.Duration {
				if try != waits {
					t.Errorf("back-off of try %d, want %d", try, waits)
				}
				waits++
				return 0
			}
			f.answer = func(n int, _ model.Run) (model.Outcome, error) {
				if err, is := c.answers[n-1].(error); is {
					return model.Outcome{}, err
				}
				return c.answers[n-1].(model.Outcome), nil
			}
			site := f.site()
			got, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u"), none)
			if err != nil {
				t.Fatal(err)
			}
			if o := got[0].Observation; o.Outcome != c.want {
				t.Errorf("outcome %s (%s), want %s", o.Outcome, o.Detail, c.want)
			}
			if len(f.runs) != c.runs || waits != c.runs-1 {
				t.Errorf("%d runs and %d waits, want %d and %d", len(f.runs), waits, c.runs, c.runs-1)
			}
			if _, n, err := b.Ledger.Outcome(t.Context(), runs(site, tr, "u")[0].Key()); n != c.stored || err != nil {
				t.Errorf("%d stored (%v), want %d", n, err, c.stored)
			}
		})
	}
}

func TestAStateThatDoesNotOpenIsOpenedAnew(t *testing.T) {
	b, f, tr := bench(t), &fake{}, some("x")
	f.answer = func(int, model.Run) (model.Outcome, error) { return ok("A pass\nend\n"), nil }
	f.fault = func(opened int) error {
		if opened == 1 {
			return errors.New("no space")
		}
		return nil
	}
	site := f.site()
	got, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u"), none)
	if err != nil || got[0].Observation.Outcome != model.OutcomeOK || f.opened != 2 {
		t.Errorf("%v, %+v, %d states opened", err, got, f.opened)
	}
	if err := site.Close(); err != nil || f.closed != 1 {
		t.Errorf("close: %v, %d closed: want the one that opened", err, f.closed)
	}
}

func TestPreparationFaultIsAnOutcome(t *testing.T) {
	b, tr := bench(t), some("x")
	site := (&fake{}).site()
	site.Prepare = func(context.Context) (sandboxio.Environment, error) { return nil, errors.New("no engine") }
	got, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u"), none)
	if err != nil || got[0].Observation.Outcome != model.OutcomeInfrastructure || got[0].Observation.Detail != "no engine" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNothingIsStoredAfterCancel(t *testing.T) {
	why := errors.New("interrupted")
	for name, answer := range map[string]func(context.CancelCauseFunc) (model.Outcome, error){
		"our end killed the command": func(cancel context.CancelCauseFunc) (model.Outcome, error) {
			cancel(why)
			return model.Outcome{Outcome: model.OutcomeKilled, ExitCode: 137}, nil
		},
		"the command says that it failed": func(cancel context.CancelCauseFunc) (model.Outcome, error) {
			cancel(why)
			return model.Outcome{Outcome: model.OutcomeFailed, ExitCode: 1, Report: []byte("A fail\nend\n")}, nil
		},
		"the sandbox gave an error": func(cancel context.CancelCauseFunc) (model.Outcome, error) {
			cancel(why)
			return model.Outcome{}, context.Canceled
		},
		"while it waits to try again": func(cancel context.CancelCauseFunc) (model.Outcome, error) {
			time.AfterFunc(time.Millisecond, func() { cancel(why) })
			return model.Outcome{Outcome: model.OutcomeInfrastructure, Detail: "engine away"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			b, f, tr := bench(t), &fake{}, some("x")
			b.Backoff = func(int) time.Duration { return time.Hour }
			f.answer = func(int, model.Run) (model.Outcome, error) { return answer(cancel) }
			site := f.site()
			_, err := b.Observe(ctx, site, tr, runs(site, tr, "u"), none)
			if !errors.Is(err, why) {
				t.Errorf("error %v, want the cause of the end", err)
			}
			if _, n, err := b.Ledger.Outcome(t.Context(), runs(site, tr, "u")[0].Key()); n != 0 || err != nil {
				t.Errorf("%d stored, %v", n, err)
			}
			if err := site.Close(); err != nil || f.opened != f.closed {
				t.Errorf("%d opened, %d closed, %v", f.opened, f.closed, err)
			}
		})
	}
}

// A process that dies in A hides B and C, which are run again without it.
func TestADyingProcessHidesNothing(t *testing.T) {
	b, f, tr := bench(t), &fake{}, some("x")
	f.answer = func(_ int, r model.Run) (model.Outcome, error) {
		var report strings.Builder
		for _, name := range []string{"A", "B", "C"} {
			if slices.Contains(r.Skip, name) || len(r.Only) > 0 && !slices.Contains(r.Only, name) {
				continue
			}
			if name == "A" {
				return model.Outcome{Outcome: model.OutcomeFailed, ExitCode: 2, Report: []byte("in A\n")}, nil
			}
			fmt.Fprintln(&report, name, "pass")
		}
		return ok(report.String() + "end\n"), nil
	}
	for range 2 {
		site := f.site()
		got, err := b.Observe(t.Context(), site, tr, runs(site, tr, "u"), func(string) []string { return []string{"A", "B", "C"} })
		if err != nil {
			t.Fatal(err)
		}
		verdicts := map[string]model.Verdict{}
		for _, name := range []string{"A", "B", "C"} {
			verdicts[name] = got[0].Observation.Verdict("u::" + name)
		}
		want := map[string]model.Verdict{"A": model.Crash, "B": model.Pass, "C": model.Pass}
		if d := gocmp.Diff(want, verdicts); d != "" {
			t.Error(d)
		}
		if len(got[0].Rows) < 2 || got[0].Observation.Run.Key() != runs(site, tr, "u")[0].Key() {
			t.Errorf("%d rows; the observation is of run %+v", len(got[0].Rows), got[0].Observation.Run)
		}
	}
	seen := map[model.Hash]int{}
	for _, r := range f.runs {
		seen[r.Key()]++
	}
	for key, n := range seen {
		if n != 1 {
			t.Errorf("run %s made %d times", key.Short(12), n)
		}
	}
}

func TestBuildIsARunOfItsOwn(t *testing.T) {
	b, f, tr := bench(t), &fake{build: model.Outcome{Outcome: model.OutcomeFailed, ExitCode: 1, Log: []byte("no such name\n"), Seconds: 3}}, some("x")
	for pass := range 2 {
		site := f.site()
		o, rows, err := b.Build(t.Context(), site, tr)
		if len(rows) != 1 || rows[0].Unit != "" || rows[0].TreeHash != string(tr.Hash()) || rows[0].Command != "build" || rows[0].Seconds != 3 || rows[0].FromLedger != (pass == 1) || rows[0].Executions != 1 {
			t.Errorf("pass %d: rows %+v", pass, rows)
		}
		if err != nil || o.Outcome != model.OutcomeFailed || string(o.Log) != "no such name\n" {
			t.Errorf("%+v, %v", o, err)
		}
	}
	if f.opened != 1 {
		t.Errorf("built %d times", f.opened)
	}
	site := f.site()
	site.Protocol.Build = nil
	if o, rows, err := b.Build(t.Context(), site, some("y")); err != nil || o.Outcome != model.OutcomeOK || len(rows) != 0 || f.opened != 1 {
		t.Errorf("without build commands: %+v, %d rows, %v, %d states", o, len(rows), err, f.opened)
	}
}

func TestParseImages(t *testing.T) {
	got, err := ParseImages([]string{"go=golang:1.26", "python=registry.example:5000/py@sha256:ab"})
	if d := gocmp.Diff(map[string]string{"go": "golang:1.26", "python": "registry.example:5000/py@sha256:ab"}, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	for _, bad := range []string{"", "go", "go=", "=x", "cobol=x"} {
		if _, err := ParseImages([]string{bad}); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}
