package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/construct"
	"github.com/taskmill/taskmill/transforms/fidelity"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/leak"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

func init() {
	beam.RegisterDoFn(&validateFn{})
	register.Iter1[model.Candidate]()
	register.Iter1[int]()
	register.Emitter1[model.Task]()
	register.Emitter1[model.Attempt]()
	register.Emitter1[model.Cost]()
}

// validate turns KV<group, Candidate> and KV<group, done> into Task, Rejection, Attempt, RunRow
// and Cost. The candidates of a group share the base's environment and are worked on side by
// side inside ProcessElement.
func validate(s beam.Scope, cfg Config, grouped, done beam.PCollection) (tasks, rejected, attempts, runs, costs beam.PCollection) {
	s = s.Scope("validate")
	return beam.ParDo5(s, &validateFn{cfg}, beam.CoGroupByKey(s, grouped, done))
}

type validateFn struct{ Config Config }

func (f *validateFn) ProcessElement(ctx context.Context, _ string, next func(*model.Candidate) bool, _ func(*int) bool, task func(model.Task), reject func(model.Rejection), attempt func(model.Attempt), run func(model.RunRow), cost func(model.Cost)) error {
	candidates := slices.Collect(values(next))
	if len(candidates) == 0 {
		return nil
	}
	slices.SortFunc(candidates, func(a, b model.Candidate) int { return strings.Compare(a.ID, b.ID) })
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	v, err := newValidator(ctx, shop, f.Config, candidates[0])
	if err != nil {
		return err
	}
	defer v.site.Close()
	var ends []ended
	err = execute.Each(ctx, f.Config.Execute.Jobs, slices.Values(candidates), v.candidate, func(e ended) { ends = append(ends, e) })
	if err != nil {
		return err
	}
	if err := v.scan(ctx, ends); err != nil {
		return err
	}
	for _, e := range ends {
		if e.err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, r := range e.runs {
			run(r)
		}
		for _, a := range e.attempts {
			attempt(a)
		}
		cost(e.cost())
		if e.err != nil {
			execute.Progress.Rejected.Add(1)
			reject(e.rejection())
			continue
		}
		execute.Progress.Tasks.Add(1)
		task(e.task)
		if t, r, err := v.testGeneration(e); err != nil {
			return err
		} else if r != nil {
			reject(*r)
		} else if t != nil {
			task(*t)
		}
	}
	return nil
}

// A validator works on the candidates of one base.
type validator struct {
	cfg   Config
	shop  *execute.Shop
	base  model.Base
	lang  lang.Language
	h     *tree.Tree
	site  *execute.Site
	clock bool

	mu    sync.Mutex
	known map[string][]model.Surface // by unit
}

func newValidator(ctx context.Context, shop *execute.Shop, cfg Config, c model.Candidate) (*validator, error) {
	b, l, h, err := openBase(ctx, shop, c)
	if err != nil {
		return nil, err
	}
	return &validator{cfg: cfg, shop: shop, base: b, lang: l, h: h, site: shop.Site(b, l), clock: cfg.clock(b), known: map[string][]model.Surface{}}, nil
}

// An ended candidate has a task, or the error that ended it.
type ended struct {
	candidate model.Candidate
	work      *work
	verdict   lifecycle.Verdict
	seen      observations // of the last attempt; gone when the candidate has ended
	noTests   error        // why an accepted bug fix has no variant that asks for tests
	s         *tree.Tree
	taskPatch patch.Patch
	testPatch patch.Patch
	fix       patch.Patch
	task      model.Task
	scan      *leak.Scan
	err       error
	runs      []model.RunRow
	logHash   string
	attempts  []model.Attempt
	noted     float64 // of elapsed, what is in attempts
	elapsed   float64 // seconds of its own runs, from their first execution
}

