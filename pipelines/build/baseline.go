package build

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
)

func init() {
	beam.RegisterDoFn(&taskByRepoFn{})
	beam.RegisterDoFn(&baseByRepoFn{})
	beam.RegisterDoFn(&baselineFn{})
	register.Iter1[baselined]()
}

// A baselined is a task whose own environment may be measured.
type baselined struct{ ID, Base string }

// baselines measures what environments would take without reuse: of each repository, tasks drawn
// by hash prepare one each. It gives Cost of the condition per_task.
func baselines(s beam.Scope, cfg Config, tasks, bases beam.PCollection) beam.PCollection {
	s = s.Scope("baseline")
	return beam.ParDo(s, &baselineFn{cfg}, beam.CoGroupByKey(s, beam.ParDo(s, &taskByRepoFn{}, tasks), beam.ParDo(s, &baseByRepoFn{}, bases)))
}

type taskByRepoFn struct{}

func (taskByRepoFn) ProcessElement(t model.Task, emit func(string, baselined)) {
	if t.Family != model.FamilyTests && t.BaseKind != base.Historical { // these have an environment of their own
		emit(t.Repo, baselined{t.InstanceID, baseKey(t.Repo, t.BaseCommit, t.RecipeHash)})
	}
}

type baseByRepoFn struct{}

func (baseByRepoFn) ProcessElement(b model.BaseRow) (string, model.BaseRow) { return b.Repo, b }

type baselineFn struct{ Config Config }

func (f *baselineFn) ProcessElement(ctx context.Context, repo string, tasks func(*baselined) bool, bases func(*model.BaseRow) bool, emit func(model.Cost)) error {
	byKey := map[string]model.BaseRow{}
	for b := range values(bases) {
		byKey[baseKey(b.Repo, b.BaseCommit, b.RecipeHash)] = b
	}
	drawn := slices.SortedFunc(values(tasks), func(a, b baselined) int {
		return strings.Compare(string(model.Sum([]byte(a.ID))), string(model.Sum([]byte(b.ID))))
	})
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	for _, t := range drawn[:min(len(drawn), f.Config.MeasureBaseline)] { // one after the other: seconds count
		cost, err := measured(ctx, shop, t.ID, byKey[t.Base])
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			slog.Warn(fmt.Sprintf("the own environment of task %s is not measured: %v", t.ID, err))
			continue
		}
		emit(cost)
	}
	return nil
}

// measured is the cost of one task's own environment, measured once.
func measured(ctx context.Context, shop *execute.Shop, id string, row model.BaseRow) (model.Cost, error) {
	cost := model.Cost{Scope: "task", Key: id, Condition: "per_task"}
	key := model.Digest([]string{id, row.TreeHash, row.RecipeHash, row.LockHash, shop.Settings.Sandbox})
	text, ok, err := shop.Ledger.Value(ctx, "baseline", key)
	if err != nil {
		return cost, err
	}
	if ok {
		return cost, json.Unmarshal(text, &cost)
	}
	b := model.Base{Repo: row.Repo, Commit: model.Hash(row.BaseCommit), Tree: model.Hash(row.TreeHash), Archive: model.Hash(row.TreeBlob), Language: row.Language}
	if err := json.Unmarshal([]byte(row.Recipe), &b.Recipe); err != nil {
		return cost, fmt.Errorf("read recipe of base %s: %w", row.BaseCommit, err)
	}
	facts, err := shop.Alone(ctx, b)
	if err != nil {
		return cost, err
	}
	cost.Seconds, cost.Bytes = facts.Seconds, facts.Bytes
	if text, err = json.Marshal(cost); err != nil {
		return cost, fmt.Errorf("encode cost of %s: %w", id, err)
	}
	return cost, shop.Ledger.StoreValue(ctx, "baseline", key, text)
}
