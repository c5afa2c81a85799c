package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	release, err := parquetio.CheckOut(ctx, cfg.Out, model.Hash(cfg.Hash()))
	if err != nil {
		return err
	}
	defer release()
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
	return reportScores(ctx, c, corpus.Tasks, cfg, time.Since(start))
}

func readPredictions(tasks []model.Task, name string) ([]model.Prediction, error) {
	var wanted []model.Prediction
	switch name {
	case "gold":
		wanted = evaluate.Gold(tasks)
	case "empty":
		wanted = evaluate.Blank(tasks)
	default:
		text, err := readRegular(name)
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

// reportScores writes report.json and prints a line of totals, then what there is to say of
// single predictions.
func reportScores(ctx context.Context, c *call, tasks []model.Task, cfg evaluate.Config, took time.Duration) error {
	var scores []model.Score
	for s, err := range parquetio.ReadTable[model.Score](ctx, cfg.Out, "scores") {
		if err != nil {
			return err
		}
		scores = append(scores, s)
	}
	first, several := evaluate.First(cfg.Predictions, scores)
	r := evaluate.MakeReport(tasks, first)
	text, err := json.MarshalIndent(r, "", "    ")
	if err != nil {
		return err
	}
	store, err := blobio.Open(ctx, cfg.Out)
	if err != nil {
		return err
	}
	if err := store.Write(ctx, "report.json", append(text, '\n')); err != nil {
		return fmt.Errorf("write report.json: %w", err)
	}
	fmt.Fprintf(c.out, "%s, %s: %d resolved, %d unresolved, %d empty, %d with errors (%s)\n",
		many(r.Total, "task"), many(len(scores), "prediction"), r.Resolved, r.Unresolved, r.EmptyPatch, r.Errors, took.Round(100*time.Millisecond))
	tellScores(c.err, scores)
	if several > 0 {
		fmt.Fprintf(c.err, "note: %s with several predictions: report.json and the line of totals count the first of each in the file, the table scores has all\n", many(several, "task"))
	}
	infrastructure := 0
	for _, s := range scores {
		infrastructure += btoi(s.Outcome == evaluate.Infrastructure)
	}
	if infrastructure > 0 {
		return infrastructureError{fmt.Errorf("%s without a verdict for infrastructure: run the same command again", many(infrastructure, "prediction"))}
	}
	return nil
}

// maxTold bounds the lines about single predictions.
const maxTold = 20

// tellScores prints a line for each prediction that has a detail: why it is invalid or forged,
// what ended its tests, or which protected paths it wrote.
func tellScores(w io.Writer, scores []model.Score) {
	n := 0
	for _, s := range scores {
		if s.Detail == "" {
			continue
		}
		if n++; n <= maxTold {
			fmt.Fprintln(w, printable(fmt.Sprintf("%s (%s): %s: %s", s.InstanceID, s.Solver, s.Outcome, s.Detail)))
		}
	}
	if n > maxTold {
		fmt.Fprintf(w, "and %d more: the column detail of the table scores has them\n", n-maxTold)
	}
}

// unwrapPath drops the operation and path that the caller names anyway.
func unwrapPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
