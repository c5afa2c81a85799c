package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/lang"
)

func init() {
	beam.RegisterDoFn(&byRepoFn{})
	beam.RegisterDoFn(&planFn{})
	register.Iter1[model.Change]()
	register.Emitter2[string, Planned]()
}

// Planned is a change in a slot of the plan.
type Planned struct {
	Slot    model.Slot
	Next    model.Slot // the slot to try should this one's base be at fault; no commit: none
	Change  model.Change
	Sampled bool
	Try     int             // 0, 1 in the slot tried next, or ownTry
	Twin    bool            // of a task that the change has already
	Reached model.BaseLevel // of a change on its own revision: where it was undone before, if anywhere
}

// candidate is what the change is in its slot, without a base yet.
func (p Planned) candidate() model.Candidate {
	c := candidateOf(p.Change)
	c.Try = p.Try
	if p.Twin {
		c.ID = model.TwinID(c.ID)
	}
	return c
}

// SlotKey is the identity of a slot: repository, commit and language.
func SlotKey(s model.Slot) string { return s.Repo + "@" + string(s.Commit) + "/" + s.Language }

// plan turns Change into KV<slot key, Planned> and Rejection. It looks at git objects only.
func plan(s beam.Scope, cfg Config, changes beam.PCollection) (planned, rejected beam.PCollection) {
	s = s.Scope("plan")
	byRepo := beam.ParDo(s, &byRepoFn{}, changes)
	return beam.ParDo2(s, &planFn{cfg}, beam.GroupByKey(s, byRepo))
}

type byRepoFn struct{}

func (f *byRepoFn) ProcessElement(c model.Change) (string, model.Change) { return c.Repo, c }

type planFn struct{ Config Config }

func (f *planFn) ProcessElement(ctx context.Context, _ string, next func(*model.Change) bool, emit func(string, Planned), reject func(model.Rejection)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	found := slices.Collect(values(next))
	_, planned, rejected, err := Plan(ctx, shop, f.Config, found)
	if err != nil {
		return err
	}
	for _, p := range planned {
		emit(SlotKey(p.Slot), p)
	}
	for _, r := range rejected {
		reject(r)
	}
	return nil
}

// Plan chooses the bases of one repository's changes and gives each change its slot. Ineligible
// changes, and those that the newest or declared base does not descend from, are rejections.
func Plan(ctx context.Context, shop *execute.Shop, cfg Config, found []model.Change) (model.Plan, []Planned, []model.Rejection, error) {
	var rejected []model.Rejection
	slices.SortFunc(found, func(a, b model.Change) int { return strings.Compare(a.ID, b.ID) })
	var eligible []model.Change
	for _, c := range found {
		if c.Eligible {
			eligible = append(eligible, c)
			continue
		}
		stage := model.StageEvidence
		if c.Reason == model.Infrastructure {
			stage = model.StageIngest // its objects could not be read
		}
		rejected = append(rejected, Reject(candidateOf(c), &model.Fault{Stage: stage, Reason: c.Reason, Detail: c.Detail}))
	}
	if len(eligible) == 0 {
		return model.Plan{}, nil, rejected, nil
	}
	source := eligible[0].Record.Source
	repo, err := shop.Repository(ctx, source)
	if err != nil {
		return model.Plan{}, nil, nil, err
	}
	b, err := newBases(ctx, shop, cfg, repo, source, eligible)
	if err != nil {
		return model.Plan{}, nil, nil, err
	}
	var hosted []model.Change
	for _, c := range eligible {
		if err := base.Hosts(c, b.commit, repo); err != nil {
			rejected = append(rejected, Reject(candidateOf(c), err))
			continue
		}
		hosted = append(hosted, c)
	}
	p := model.Plan{Repo: eligible[0].Repo}
	var planned []Planned
	drawn := draw(hosted, cfg.Sample)
	for _, c := range hosted {
		drawn[c.ID] = drawn[c.ID] && cfg.wants(c.Family)
	}
	languages, groups := byLanguage(hosted)
	for _, l := range languages {
		slots, assigned, err := b.plan(ctx, p.Repo, l, groups[l])
		if err != nil {
			return p, nil, nil, fmt.Errorf("plan bases of %s: %w", p.Repo, err)
		}
		p.Slots = append(p.Slots, slots...)
		for i, c := range groups[l] {
			planned = append(planned, Planned{Slot: assigned[i].slot, Next: assigned[i].next, Change: c, Sampled: drawn[c.ID]})
		}
	}
	return p, planned, rejected, nil
}

