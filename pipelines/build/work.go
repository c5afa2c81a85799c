package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/pipelines/ingest"
	"github.com/taskmill/taskmill/transforms/construct"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/patch"
	"github.com/taskmill/taskmill/transforms/tree"
)

// A work is a candidate as far as it comes without a run: what it is constructed from, and its
// targets on H. draft is the change undone by one mapping.
type work struct {
	construct.Input
	checks      patch.Patch
	targets     []model.Surface
	targetUnits []string
	nearby      []string
	draft       construct.Draft
}

// readWork reads a change's patches, the trees around it, and where its files went on the way to
// the base, whose tree is h.
func readWork(ctx context.Context, shop *execute.Shop, l lang.Language, c model.Change, base model.Hash, h *tree.Tree) (*work, error) {
	w := &work{Input: construct.Input{Change: c, H: h}}
	for _, p := range []struct {
		hash model.Hash
		into *patch.Patch
	}{{c.SourcePatch, &w.Source}, {c.DocsPatch, &w.Docs}, {c.CheckPatch, &w.checks}} {
		if err := readPatch(ctx, shop.Store, p.hash, p.into); err != nil {
			return w, err
		}
	}
	repo, err := shop.Repository(ctx, c.Record.Source)
	if err != nil {
		return w, err
	}
	if w.Before, w.After, err = ingest.Trees(ctx, shop, repo, c.Record); err != nil {
		return w, err
	}
	paths := w.Source.Paths()
	for _, s := range c.Touched {
		paths = append(paths, s.Path)
	}
	slices.Sort(paths)
	w.Moves, err = moves(ctx, repo, c, base, slices.Compact(paths))
	return w, err
}

// aim finds the targets on H and the units that the candidate rests on.
func (w *work) aim(l lang.Language) error {
	var err error
	if w.targets, err = construct.Targets(w.Change, w.Moves, w.H, l); err != nil {
		return err
	}
	w.targetUnits, w.nearby, err = construct.Units(w.targets, w.Change, w.H, l)
	return err
}

// units are those of H that the candidate rests on, sorted.
func (w *work) units() []string {
	return slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(w.targetUnits), w.nearby...))))
}

// newWork takes a change as far as it comes without a run: undone on h by the first mapping of
// the ladder that succeeds. The error is a *model.Fault when the change ends here: that of the
// ladder's first mapping.
func newWork(ctx context.Context, shop *execute.Shop, l lang.Language, ladder []construct.Mapping, c model.Change, base model.Hash, h *tree.Tree) (*work, error) {
	w, err := readWork(ctx, shop, l, c, base, h)
	if err != nil {
		return w, err
	}
	var first error
	for _, m := range ladder {
		if w.draft, err = construct.Undo(m, w.Input, l); err == nil {
			return w, w.aim(l)
		}
		if !escalates(err) {
			return w, err
		}
		if first == nil {
			first = err
		}
	}
	return w, first
}

// escalates reports whether another mapping may do what one did not: the fault is neither the
// world's nor one that lies in the change, its checks or the base.
func escalates(err error) bool {
	f := faultOf(err)
	return f != nil && slices.Contains(ofMapping, f.Reason)
}

// ofMapping are the reasons that another place or another part of the change may not have, ours.
var ofMapping = []model.Reason{
	model.DoesNotReverse, model.AmbiguousBlock, model.NoParse, model.NoBuild, model.OutOfScope, model.TestsEntangled,
	model.ConditionUnmet, model.BuildErrorOnly, model.TargetTimeout, model.RegressionBroken, model.NotRestored,
	model.Collapse, model.Inflation, model.LowFidelity, model.Leak,
}

// ladder is the configuration's mappings, in order.
func (cfg Config) ladder() []construct.Mapping {
	var out []construct.Mapping
	for _, m := range construct.Mappings {
		if slices.Contains(strings.Split(cfg.Levels, ","), fmt.Sprint(m.Level)) && (m.Strict || cfg.Mapping != MappingStrict) {
			out = append(out, m)
		}
	}
	return out
}

func readPatch(ctx context.Context, store blobio.Store, h model.Hash, into *patch.Patch) error {
	if h == "" {
		return nil
	}
	text, err := store.Get(ctx, h)
	if err != nil {
		return fmt.Errorf("read patch %s: %w", h.Short(12), err)
	}
	*into, err = patch.Parse(text)
	return err
}
