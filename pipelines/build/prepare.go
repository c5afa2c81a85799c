package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/tree"
)

func init() {
	beam.RegisterDoFn(&prepareFn{})
	register.Iter1[Planned]()
	register.Emitter1[model.Candidate]()
	register.Emitter1[model.BaseRow]()
	register.Emitter1[model.RunRow]()
}

// prepare turns KV<slot key, Planned> into Candidate (on a healthy base), BaseRow, RunRow and
// Rejection. A slot tries its commit and then its alternates, so replacement ends here.
func prepare(s beam.Scope, cfg Config, planned beam.PCollection) (candidates, bases, runs, rejected beam.PCollection) {
	s = s.Scope("prepare")
	return beam.ParDo4(s, &prepareFn{cfg}, beam.GroupByKey(s, planned))
}

type prepareFn struct{ Config Config }

func (f *prepareFn) ProcessElement(ctx context.Context, _ string, next func(*Planned) bool, emit func(model.Candidate), row func(model.BaseRow), run func(model.RunRow), reject func(model.Rejection)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	group := slices.Collect(values(next))
	slices.SortFunc(group, func(a, b Planned) int { return strings.Compare(a.Change.ID, b.Change.ID) })
	slot := group[0].Slot
	group = slices.DeleteFunc(group, func(p Planned) bool { return !p.Sampled })
	drawn := make([]model.Change, len(group))
	for i, p := range group {
		drawn[i] = p.Change
	}
	commits := append([]model.Hash{slot.Commit}, slot.Alternates...)
	var last error
	for i, commit := range commits {
		b, err := f.Config.prepareBase(ctx, shop, slot, commit, drawn, false)
		for _, r := range b.runs {
			run(r)
		}
		if err == nil {
			row(b.row)
			return f.assign(ctx, shop, b, group, emit, reject)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		last = err
		if i+1 < len(commits) {
			b.row.ReplacedBy = string(commits[i+1])
		}
		row(b.row)
	}
	for _, p := range group {
		cand := p.candidate()
		cand.BaseKey = slot.Repo + "@" + string(slot.Commit)
		reject(Reject(cand, last))
	}
	return nil
}

// assign freezes the candidates of a base.
func (f *prepareFn) assign(ctx context.Context, shop *execute.Shop, b prepared, drawn []Planned, emit func(model.Candidate), reject func(model.Rejection)) error {
	text, err := json.Marshal(b.base)
	if err != nil {
		return fmt.Errorf("encode base %s: %w", b.base.Key(), err)
	}
	ref, err := shop.Store.Put(ctx, text)
	if err != nil {
		return err
	}
	repo, err := shop.Repository(ctx, b.base.Source)
	if err != nil {
		return err
	}
	_, newest, _, err := repo.DefaultBranch()
	if err != nil {
		return err
	}
	for _, p := range drawn {
		c, at := p.Change, b.base.Commit
		if b.base.Kind == base.Historical {
			at = c.Record.MergeCommit // the base is the change itself, perhaps as its branch had it
		} else if err := base.Hosts(c, at, repo); err != nil { // an alternate is older than the base that the plan checked
			reject(Reject(p.candidate(), err))
			continue
		}
		toMerge, toNewest, err := repo.Distance(ctx, c.Record.MergeCommit, at, newest)
		if err != nil {
			reject(Reject(p.candidate(), err))
			continue
		}
		execute.Progress.Candidates.Add(1)
		emit(base.Assign(p.candidate(), b.base, ref, toMerge, toNewest))
	}
	return nil
}

// UnitWall bounds one command of a unit where its recipe says nothing, ours: a task condition may
// loop for ever, and is given twice as long alone on the machine before that counts.
const UnitWall = 5 * time.Minute

type prepared struct {
	base model.Base
	row  model.BaseRow
	runs []model.RunRow
}

// prepareBase readies one commit: tree, recipe, environment, build, and one run of each unit
// that the changes need. Where none of the changes can be constructed on the commit, nothing of it
// is prepared, unless always. The error is a *model.Fault when the base is at fault.
func (cfg Config) prepareBase(ctx context.Context, shop *execute.Shop, slot model.Slot, commit model.Hash, drawn []model.Change, always bool) (p prepared, err error) {
	p.row = model.BaseRow{Repo: slot.Repo, BaseCommit: string(commit), BaseKind: slot.Kind, Source: slot.Source.Location, Language: slot.Language, ChangesPlanned: int64(len(drawn))}
	step := func(name string, err error) error {
		outcome := "ok"
		if err != nil {
			outcome = err.Error()
			p.row.Reason = outcome
			var f *model.Fault
			if errors.As(err, &f) {
				p.row.Reason = string(f.Reason)
			}
		}
		p.row.Steps = append(p.row.Steps, model.StepRow{Step: name, Outcome: outcome})
		return err
	}
	l, h, err := cfg.recipe(ctx, shop, slot, commit, &p)
	if step("recipe", err) != nil {
		return p, err
	}
	if !always {
		n, err := cfg.constructed(ctx, shop, l, drawn, commit, h)
		if err != nil {
			return p, err
		}
		if n == 0 {
			p.row.Steps = append(p.row.Steps, model.StepRow{Step: "changes", Outcome: fmt.Sprintf("none of %d can be constructed here: not prepared", len(drawn))})
			return p, nil
		}
	}
	facts, err := shop.Ready(ctx, &p.base, l)
	if step("environment", err) != nil {
		return p, err
	}
	p.row.Prepared, p.row.LockHash, p.row.Lock = true, string(p.base.Lock), string(facts.Lock)
	p.row.Image, p.row.ImageDigest = facts.Image, facts.ImageDigest
	p.row.PrepareSeconds, p.row.Bytes = facts.Seconds, facts.Bytes
	execute.Progress.Bases.Add(1)

	site := shop.Site(p.base, l)
	defer site.Close()
	outcome, rows, err := shop.Bench.Build(ctx, site, h)
	p.runs = append(p.runs, label(rows, p.base, noState, "")...)
	if err == nil && outcome.Outcome != model.OutcomeOK {
		err = &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: "the build of the base fails: " + lastLine(outcome.Log)}
	}
	if step("build", err) != nil {
		return p, err
	}
	err = cfg.health(ctx, shop, site, h, drawn, &p)
	if step("health", err) != nil {
		return p, err
	}
	p.row.Healthy = true
	return p, nil
}

