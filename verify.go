package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/pipelines/verify"
)

func runVerify(ctx context.Context, c *call) error {
	var tasks list
	var box sandboxFlags
	var run runnerFlags
	var repeat, sample int
	var out string
	c.flags.Var(&tasks, "task", "only this `task`; may be given several times")
	c.flags.IntVar(&repeat, "repeat", 3, "complete runs of each state")
	c.flags.IntVar(&sample, "sample", 0, "draw N tasks by hash")
	c.flags.StringVar(&out, "out", "", "`folder` of the table of drifts (default: in the work folder)")
	box.register(c.flags)
	run.register(c.flags)
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) != 1 {
		return usagef("want one corpus folder: taskmill verify CORPUS")
	}
	if repeat < 1 {
		return usagef("--repeat %d: want 1 or more", repeat)
	}
	if sample < 0 {
		return usagef("--sample %d: want 0 (all) or more", sample)
	}
	if err := run.adopt(c.flags); err != nil {
		return err
	}
	corpus, err := execute.ReadCorpus(ctx, c.args[0])
	if err != nil {
		return err
	}
	cfg := verify.Config{Repeat: repeat, Version: version()}
	if cfg.Tasks, err = chosen(corpus, tasks, sample); err != nil {
		return err
	}
	if cfg.Execute, err = box.settings(ctx); err != nil {
		return err
	}
	if cfg.Corpus, err = absolute("corpus", c.args[0]); err != nil {
		return err
	}
	cfg.Execute.Trees = cfg.Corpus
	if out == "" {
		out = filepath.Join(cfg.Execute.Cache, "verify", cfg.Hash()[:16])
	}
	if cfg.Out, err = absolute("--out", out); err != nil {
		return err
	}
	release, err := parquetio.CheckOut(ctx, cfg.Out, model.Hash(cfg.Hash()))
	if err != nil {
		return err
	}
	defer release()
	start := time.Now()
	stop := showProgress(c.err)
	err = run.launch(ctx, c.err, func(s beam.Scope) { verify.Build(s, cfg) })
	stop()
	if err != nil {
		return err
	}
	if _, err := parquetio.Commit(ctx, cfg.Out, model.Hash(cfg.Hash()), cfg.Version); err != nil {
		return err
	}
	return reportDrift(ctx, c, cfg, time.Since(start))
}

// chosen lists the tasks to verify: the named ones, or a sample drawn by hash, or all.
func chosen(corpus *execute.Corpus, named list, sample int) ([]string, error) {
	if len(corpus.Tasks) == 0 {
		return nil, errors.New("the corpus has no task to verify")
	}
	if len(named) > 0 {
		for _, id := range named {
			if _, err := corpus.Task(id); err != nil {
				return nil, err
			}
		}
		slices.Sort(named)
		return slices.Compact(named), nil
	}
	ids := make([]string, len(corpus.Tasks))
	for i, t := range corpus.Tasks {
		ids[i] = t.InstanceID
	}
	slices.SortFunc(ids, func(a, b string) int {
		return strings.Compare(string(model.Sum([]byte(a))), string(model.Sum([]byte(b))))
	})
	if sample > 0 && sample < len(ids) {
		ids = ids[:sample]
	}
	slices.Sort(ids)
	return ids, nil
}

func reportDrift(ctx context.Context, c *call, cfg verify.Config, took time.Duration) error {
	drifting, infrastructure, n := map[string]bool{}, 0, 0
	for d, err := range parquetio.ReadTable[model.Drift](ctx, cfg.Out, "drifts") {
		if err != nil {
			return err
		}
		n++
		fmt.Fprintln(c.out, printable(verify.Line(d)))
		if d.Cause == "infrastructure" {
			infrastructure++
			continue
		}
		drifting[d.InstanceID] = true
	}
	fmt.Fprintf(c.out, "%s verified %d times: %d drift (%s)\n", many(len(cfg.Tasks), "task"), cfg.Repeat, len(drifting), took.Round(100*time.Millisecond))
	switch {
	case len(drifting) > 0:
		return fmt.Errorf("%d of %d tasks drift: see the lines above and the table in %s", len(drifting), len(cfg.Tasks), cfg.Out)
	case infrastructure > 0:
		return infrastructureError{fmt.Errorf("%d observations are missing for infrastructure: run the same command again", infrastructure)}
	}
	return nil
}
