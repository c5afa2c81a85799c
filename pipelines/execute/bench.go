package execute

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unique"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/ledgerio"
	"github.com/taskmill/taskmill/io/sandboxio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/tree"
)

// tries is how often a command that ended for an infrastructure reason is run again.
const tries = 3

// A Bench runs what the ledger does not hold. Safe for concurrent use.
type Bench struct {
	Ledger ledgerio.Ledger
	// Store takes the checks of long rows until these are written; nil leaves them in the rows.
	Store blobio.Store
	Jobs  int
	// Remember stores outcomes in the ledger; an evaluation, whose trees hold random checks,
	// does not.
	Remember bool
	// Backoff is how long to wait after an infrastructure outcome before the next try;
	// nil waits one second, then two.
	Backoff func(try int) time.Duration
}

func (b *Bench) backoff(try int) time.Duration {
	if b.Backoff != nil {
		return b.Backoff(try)
	}
	return time.Second << try
}

// A Site is a prepared base: its environment (made when first needed), language and protocol.
type Site struct {
	Language lang.Language
	Protocol model.Protocol
	// Template is the run of this site with no tree, unit or repeat.
	Template model.Run
	// Prepare makes or finds the environment; called at most once.
	Prepare func(context.Context) (sandboxio.Environment, error)

	once sync.Once
	env  sandboxio.Environment
	err  error

	mu     sync.Mutex
	states map[model.Hash]*state
	users  map[model.Hash]int
	// expected has the test functions of "tree unit".
	expected map[string][]string
}

// Environment is the site's environment, prepared at the first call.
func (s *Site) Environment(ctx context.Context) (sandboxio.Environment, error) {
	s.once.Do(func() { s.env, s.err = s.Prepare(ctx) })
	return s.env, s.err
}

type state struct {
	once sync.Once
	open sandboxio.State
	err  error
}

// Use holds the states of the trees open until as many calls of Close name them: candidates of a
// base may have equal trees.
func (s *Site) Use(trees ...model.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == nil {
		s.users = map[model.Hash]int{}
	}
	for _, h := range trees {
		s.users[h]++
	}
}

// Close lets go of the states of the trees and closes those that nobody uses any more; with no
// tree named it closes all.
func (s *Site) Close(trees ...model.Hash) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(trees) == 0 {
		for h := range s.states {
			trees = append(trees, h)
		}
		clear(s.users)
	}
	var errs []error
	for _, h := range trees {
		if s.users[h] > 1 {
			s.users[h]--
			continue
		}
		delete(s.users, h)
		if st := s.states[h]; st != nil && st.open != nil {
			errs = append(errs, st.open.Close())
		}
		delete(s.states, h)
	}
	return errors.Join(errs...)
}

// An Observed is one observation with a row for each command that it rests on.
type Observed struct {
	Observation model.Observation
	Rows        []model.RunRow
}

// Observe makes the runs over one tree that the ledger lacks and reads all of them. expected
// lists the test functions of a unit. The result is in the order of runs. The error is ours or
// the context's: what a run showed is data.
func (b *Bench) Observe(ctx context.Context, site *Site, t *tree.Tree, runs []model.Run, expected func(unit string) []string) ([]Observed, error) {
	out := make([]Observed, len(runs))
	indices := func(yield func(int) bool) {
		for i := range runs {
			if !yield(i) {
				return
			}
		}
	}
	type done struct {
		i   int
		got Observed
		err error
	}
	var fault error
	err := Each(ctx, b.Jobs, indices, func(ctx context.Context, i int) done {
		got, err := b.observe(ctx, site, t, runs[i], expected)
		return done{i, got, err}
	}, func(d done) {
		out[d.i] = d.got
		if d.err != nil && fault == nil {
			fault = d.err
		}
	})
	return out, errors.Join(fault, err)
}

// observe runs one run with the rounds that a dying process asks for.
func (b *Bench) observe(ctx context.Context, site *Site, t *tree.Tree, run model.Run, expected func(unit string) []string) (Observed, error) {
	var o Observed
	var rounds []lifecycle.Round
	var functions []string
	executions, fromLedger := 0, true
	for next := &run; next != nil; {
		r := *next
		r.Command = site.Language.Command(site.Protocol, r)
		outcome, count, held, err := b.outcome(ctx, site, t, r)
		if err != nil {
			return o, err
		}
		result := site.Language.Read(r, outcome)
		for i, c := range result.Checks { // the same ids in every run of a unit: one text for all
			result.Checks[i].ID = unique.Make(c.ID).Value()
		}
		rounds = append(rounds, lifecycle.Round{Run: r, Outcome: outcome, Result: result})
		if functions == nil && !result.Complete { // asked for only where a process died: parsing all checks is slow
			functions = expected(run.Unit)
		}
		executions, fromLedger = max(executions, count), fromLedger && held
		made := row(site, r, outcome, result, count, held)
		if b.Store != nil {
			if made, err = made.Defer(func(part []byte) (model.Hash, error) { return b.Store.Put(ctx, part) }); err != nil {
				return o, fmt.Errorf("store the checks of run %s: %w", r.Key().Short(12), err)
			}
		}
		o.Rows = append(o.Rows, made)
		next, o.Observation = lifecycle.Complete(lang.Resolver(site.Language, run.Unit, functions), functions, rounds)
	}
	o.Observation.Run = run
	o.Observation.Executions, o.Observation.FromLedger = executions, fromLedger
	o.Observation.LogHash = model.Sum(rounds[0].Outcome.Log)
	return o, nil
}