// constructed counts the changes that come as far as a run on h.
func (cfg Config) constructed(ctx context.Context, shop *execute.Shop, l lang.Language, changes []model.Change, base model.Hash, h *tree.Tree) (int, error) {
	n := 0
	for _, c := range changes {
		_, err := newWork(ctx, shop, l, cfg.ladder(), c, base, h)
		var fault *model.Fault
		switch {
		case err == nil:
			n++
		case !errors.As(err, &fault):
			return n, err
		}
	}
	return n, nil
}

// recipe reads the tree of a commit, keeps its archive and derives the base value.
func (cfg Config) recipe(ctx context.Context, shop *execute.Shop, slot model.Slot, commit model.Hash, p *prepared) (lang.Language, *tree.Tree, error) {
	l, ok := lang.ByName(execute.Languages(), slot.Language)
	if !ok {
		return nil, nil, fmt.Errorf("unknown language %q", slot.Language)
	}
	repo, err := shop.Repository(ctx, slot.Source)
	if err != nil {
		return nil, nil, err
	}
	h, err := shop.Tree(ctx, repo, commit)
	if err != nil {
		return nil, nil, err
	}
	archive, err := keep(ctx, shop, h)
	if err != nil {
		return nil, nil, err
	}
	p.row.TreeHash, p.row.TreeBlob = string(h.Hash()), string(archive)
	r, err := l.Recipe(h)
	if err != nil {
		return nil, nil, err
	}
	if date := dater(l, slot.Kind); date != nil {
		c, err := repo.Commit(commit)
		if err != nil {
			return nil, nil, err
		}
		if r, err = date(r, c.Committer.When); err != nil {
			return nil, nil, err
		}
	}
	if r.Protocol.Limits.Wall == 0 {
		r.Protocol.Limits.Wall = UnitWall
	}
	p.base = model.Base{Repo: slot.Repo, Source: slot.Source, Commit: commit, Kind: slot.Kind, Tree: h.Hash(), Archive: archive, Language: slot.Language, Recipe: r}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, nil, fmt.Errorf("encode recipe: %w", err)
	}
	p.row.Recipe, p.row.RecipeHash = string(text), string(r.ID())
	return l, h, nil
}

