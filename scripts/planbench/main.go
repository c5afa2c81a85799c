// Command planbench measures how long the plan of bases takes: every eligible change of a history
// against 40 commits of its default branch, from git objects alone. It prints the ratio to
// `git apply --reverse --check` of the same changes on as many commits, which is asked for a sample
// of the cells and scaled, and what the stages before and after the plan take.
//
//	go run ./scripts/planbench [-limit N] [-jobs N] [-construct] [-cpuprofile FILE] REPOSITORY
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/taskmill/taskmill/io/gitio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/base"
)

// sampled is one in how many cells git is asked.
const sampled = 50

func main() {
	limit := flag.Int("limit", 0, "only the newest `N` changes")
	jobs := flag.Int("jobs", 2, "`N` changes at the same time")
	age := flag.Int("base-age", 3650, "`days` that a base may be older than the newest commit")
	construct := flag.Bool("construct", false, "construct every change on its base too, as a dry run does")
	profile := flag.String("cpuprofile", "", "write a CPU profile to `FILE`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *limit, *jobs, *age, *construct, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "planbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, limit, jobs, age int, construct bool, profile string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one repository")
	}
	repo, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "planbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	src := model.Source{Repo: "bench/plan", Location: repo}
	cfg := build.Config{
		Execute: execute.Settings{Work: dir, Cache: dir, Sandbox: "local", Jobs: jobs}, Sources: []model.Source{src},
		Bases: build.BasesAuto, MinTasksPerBase: base.DefaultMinTasks, BaseAge: age, Levels: "1,2", Mapping: build.MappingFull, Limit: limit,
	}
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		return err
	}
	begin := time.Now()
	found, err := changes(ctx, shop, cfg, src)
	if err != nil {
		return err
	}
	eligible := slices.DeleteFunc(slices.Clone(found), func(c model.Change) bool { return !c.Eligible })
	fmt.Printf("%s: %d changes, %d eligible\n  records and evidence %.1f s\n", repo, len(found), len(eligible), time.Since(begin).Seconds())
	begin = time.Now()
	plan, planned, _, err := build.Plan(ctx, shop, cfg, found)
	if err != nil {
		return err
	}
	ours := time.Since(begin)
	covered := 0
	for _, s := range plan.Slots {
		covered += s.Covers
	}
	fmt.Printf("  plan                 %.1f s: %d bases cover %d\n", ours.Seconds(), len(plan.Slots), covered)
	theirs, asked, err := gitCells(ctx, shop, repo, dir, eligible, base.MaxPoints)
	if err != nil {
		return err
	}
	fmt.Printf("  git apply --check    %.1f s for %d changes on %d commits (%d cells asked, scaled): ratio %.3f\n",
		theirs.Seconds(), len(eligible), base.MaxPoints, asked, ours.Seconds()/theirs.Seconds())
	if !construct {
		return nil
	}
	begin = time.Now()
	come := 0
	for _, slot := range plan.Slots {
		mapped, _, err := cfg.Constructible(ctx, shop, slot, planned)
		if err != nil {
			return err
		}
		for _, n := range mapped {
			come += n
		}
	}
	fmt.Printf("  construct all        %.1f s: %d of %d come as far as a run\n", time.Since(begin).Seconds(), come, len(eligible))
	return nil
}

// changes reads the records of a source and their evidence.
func changes(ctx context.Context, shop *execute.Shop, cfg build.Config, src model.Source) ([]model.Change, error) {
	var records []model.Record
	err := cfg.Reading().Records(ctx, shop, src, func(r model.Record) error { records = append(records, r); return nil }, func(model.Rejection) {})
	if err != nil {
		return nil, err
	}
	var out []model.Change
	var fault error
	err = execute.Each(ctx, cfg.Execute.Jobs, slices.Values(records), func(ctx context.Context, r model.Record) model.Change {
		c, err := build.Evidence(ctx, shop, r)
		if err != nil {
			c.Detail = gitio.Explain(err)
		}
		return c
	}, func(c model.Change) { out = append(out, c) })
	if err != nil {
		fault = err
	}
	return out, fault
}