func row(site *Site, r model.Run, o model.Outcome, res lang.Result, count int, held bool) model.RunRow {
	log := ""
	if len(o.Log) > 0 {
		log = string(model.Sum(o.Log))
	}
	return model.RunRow{
		RunHash: string(r.Key()), TreeHash: string(r.Tree), Unit: r.Unit, Repeat: int64(r.Repeat),
		Order: r.Order, ClockShift: r.ClockShift.Seconds(), LockHash: string(r.Lock), Sandbox: r.Sandbox,
		Command: strings.Join(r.Command.Argv, " "), Outcome: o.Outcome, ExitCode: int64(o.ExitCode),
		Checks: res.Checks, ParserVersion: int64(site.Protocol.Report.Version), Seconds: o.Seconds,
		FromLedger: held, Executions: int64(count), LogHash: log,
	}
}

// outcome asks the ledger first. The second result counts the executions that the ledger holds.
func (b *Bench) outcome(ctx context.Context, site *Site, t *tree.Tree, r model.Run) (model.Outcome, int, bool, error) {
	key := r.Key()
	if b.Remember {
		o, n, err := b.Ledger.Outcome(ctx, key)
		if err != nil {
			return o, 0, false, err
		}
		if n > 0 {
			Progress.FromLedger.Add(1)
			return o, n, true, nil
		}
	}
	var o model.Outcome
	for try := range tries {
		var err error
		if o, err = b.execute(ctx, site, t, r); err != nil {
			return o, 0, false, err
		}
		if !infrastructure(o) || try == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return o, 0, false, context.Cause(ctx)
		case <-time.After(b.backoff(try)):
		}
	}
	if ctx.Err() != nil { // a command that our own end killed is not finished
		return o, 0, false, context.Cause(ctx)
	}
	Progress.Runs.Add(1)
	if infrastructure(o) {
		o.Outcome = model.OutcomeInfrastructure
		return o, 0, false, nil
	}
	if b.Remember {
		if err := b.Ledger.Store(ctx, key, o); err != nil {
			return o, 0, false, fmt.Errorf("store run %s: %w", key.Short(12), err)
		}
	}
	return o, 1, false, nil
}

func infrastructure(o model.Outcome) bool {
	return o.Outcome == model.OutcomeInfrastructure || o.Outcome == model.OutcomeKilled
}

// execute runs one command in the tree's state under the process's limit; a run whose wall
// limit was raised is a confirmation and gets the machine to itself.
func (b *Bench) execute(ctx context.Context, site *Site, t *tree.Tree, r model.Run) (model.Outcome, error) {
	sem, width := limit(b.Jobs)
	weight := int64(1)
	if r.Limits.Wall > site.Template.Limits.Wall {
		weight = width
	}
	st, err := b.state(ctx, site, t)
	if err != nil {
		return stateFault(ctx, err)
	}
	if err := sem.Acquire(ctx, weight); err != nil {
		return model.Outcome{}, context.Cause(ctx)
	}
	defer sem.Release(weight)
	inflight.Add(1)
	defer inflight.Done()
	if r.Unit == "" {
		return st.Build(), nil
	}
	o, err := st.Execute(ctx, r)
	if err != nil {
		return stateFault(ctx, err)
	}
	return o, nil
}

// stateFault turns a sandbox's error into an outcome, unless our own end caused it.
func stateFault(ctx context.Context, err error) (model.Outcome, error) {
	if ctx.Err() != nil {
		return model.Outcome{}, context.Cause(ctx)
	}
	return model.Outcome{Outcome: model.OutcomeInfrastructure, ExitCode: -1, Detail: err.Error()}, nil
}

// state opens the tree's state once for all runs over it. A state that did not open is
// forgotten, so that the next try opens it anew.
func (b *Bench) state(ctx context.Context, site *Site, t *tree.Tree) (sandboxio.State, error) {
	env, err := site.Environment(ctx)
	if err != nil {
		return nil, err
	}
	h := t.Hash()
	site.mu.Lock()
	if site.states == nil {
		site.states = map[model.Hash]*state{}
	}
	st := site.states[h]
	if st == nil {
		st = &state{}
		site.states[h] = st
	}
	site.mu.Unlock()
	st.once.Do(func() {
		sem, _ := limit(b.Jobs)
		if st.err = sem.Acquire(ctx, 1); st.err != nil {
			return
		}
		defer sem.Release(1)
		st.open, st.err = env.Open(ctx, t.Value())
	})
	if st.err != nil {
		site.mu.Lock()
		if site.states[h] == st {
			delete(site.states, h)
		}
		site.mu.Unlock()
	}
	return st.open, st.err
}

// Build is the outcome of building the tree: from the ledger, or by opening its state. The row
// tells what it took; a protocol without a build has none.
func (b *Bench) Build(ctx context.Context, site *Site, t *tree.Tree) (model.Outcome, []model.RunRow, error) {
	if len(site.Protocol.Build) == 0 {
		return model.Outcome{Outcome: model.OutcomeOK}, nil, nil
	}
	r := site.Template
	r.Tree = t.Hash()
	o, count, held, err := b.outcome(ctx, site, t, r)
	if err != nil {
		return o, nil, err
	}
	told := row(site, r, o, lang.Result{}, count, held)
	var commands []string
	for _, c := range site.Protocol.Build {
		commands = append(commands, strings.Join(c.Argv, " "))
	}
	told.Command = strings.Join(commands, " && ")
	return o, []model.RunRow{told}, nil
}
