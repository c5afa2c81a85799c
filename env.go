package main

import (
	"context"
	"fmt"
	"time"

	"github.com/taskmill/taskmill/pipelines/build"
)

func runEnv(ctx context.Context, c *call) error {
	var source sourceFlags
	var box sandboxFlags
	source.register(c)
	box.register(c.flags)
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) > 0 {
		return usagef("unexpected argument %q", c.args[0])
	}
	sources, err := source.sources()
	if err != nil {
		return err
	}
	cfg := build.Config{Sources: sources, Bases: build.BasesNewest, MinTasksPerBase: 1, Levels: "1", Mapping: build.MappingFull, Base: source.base, Out: "-", Repeats: 1, BaseRepeats: 1, OutputShards: 1}
	if cfg.Execute, err = box.settings(ctx); err != nil {
		return err
	}
	if err := named(ctx, cfg.Execute, cfg.Sources); err != nil {
		return err
	}
	if err := cfg.Validate(); err != nil {
		return usageError{err}
	}
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		return err
	}
	unhealthy := 0
	for _, src := range sources {
		start := time.Now()
		row, err := build.Environment(ctx, shop, cfg, src)
		if row.BaseCommit == "" && err != nil {
			return err
		}
		fmt.Fprintf(c.out, "%s %s (%s, %s)\n", row.Repo, row.BaseCommit, row.BaseKind, row.Language)
		for _, s := range row.Steps {
			fmt.Fprintf(c.out, "  %-12s %s\n", s.Step, printable(s.Outcome))
		}
		if err != nil {
			unhealthy++
			continue
		}
		fmt.Fprintf(c.out, "  recipe %s, lock %s, %.1f s to prepare, %d bytes; healthy (%s)\n", row.RecipeHash[:12], row.LockHash[:12], row.PrepareSeconds, row.Bytes, time.Since(start).Round(100*time.Millisecond))
	}
	if unhealthy > 0 {
		return fmt.Errorf("%d of %d bases are not healthy: see the steps above", unhealthy, len(sources))
	}
	return nil
}
