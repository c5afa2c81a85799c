package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/build"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/evidence"
)

// dryRun prints what a build would do: it reads git objects and runs nothing.
func dryRun(ctx context.Context, c *call, cfg build.Config) error {
	if err := probe(ctx, cfg, c.err); err != nil {
		return err
	}
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		return err
	}
	for _, src := range cfg.Sources {
		found, unread, err := collect(ctx, shop, cfg, src)
		if err != nil {
			return err
		}
		plan, planned, rejected, err := build.Plan(ctx, shop, cfg, found)
		if err != nil {
			return err
		}
		rejected = append(unread, rejected...)
		var eligible []model.Change
		for _, ch := range found {
			if ch.Eligible {
				eligible = append(eligible, ch)
			}
		}
		fmt.Fprintf(c.out, "%s: %s, %d eligible (set %s), plan %s\n", src.Repo, many(len(found)+len(unread)-refused(unread), "change"), len(eligible), evidence.EligibleSetHash(eligible).Short(12), plan.ID().Short(12))
		reasons := map[string]int{}
		for _, r := range rejected {
			reasons[string(r.Stage)+" "+string(r.Reason)]++
		}
		for _, k := range slices.Sorted(maps.Keys(reasons)) {
			fmt.Fprintf(c.out, "  %4d rejected: %s\n", reasons[k], k)
		}
		tellUnread(c.err, rejected)
		if err := tellBase(ctx, c, shop, cfg, src, plan); err != nil {
			return err
		}
		for _, slot := range plan.Slots {
			mapped, faults, err := cfg.Constructible(ctx, shop, slot, planned)
			if err != nil {
				return err
			}
			come := 0
			for _, n := range mapped {
				come += n
			}
			fmt.Fprintf(c.out, "  base %s (%s, %s, %s): %s, %d covered, %d drawn, %d come as far as a run\n", slot.Commit.Short(12), slot.Kind, slot.Why, slot.Language, many(len(slot.Changes), "change"), slot.Covers, drawnIn(planned, slot), come)
			for _, k := range slices.Sorted(maps.Keys(mapped)) {
				fmt.Fprintf(c.out, "  %4d by level %s\n", mapped[k], k)
			}
			for _, k := range slices.Sorted(maps.Keys(faults)) {
				fmt.Fprintf(c.out, "  %4d would end: %s\n", faults[k], k)
			}
			tellOwn(c.out, cfg, come, faults)
		}
	}
	fmt.Fprintln(c.out, "nothing was run")
	return nil
}

// refused counts the rejections of what is no change.
func refused(rejected []model.Rejection) int {
	n := 0
	for _, r := range rejected {
		n += btoi(r.NoChange())
	}
	return n
}

// tellBase names the base that no change stands on, where the plan has no slot.
func tellBase(ctx context.Context, c *call, shop *execute.Shop, cfg build.Config, src model.Source, plan model.Plan) error {
	if len(plan.Slots) > 0 {
		return nil
	}
	repo, err := shop.Repository(ctx, src)
	if err != nil {
		return err
	}
	commit, kind, err := build.BaseRevision(ctx, repo, cfg.Base)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "  base %s (%s): no change\n", commit.Short(12), kind)
	return nil
}

func drawnIn(planned []build.Planned, slot model.Slot) int {
	n := 0
	for _, p := range planned {
		if p.Sampled && build.SlotKey(p.Slot) == build.SlotKey(slot) {
			n++
		}
	}
	return n
}

// collect reads the records of a source and their evidence; unread are those that reading rejects.
func collect(ctx context.Context, shop *execute.Shop, cfg build.Config, src model.Source) (out []model.Change, unread []model.Rejection, err error) {
	var records []model.Record
	err = cfg.Reading().Records(ctx, shop, src, func(r model.Record) error { records = append(records, r); return nil },
		func(r model.Rejection) { unread = append(unread, r) })
	if err != nil {
		return nil, nil, err
	}
	type one struct {
		change model.Change
		err    error
	}
	var faults []error
	err = execute.Each(ctx, cfg.Execute.Jobs, slices.Values(records), func(ctx context.Context, r model.Record) one {
		ch, err := build.Evidence(ctx, shop, r)
		return one{ch, err}
	}, func(o one) {
		if o.err != nil {
			faults = append(faults, o.err)
			return
		}
		out = append(out, o.change)
	})
	return out, unread, errors.Join(append(faults, err)...)
}