// lifecycle runs the planner's steps to its verdict.
func (v *validator) lifecycle(ctx context.Context, e *ended) (err error) {
	w := e.work
	trees := map[model.Hash]*tree.Tree{v.h.Hash(): v.h, w.draft.C.Hash(): w.draft.C}
	v.site.Use(w.draft.C.Hash())
	defer func() {
		for h := range trees {
			if h != v.h.Hash() {
				err = errors.Join(err, v.site.Close(h))
			}
		}
	}()
	if err := v.builds(ctx, e, w.draft.C); err != nil {
		return err
	}
	units := w.units()
	known, err := v.stability(ctx, units)
	if err != nil {
		return err
	}
	cs, err := v.newCase(ctx, e, known, units)
	if err != nil {
		return err
	}
	seen := observations{}
	e.seen = seen
	for {
		step := lifecycle.Next(cs, seen)
		switch {
		case step.Verdict != nil:
			e.verdict = *step.Verdict
			if !e.verdict.Accepted {
				return e.verdict.Fault
			}
			e.s = trees[e.verdict.S]
			return nil
		case step.Hidden != nil:
			s, err := construct.Hide(w.draft.C, step.Hidden, w.draft.Gone, v.lang)
			if err != nil {
				return err
			}
			if trees[s.Hash()] == nil {
				v.site.Use(s.Hash())
			}
			trees[s.Hash()] = s
			cs.Built = append(cs.Built, lifecycle.Built{S: s.Hash(), Hidden: step.Hidden})
		default:
			if err := v.make(ctx, e, step.Runs, trees, seen); err != nil {
				return err
			}
		}
	}
}

// builds reports a C that does not build: it names something that D removed.
func (v *validator) builds(ctx context.Context, e *ended, c *tree.Tree) error {
	o, rows, err := v.shop.Bench.Build(ctx, v.site, c)
	if err != nil {
		return err
	}
	e.runs = append(e.runs, label(rows, v.base, noState, e.candidate.ID)...)
	switch o.Outcome {
	case model.OutcomeOK:
		return nil
	case model.OutcomeInfrastructure, model.OutcomeKilled:
		return &model.Fault{Stage: model.StageConstruct, Reason: model.Infrastructure, Detail: o.Detail}
	}
	return &model.Fault{Stage: model.StageConstruct, Reason: model.NoBuild, Detail: firstError(o.Log)}
}

// stability reads what the base's runs said about the units.
func (v *validator) stability(ctx context.Context, units []string) ([]model.UnstableCheck, error) {
	seen, err := observeBase(ctx, v.shop, v.site, v.h, v.cfg.baseRuns(v.site, v.base, v.h, units))
	if err != nil {
		return nil, err
	}
	all := make([]model.Observation, len(seen))
	for i, o := range seen {
		all[i] = o.Observation
	}
	return lifecycle.Stability(all).Unstable, nil
}

func (v *validator) newCase(ctx context.Context, e *ended, unstable []model.UnstableCheck, units []string) (lifecycle.Case, error) {
	w := e.work
	cs := lifecycle.Case{
		ID: e.candidate.ID, Family: e.candidate.Family, AcceptBuildErrors: v.cfg.AcceptBuildErrors, Reversal: w.draft.Level == 1,
		Naming: v.lang, H: v.h.Hash(), C: w.draft.C.Hash(), Restored: v.h.Hash(),
		Targets: w.targets, TargetUnits: w.targetUnits, NearbyUnits: w.nearby, AllUnits: v.suite(ctx, units),
		Surfaces: map[string][]model.Surface{}, Removed: w.draft.Removed, RemovedUses: map[string][]string{},
		Unstable: unstable, Repeats: v.cfg.Repeats, Template: v.site.Template,
	}
	if o, ok := w.oracle(v.lang); ok {
		s, err := structural(o, v.h, w.draft.C, v.lang)
		if err != nil {
			return cs, err
		}
		cs.Structural = append(cs.Structural, s)
	}
	for _, u := range w.targetUnits {
		var err error
		if cs.Surfaces[u], err = v.surfaces(u); err != nil {
			return cs, err
		}
		for _, s := range cs.Surfaces[u] {
			if names := construct.RemovedUses(s, w.draft.Removed); len(names) > 0 {
				cs.RemovedUses[s.Key()] = names
			}
		}
	}
	return cs, nil
}

