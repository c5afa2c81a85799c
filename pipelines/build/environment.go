package build

import (
	"context"
	"fmt"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/tree"
)

// Environment resolves, prepares and checks the base of one source without any change: the
// whole suite runs once, and at least half of its checks hold.
func Environment(ctx context.Context, shop *execute.Shop, cfg Config, src model.Source) (model.BaseRow, error) {
	repo, err := shop.Repository(ctx, src)
	if err != nil {
		return model.BaseRow{}, err
	}
	commit, kind, err := BaseRevision(ctx, repo, cfg.Base)
	if err != nil {
		return model.BaseRow{}, err
	}
	h, err := shop.Tree(ctx, repo, commit)
	if err != nil {
		return model.BaseRow{}, err
	}
	l, err := lang.Detect(execute.Languages(), h)
	if err != nil {
		return model.BaseRow{}, fmt.Errorf("%s at %s: %w", src.Repo, commit.Short(12), err)
	}
	slot := model.Slot{Repo: src.Repo, Source: src, Language: l.Name(), Kind: kind, Commit: commit}
	p, err := cfg.prepareBase(ctx, shop, slot, commit, nil, true)
	if err != nil {
		return p.row, err
	}
	site := shop.Site(p.base, l)
	defer site.Close()
	runs := lifecycle.BaseRuns(allUnits(l, h), with(site.Template, h.Hash()), 1, 1, false)
	seen, err := observeBase(ctx, shop, site, h, runs)
	if err != nil {
		return p.row, err
	}
	health := lifecycle.Stability(observed(seen))
	outcome := fmt.Sprintf("%d of %d checks hold in %d units", health.Holding, health.Total, len(runs))
	p.row.Steps = append(p.row.Steps, model.StepRow{Step: "suite", Outcome: outcome})
	if !health.Healthy {
		outcome += "; " + trouble(observed(seen))
		p.row.Steps[len(p.row.Steps)-1].Outcome = outcome
		return p.row, &model.Fault{Stage: model.StageBase, Reason: model.BaseUnhealthy, Detail: outcome}
	}
	return p.row, nil
}

// allUnits lists the units of a tree, sorted.
func allUnits(l lang.Language, t *tree.Tree) []string {
	units := map[string]bool{}
	for _, p := range t.Paths() {
		if l.Kind(p) == model.CheckFile {
			if u, ok := l.Unit(t, p); ok {
				units[u] = true
			}
		}
	}
	return sortedKeys(units)
}

func observed(seen []execute.Observed) []model.Observation {
	out := make([]model.Observation, len(seen))
	for i, o := range seen {
		out[i] = o.Observation
	}
	return out
}