// dater is how recipes of a language are dated on a kind of base; nil where they are as of now.
func dater(l lang.Language, kind string) func(model.Recipe, time.Time) (model.Recipe, error) {
	if d, ok := l.(lang.Dater); ok {
		return d.AsOf
	}
	if d, ok := l.(lang.HistoricalDater); ok && kind == base.Historical {
		return d.AsOfRevision
	}
	return nil
}

// keep archives a tree; one that no archive can hold is the base's fault.
func keep(ctx context.Context, shop *execute.Shop, h *tree.Tree) (model.Hash, error) {
	for _, p := range h.Paths() {
		if !utf8.ValidString(p) {
			return "", &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: fmt.Sprintf("the file name %q is not UTF-8", p)}
		}
	}
	archive, err := shop.Keep(ctx, h)
	if errors.Is(err, gitio.ErrTooLarge) {
		return "", &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: err.Error()}
	}
	return archive, err
}

// trouble is what kept the checks of a base from holding, by the first unit that tells: a limit,
// an error of the compiler or collector, or the first check that fails.
func trouble(observations []model.Observation) string {
	for _, o := range observations {
		switch {
		case o.Outcome != model.OutcomeOK && o.Outcome != model.OutcomeFailed:
			return fmt.Sprintf("%s: %s %s", o.Run.Unit, o.Outcome, o.Detail)
		case len(o.Diagnostics) > 0:
			return fmt.Sprintf("%s: %s", o.Run.Unit, o.Diagnostics[0].Message)
		case o.BuildError:
			return fmt.Sprintf("%s: could not be built or collected %s", o.Run.Unit, o.Detail)
		}
	}
	for _, o := range observations {
		for _, c := range o.Checks {
			if !c.Verdict.Holds() && c.Verdict != model.Skip && c.Verdict != model.Todo {
				return fmt.Sprintf("%s: %s", c.ID, c.Verdict)
			}
		}
	}
	return "no check ran"
}

// health runs each unit that the changes need once on H: at least half of the checks hold.
func (cfg Config) health(ctx context.Context, shop *execute.Shop, site *execute.Site, h *tree.Tree, drawn []model.Change, p *prepared) error {
	units := map[string]bool{}
	for _, c := range drawn {
		for _, u := range cfg.neededUnits(ctx, shop, site.Language, c, p.base.Commit, h) {
			units[u] = true
		}
	}
	runs := lifecycle.BaseRuns(sortedKeys(units), with(site.Template, h.Hash()), 1, 1, false)
	seen, err := observeBase(ctx, shop, site, h, runs)
	if err != nil {
		return err
	}
	observations := make([]model.Observation, len(seen))
	for i, o := range seen {
		observations[i] = o.Observation
		p.runs = append(p.runs, label(o.Rows, p.base, "H", "")...)
	}
	stable := lifecycle.Stability(observations)
	if len(runs) > 0 && !stable.Healthy {
		return &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: fmt.Sprintf("%d of %d checks hold; %s", stable.Holding, stable.Total, trouble(observations))}
	}
	return nil
}