// surfaces are the test functions of a unit on H, parsed once for all candidates of the base.
func (v *validator) surfaces(unit string) ([]model.Surface, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, ok := v.known[unit]; ok {
		return s, nil
	}
	var all []model.Surface
	for _, p := range v.lang.UnitFiles(v.h, unit) {
		found, err := v.lang.Surfaces(v.h, p)
		if err != nil {
			return nil, &model.Fault{Stage: model.StageAlignment, Reason: model.NoParse, Detail: err.Error()}
		}
		all = append(all, found...)
	}
	v.known[unit] = all
	return all, nil
}

// make makes the runs of a step, tree by tree.
func (v *validator) make(ctx context.Context, e *ended, runs []lifecycle.Planned, trees map[model.Hash]*tree.Tree, seen observations) error {
	byTree := map[model.Hash][]model.Run{}
	state := map[model.Hash]string{}
	for _, r := range runs {
		byTree[r.Run.Tree] = append(byTree[r.Run.Tree], r.Run)
		state[r.Run.Tree] = r.State
	}
	for _, h := range slices.Sorted(keys(byTree)) {
		t := trees[h]
		if t == nil {
			return fmt.Errorf("candidate %s: a run in tree %s, which is none of its own", e.candidate.ID, h.Short(12))
		}
		got, err := v.shop.Bench.Observe(ctx, v.site, t, byTree[h], v.site.Expected(t))
		if err != nil {
			return err
		}
		name := e.candidate.ID
		if h == v.h.Hash() {
			name = "" // shared by the base's candidates
		}
		for _, o := range got {
			seen[o.Observation.Run.Key()] = o.Observation
			e.runs = append(e.runs, label(o.Rows, v.base, state[h], name)...)
			if name != "" {
				e.elapsed += o.Observation.Seconds
				e.logHash = string(o.Observation.LogHash)
			}
		}
	}
	return nil
}

// observations are what a candidate's runs showed.
type observations map[model.Hash]model.Observation

// Of is the observation of a run by its key.
func (o observations) Of(key model.Hash) (model.Observation, bool) {
	got, ok := o[key]
	return got, ok
}

// gates are the checks on the whole candidate after its lifecycle: fidelity.
func (v *validator) gates(e *ended) error {
	modern := &e.work.draft.Profile
	var err error
	if modern.TargetChecks, modern.RegressionChecks, err = construct.Surface(e.work.targets, v.h, v.lang); err != nil {
		return err
	}
	if f := fidelity.Gate(e.candidate.Change.Profile, e.work.draft.Profile); f != nil {
		return f
	}
	return nil
}

func (e *ended) cost() model.Cost {
	return model.Cost{Scope: "task", Key: e.candidate.ID, Condition: "reuse", Seconds: e.elapsed}
}

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// lastLine is the last line of a log that says something.
func lastLine(log []byte) string {
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// firstError is the first line of a compiler's log that is no heading.
func firstError(log []byte) string {
	for line := range strings.SplitSeq(string(log), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// suite is the whole suite's units where, by what the needed ones took, it takes at most
// lifecycle.SuiteSeconds.
func (v *validator) suite(ctx context.Context, needed []string) []string {
	units := allUnits(v.lang, v.h)
	var seconds float64
	n := 0
	for _, u := range needed {
		r := with(v.site.Template, v.h.Hash())
		r.Unit = u
		if o, count, err := v.shop.Ledger.Outcome(ctx, r.Key()); err == nil && count > 0 {
			seconds += o.Seconds
			n++
		}
	}
	if n == 0 || seconds/float64(n)*float64(len(units)) > lifecycle.SuiteSeconds {
		return nil
	}
	return units
}