// candidateOf is a change that has no base yet.
func candidateOf(c model.Change) model.Candidate {
	return model.Candidate{ID: c.ID, Change: c, Method: base.MethodChange, Family: c.Family}
}

// draw picks n changes by the hash of their id; 0 picks all.
func draw(changes []model.Change, n int) map[string]bool {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	slices.SortFunc(ids, func(a, b string) int {
		return strings.Compare(string(model.Sum([]byte(a))), string(model.Sum([]byte(b))))
	})
	if n > 0 && n < len(ids) {
		ids = ids[:n]
	}
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// BaseRevision resolves the base of a repository: the declared revision, else the newest commit
// of the default branch.
func BaseRevision(ctx context.Context, repo *gitio.Repository, declared string) (model.Hash, string, error) {
	if declared != "" {
		h, err := repo.Resolve(declared)
		if err != nil {
			return "", "", fmt.Errorf("--base %s: %w", declared, err)
		}
		return h, base.Declared, nil
	}
	_, h, _, err := repo.DefaultBranch()
	if err != nil {
		return "", "", err
	}
	return h, base.Default, nil
}

// Reject makes the terminal row of a candidate from its fault. Any other error is the world's:
// a row whose reason says infrastructure, taken up again by the next build.
func Reject(c model.Candidate, err error) model.Rejection {
	r := model.Rejection{
		Repo: c.Change.Repo, BaseCommit: baseCommit(c.BaseKey), Method: c.Method, Family: c.Change.Family,
		Language: c.Change.Language, Candidate: c.ID, Stage: model.StageLifecycle, Reason: model.Infrastructure,
		Infrastructure: true,
	}
	r.SourceCommit = string(c.Change.Record.MergeCommit)
	if n := c.Change.Record.Number; n > 0 {
		r.SourcePR = &n
	}
	if at := c.Change.MergedAt; !at.IsZero() {
		at = at.UTC()
		r.SourceMergedAt = &at
	}
	var f *model.Fault
	if errors.As(err, &f) {
		r.Stage, r.Reason, r.Detail = f.Stage, f.Reason, f.Detail
		r.Infrastructure = f.Reason == model.Infrastructure
		return r
	}
	if gitio.Damaged(err) {
		r.Stage = model.StageIngest
	}
	r.Detail = gitio.Explain(err)
	return r
}

// faultOf is the fault of an element in an error; nil where the error is the world's.
func faultOf(err error) *model.Fault {
	var f *model.Fault
	errors.As(err, &f)
	return f
}

func baseCommit(key string) string {
	_, rest, ok := strings.Cut(key, "@")
	if !ok {
		return ""
	}
	commit, _, _ := strings.Cut(rest, "#")
	return commit
}

// Constructible counts the drawn changes of a slot that come as far as a run, by "level mapping",
// and why the others do not, by "stage reason". It looks at git objects only.
func (cfg Config) Constructible(ctx context.Context, shop *execute.Shop, slot model.Slot, planned []Planned) (byMapping, faults map[string]int, err error) {
	repo, err := shop.Repository(ctx, slot.Source)
	if err != nil {
		return nil, nil, err
	}
	h, err := shop.Tree(ctx, repo, slot.Commit)
	if err != nil {
		return nil, nil, err
	}
	l, ok := lang.ByName(execute.Languages(), slot.Language)
	if !ok {
		return nil, nil, fmt.Errorf("unknown language %q", slot.Language)
	}
	var own []Planned
	for _, p := range planned {
		if p.Sampled && SlotKey(p.Slot) == SlotKey(slot) {
			own = append(own, p)
		}
	}
	type one struct{ mapping, fault string }
	byMapping, faults = map[string]int{}, map[string]int{}
	err = execute.Each(ctx, cfg.Execute.Jobs, slices.Values(own), func(ctx context.Context, p Planned) one {
		w, err := newWork(ctx, shop, l, cfg.ladder(), p.Change, slot.Commit, h)
		if err != nil {
			r := Reject(model.Candidate{Change: p.Change}, err)
			return one{fault: string(r.Stage) + " " + string(r.Reason)}
		}
		return one{mapping: fmt.Sprintf("%d %s", w.draft.Level, w.draft.Mapping)}
	}, func(o one) {
		if o.fault != "" {
			faults[o.fault]++
			return
		}
		byMapping[o.mapping]++
	})
	return byMapping, faults, err
}
