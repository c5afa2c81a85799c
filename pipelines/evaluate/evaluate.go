// Package evaluate scores predictions on the tasks of a corpus.
package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
)

func init() {
	beam.RegisterDoFn(&byBaseFn{})
	beam.RegisterDoFn(&scoreFn{})
	register.Iter1[Pair]()
	register.Emitter1[model.Score]()
}

// A Config is all that an evaluation needs to know.
type Config struct {
	Execute     execute.Settings
	Corpus      string
	Predictions []model.Prediction
	Out         string
	Shards      int
	Version     string
}

// Hash is the digest of what is scored: corpus and predictions.
func (c Config) Hash() string {
	return string(model.Digest(struct {
		Corpus      string
		Predictions []model.Prediction
		Sandbox     string
	}{c.Corpus, c.Predictions, c.Execute.Sandbox}))
}

// A Pair is a prediction by reference: its place in Config.Predictions.
type Pair struct {
	Instance string
	Index    int
}

// Build adds the evaluation to s: Pair, grouped by base, becomes Score, a table.
func Build(s beam.Scope, cfg Config) {
	pairs := make([]Pair, len(cfg.Predictions))
	for i, p := range cfg.Predictions {
		pairs[i] = Pair{p.InstanceID, i}
	}
	s = s.Scope("evaluate")
	keyed := beam.ParDo(s, &byBaseFn{cfg}, beam.Reshuffle(s, beam.CreateList(s, pairs)))
	scores := beam.ParDo(s, &scoreFn{cfg}, beam.GroupByKey(s, keyed))
	out := parquetio.Config{Dir: cfg.Out, Shards: 1, Creator: "taskmill"}
	parquetio.Collect(s, out, parquetio.Write[model.Score](s, "scores", out, beam.Reshuffle(s, scores)))
}

type byBaseFn struct{ Config Config }

func (f *byBaseFn) ProcessElement(ctx context.Context, p Pair) (string, Pair, error) {
	corpus, err := f.Config.Execute.Corpus(ctx, f.Config.Corpus)
	if err != nil {
		return "", p, err
	}
	t, err := corpus.Task(p.Instance)
	if err != nil {
		return "", p, err
	}
	return execute.BaseKey(t), p, nil
}

type scoreFn struct{ Config Config }

func (f *scoreFn) ProcessElement(ctx context.Context, _ string, next func(*Pair) bool, emit func(model.Score)) error {
	var pairs []Pair
	var p Pair
	for next(&p) {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return a.Index - b.Index })
	corpus, shop, place, err := f.Config.Execute.PlaceOf(ctx, f.Config.Corpus, pairs[0].Instance)
	if err != nil {
		return err
	}
	defer place.Site.Close()
	bench := &execute.Bench{Ledger: shop.Ledger, Jobs: f.Config.Execute.Jobs}
	type judged struct {
		score model.Score
		err   error
	}
	var fault error
	err = execute.Each(ctx, f.Config.Execute.Jobs, slices.Values(pairs), func(ctx context.Context, p Pair) judged {
		t, err := corpus.Task(p.Instance)
		if err != nil {
			return judged{err: err}
		}
		s, err := Judge(ctx, bench, place, t, f.Config.Predictions[p.Index])
		s.Attempt = int64(attemptOf(f.Config.Predictions, p.Index))
		return judged{s, err}
	}, func(j judged) {
		if j.err != nil {
			fault = j.err
			return
		}
		execute.Progress.Tasks.Add(1)
		emit(j.score)
	})
	if fault != nil {
		return fault
	}
	return err
}

// attemptOf numbers the predictions of one solver for one task, from 1.
func attemptOf(all []model.Prediction, index int) int {
	n := 0
	for _, p := range all[:index+1] {
		if p.InstanceID == all[index].InstanceID && p.Model == all[index].Model {
			n++
		}
	}
	return n
}

// Gold are the gold predictions of tasks, Blank the empty ones.
func Gold(tasks []model.Task) []model.Prediction {
	out := make([]model.Prediction, len(tasks))
	for i, t := range tasks {
		p := t.Patch
		if t.Gold == "test_patch" {
			p = t.TestPatch
		}
		out[i] = model.Prediction{InstanceID: t.InstanceID, Model: "gold", Patch: p}
	}
	return out
}

// Blank are empty predictions.
func Blank(tasks []model.Task) []model.Prediction {
	out := make([]model.Prediction, len(tasks))
	for i, t := range tasks {
		out[i] = model.Prediction{InstanceID: t.InstanceID, Model: "empty"}
	}
	return out
}

// Check reports predictions for tasks that the corpus does not have.
func Check(tasks []model.Task, predictions []model.Prediction) error {
	known := map[string]bool{}
	for _, t := range tasks {
		known[t.InstanceID] = true
	}
	var unknown []string
	for _, p := range predictions {
		if !known[p.InstanceID] {
			unknown = append(unknown, p.InstanceID)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%d of the predictions are for tasks that the corpus does not have, the first for %q", len(unknown), strings.TrimSpace(unknown[0]))
	}
	if len(predictions) == 0 {
		return fmt.Errorf("no prediction to score")
	}
	return nil
}
