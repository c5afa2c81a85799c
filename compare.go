package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/pipelines/evaluate"
	"github.com/taskmill/taskmill/transforms/pairing"
	"github.com/taskmill/taskmill/transforms/summary"
)

func runCompare(ctx context.Context, c *call) error {
	var a, b, pairs string
	var corpora list
	var o pairing.Options
	c.flags.StringVar(&a, "a", "", "`folder` of one evaluation's results, for instance on the original tasks")
	c.flags.StringVar(&b, "b", "", "`folder` of the other's, for instance on the tasks of a corpus")
	c.flags.StringVar(&pairs, "pairs", "", "`file` of pairs, a line each: the id in a, a tab, the id in b; or {\"a\": ID, \"b\": ID}; or same, where both evaluated one corpus")
	c.flags.Var(&corpora, "tasks", "`folder` of a corpus that says the families of the tasks; may be given several times")
	c.flags.BoolVar(&o.AllowUnpaired, "allow-unpaired", false, "leave out tasks, solvers and scores without a counterpart, and count them")
	format := c.flags.String("format", "text", "`form` of the comparison: text (aligned tables) or json (all figures)")
	if err := c.parse(); err != nil {
		return err
	}
	switch {
	case len(c.args) > 0:
		return usagef("unexpected argument %q", c.args[0])
	case a == "" || b == "":
		return usagef("want two evaluations: name the folders with --a and --b")
	case pairs == "":
		return usagef("no pairs: name a file with --pairs, or same where both evaluated one corpus")
	case *format != "text" && *format != "json":
		return usagef("--format %s: want text or json", *format)
	}
	inA, err := readResults(ctx, a, "A")
	if err != nil {
		return err
	}
	inB, err := readResults(ctx, b, "B")
	if err != nil {
		return err
	}
	wanted, err := readPairs(pairs, inA)
	if err != nil {
		return err
	}
	if o.File = pairs; len(corpora) > 0 {
		if o.Families, err = families(ctx, corpora); err != nil {
			return err
		}
	}
	compared, err := pairing.Compare(inA, inB, wanted, o)
	if err != nil {
		return usageError{err}
	}
	if *format == "json" {
		return writeJSON(c.out, compared)
	}
	return writePrintable(c.out, compared.Text)
}

// readResults reads the folder of an evaluation: its scores, and from report.json its tasks.
func readResults(ctx context.Context, dir, name string) (pairing.Results, error) {
	r := pairing.Results{Name: name, Folder: dir}
	m, err := parquetio.ReadManifest(ctx, dir)
	if err != nil {
		return r, err
	}
	if _, ok := m.Tables["scores"]; !ok {
		return r, fmt.Errorf("%s holds no results: its manifest names no table scores: give a folder that taskmill eval wrote", dir)
	}
	err = collectRows(parquetio.ReadColumns[pairing.Score](ctx, dir, "scores"), &r.Scores)
	if errors.Is(err, parquetio.ErrSchema) {
		return r, fmt.Errorf("%w (%s, this is %s): evaluate again or use that version", err, m.Version, version())
	}
	if err != nil {
		return r, err
	}
	store, err := blobio.Open(ctx, dir)
	if err != nil {
		return r, err
	}
	text, err := store.Read(ctx, "report.json")
	if errors.Is(err, blobio.ErrNotFound) {
		return r, fmt.Errorf("%s has no report.json: its evaluation did not finish: run taskmill eval again", dir)
	}
	if err != nil {
		return r, fmt.Errorf("read report.json of %s: %w", dir, err)
	}
	var report evaluate.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return r, fmt.Errorf("read report.json of %s: %w", dir, err)
	}
	r.Tasks = append(report.SubmittedIDs, report.IncompleteIDs...)
	return r, nil
}

// readPairs reads the file of pairs. same pairs the tasks that A scored, each with itself.
func readPairs(name string, a pairing.Results) ([]pairing.Pair, error) {
	if name == "same" {
		ids := map[string]bool{}
		for _, s := range a.Scores {
			ids[s.InstanceID] = true
		}
		return pairing.Same(slices.Sorted(maps.Keys(ids))), nil
	}
	text, err := readRegular(name)
	if err != nil {
		return nil, usagef("read pairs %s: %v", name, unwrapPath(err))
	}
	pairs, err := pairing.Parse(text)
	if err != nil {
		return nil, usagef("read pairs %s: %v", name, err)
	}
	return pairs, nil
}

// families are those of the tasks of corpora, by id; a task without one has its method's name.
func families(ctx context.Context, corpora []string) (map[string]string, error) {
	of := map[string]string{}
	for _, dir := range corpora {
		var tasks []summary.Task
		if err := collectRows(parquetio.ReadColumns[summary.Task](ctx, dir, "tasks"), &tasks); err != nil {
			return nil, fmt.Errorf("--tasks: %w", err)
		}
		for _, t := range tasks {
			if of[t.InstanceID] = t.Family; t.Family == "" {
				of[t.InstanceID] = t.Method
			}
		}
	}
	return of, nil
}
