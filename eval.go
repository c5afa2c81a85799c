package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/evaluate"
	"github.com/taskmill/taskmill/pipelines/execute"
)

func runEval(ctx context.Context, c *call) error {
	var corpusDir, predictions, out string
	var box sandboxFlags
	var run runnerFlags
	c.flags.StringVar(&corpusDir, "tasks", "", "`folder` of the corpus")
	c.flags.StringVar(&predictions, "predictions", "", "`file` in one of SWE-bench's forms (JSON list, object by instance id, JSON lines), or gold, or empty")
	c.flags.StringVar(&out, "out", "", "`folder` of the results: scores/ and report.json")
	box.register(c.flags)
	run.register(c.flags)
	if err := c.parse(); err != nil {
		return err
	}
	switch {
	case len(c.args) > 0:
		return usagef("unexpected argument %q", c.args[0])
	case corpusDir == "":
		return usagef("no corpus: name one with --tasks")
	case predictions == "":
		return usagef("no predictions: name a file, gold or empty with --predictions")
	case out == "":
		return usagef("no output folder: name one with --out")
	}
	if err := run.adopt(c.flags); err != nil {
		return err
	}
	corpus, err := execute.ReadCorpus(ctx, corpusDir)
	if err != nil {
		return err
	}
	wanted, err := readPredictions(corpus.Tasks, predictions)
	if err != nil {
		return err
	}
	cfg := evaluate.Config{Predictions: wanted, Shards: run.shards, Version: version()}
	if cfg.Execute, err = box.settings(ctx); err != nil {
		return err
	}
	if cfg.Corpus, err = absolute("--tasks", corpusDir); err != nil {
		return err
	}
	if cfg.Out, err = absolute("--out", out); err != nil {
		return err
	}
	cfg.Execute.Trees = cfg.Corpus
	if err := parquetio.CheckOut(ctx, cfg.Out, model.Hash(cfg.Hash())); err != nil {
		return err
	}
	start := time.Now()
	stop := showProgress(c.err)
	err = run.launch(ctx, c.err, func(s beam.Scope) { evaluate.Build(s, cfg) })
	stop()
	if err != nil {
		return err
	}
	if _, err := parquetio.Commit(ctx, cfg.Out, model.Hash(cfg.Hash()), cfg.Version); err != nil {
		return err
	}
	return reportScores(ctx, c, corpus.Tasks, cfg.Out, time.Since(start))
}

func readPredictions(tasks []model.Task, name string) ([]model.Prediction, error) {
	var wanted []model.Prediction
	switch name {
	case "gold":
		wanted = evaluate.Gold(tasks)
	case "empty":
		wanted = evaluate.Blank(tasks)
	default:
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, usagef("read predictions %s: %v", name, unwrapPath(err))
		}
		if wanted, err = evaluate.ParsePredictions(text); err != nil {
			return nil, usagef("read predictions %s: %v", name, err)
		}
	}
	if len(tasks) == 0 {
		return nil, errors.New("the corpus has no task to score: its table rejections says why of each change")
	}
	if err := evaluate.Check(tasks, wanted); err != nil {
		return nil, usagef("predictions %s: %v", name, err)
	}
	return wanted, nil
}

// reportScores writes report.json and prints a line of totals.
func reportScores(ctx context.Context, c *call, tasks []model.Task, out string, took time.Duration) error {
	var scores []model.Score
	for s, err := range parquetio.ReadTable[model.Score](ctx, out, "scores") {
		if err != nil {
			return err
		}
		scores = append(scores, s)
	}
	r := evaluate.MakeReport(tasks, scores)
	text, err := json.MarshalIndent(r, "", "    ")
	if err != nil {
		return err
	}
	store, err := blobio.Open(ctx, out)
	if err != nil {
		return err
	}
	if err := store.Write(ctx, "report.json", append(text, '\n')); err != nil {
		return fmt.Errorf("write report.json: %w", err)
	}
	outcomes := map[string]int{}
	infrastructure := 0
	for _, s := range scores {
		outcomes[s.Outcome]++
		if s.Outcome == evaluate.Infrastructure {
			infrastructure++
		}
	}
	fmt.Fprintf(c.out, "%s, %s: %d resolved, %d unresolved, %d empty, %d with errors (%s)\n",
		many(r.Total, "task"), many(len(scores), "prediction"), r.Resolved, r.Unresolved, r.EmptyPatch, r.Errors, took.Round(100*time.Millisecond))
	for _, s := range scores {
		if s.Outcome == evaluate.Forged || s.ProtectedTouched {
			fmt.Fprintf(c.err, "%s (%s): %s, protected paths touched: %v\n", s.InstanceID, s.Solver, s.Outcome, s.ProtectedTouched)
		}
	}
	if infrastructure > 0 {
		return infrastructureError{fmt.Errorf("%d predictions have no verdict for infrastructure: run the same command again", infrastructure)}
	}
	return nil
}

// unwrapPath drops the operation and path that the caller names anyway.
func unwrapPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
