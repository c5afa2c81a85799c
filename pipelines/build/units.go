package build

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/lifecycle"
	"github.com/taskmill/taskmill/transforms/tree"
)

func init() {
	beam.RegisterDoFn(&needFn{})
	beam.RegisterDoFn(&unitsFn{})
	register.Emitter2[string, Need]()
	register.Emitter2[string, model.Candidate]()
	register.Emitter2[string, int]()
	register.Emitter2[string, model.UnstableCheck]()
	register.Iter1[model.UnstableCheck]()
	register.Iter1[Need]()
}

// A Need is a unit of H that a candidate rests on, or none (an empty Unit), so that each group
// of candidates waits for its base.
type Need struct {
	Base model.Hash // blob of the Base
	Unit string
}

// units runs H's units, each once, a stage of its own: Candidate becomes KV<group, Candidate>
// and KV<group, done>, where a group is a base and a shard of its candidates.
func units(s beam.Scope, cfg Config, candidates beam.PCollection) (grouped, done, runs, unstable beam.PCollection) {
	s = s.Scope("units")
	needs, grouped := beam.ParDo2(s, &needFn{cfg}, beam.Reshuffle(s, candidates))
	done, runs, unstable = beam.ParDo3(s, &unitsFn{cfg}, beam.GroupByKey(s, needs))
	return grouped, done, runs, unstable
}

type needFn struct{ Config Config }

func (f *needFn) ProcessElement(ctx context.Context, c model.Candidate, need func(string, Need), group func(string, model.Candidate)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	b, l, h, err := openBase(ctx, shop, c)
	if err != nil {
		return err
	}
	for _, u := range append(f.Config.neededUnits(ctx, shop, l, c.Change, b.Commit, h), "") {
		need(fmt.Sprintf("%s!%s", c.BaseKey, shard(u, f.Config.Shards)), Need{Base: c.Base, Unit: u})
	}
	group(fmt.Sprintf("%s!%s", c.BaseKey, shard(c.ID, f.Config.Shards)), c)
	return nil
}

// openBase reads the candidate's base and its tree.
func openBase(ctx context.Context, shop *execute.Shop, c model.Candidate) (model.Base, lang.Language, *tree.Tree, error) {
	b, err := baseOf(ctx, shop, c.Base)
	if err != nil {
		return b, nil, nil, err
	}
	l, ok := lang.ByName(execute.Languages(), b.Language)
	if !ok {
		return b, nil, nil, fmt.Errorf("unknown language %q", b.Language)
	}
	repo, err := shop.Repository(ctx, b.Source)
	if err != nil {
		return b, nil, nil, err
	}
	h, err := shop.Tree(ctx, repo, b.Commit)
	return b, l, h, err
}

func baseOf(ctx context.Context, shop *execute.Shop, ref model.Hash) (b model.Base, err error) {
	text, err := shop.Store.Get(ctx, ref)
	if err != nil {
		return b, fmt.Errorf("read base %s: %w", ref.Short(12), err)
	}
	return b, json.Unmarshal(text, &b)
}

// neededUnits are the units of H that a change's checks are in, and those of the touched
// modules: none when the change does not come as far as a run.
func (cfg Config) neededUnits(ctx context.Context, shop *execute.Shop, l lang.Language, c model.Change, base model.Hash, h *tree.Tree) []string {
	w, err := newWork(ctx, shop, l, cfg.ladder(), c, base, h)
	if err != nil {
		return nil
	}
	return w.units()
}

type unitsFn struct{ Config Config }

// ProcessElement runs the units of one base and shard as often as stability asks.
func (f *unitsFn) ProcessElement(ctx context.Context, key string, next func(*Need) bool, done func(string, int), run func(model.RunRow), unstable func(string, model.UnstableCheck)) error {
	shop, err := f.Config.Execute.Open(ctx)
	if err != nil {
		return err
	}
	var ref model.Hash
	wanted := map[string]bool{}
	for n := range values(next) {
		ref = n.Base
		if n.Unit != "" {
			wanted[n.Unit] = true
		}
	}
	c := model.Candidate{Base: ref}
	b, l, h, err := openBase(ctx, shop, c)
	if err != nil {
		return err
	}
	site := shop.Site(b, l)
	defer site.Close()
	runs := f.Config.baseRuns(site, b, h, sortedKeys(wanted))
	seen, err := observeBase(ctx, shop, site, h, runs)
	if err != nil {
		return err
	}
	for _, o := range seen {
		for _, r := range label(o.Rows, b, lifecycle.StateH, "") {
			run(r)
		}
	}
	for _, u := range lifecycle.Stability(observed(seen)).Unstable {
		unstable(b.Key(), u)
	}
	for i := range max(f.Config.Shards, 1) { // every group of the base's candidates waits for it
		done(fmt.Sprintf("%s!%d", b.Key(), i), len(runs))
	}
	return nil
}

func (cfg Config) baseRuns(site *execute.Site, b model.Base, h *tree.Tree, units []string) []model.Run {
	return lifecycle.BaseRuns(units, with(site.Template, h.Hash()), cfg.BaseRepeats, cfg.Repeats, cfg.clock(b))
}

// observeBase makes runs of H; those that met a limit once are made again, alone and with twice
// the wall limit.
func observeBase(ctx context.Context, shop *execute.Shop, site *execute.Site, h *tree.Tree, runs []model.Run) ([]execute.Observed, error) {
	expected := site.Expected(h)
	seen, err := shop.Bench.Observe(ctx, site, h, runs, expected)
	if err != nil {
		return nil, err
	}
	var again []model.Run
	for _, o := range seen {
		if lifecycle.Limited(o.Observation.Outcome) {
			again = append(again, lifecycle.Confirm(o.Observation.Run))
		}
	}
	more, err := shop.Bench.Observe(ctx, site, h, again, expected)
	return append(seen, more...), err
}

// clock reports whether a run with a shifted clock means something for the base.
func (cfg Config) clock(b model.Base) bool { return b.Language != "go" && b.Clock }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func with(r model.Run, t model.Hash) model.Run {
	r.Tree = t
	return r
}

// noState is what rows of a build say in place of a state: no unit ran.
const noState = "none"

// label fills in what a row says of the base and the state.
func label(rows []model.RunRow, b model.Base, state, candidate string) []model.RunRow {
	for i := range rows {
		rows[i].Repo, rows[i].BaseCommit, rows[i].State, rows[i].Candidate = b.Repo, string(b.Commit), state, candidate
	}
	return rows
}
