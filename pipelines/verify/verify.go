// Package verify runs the lifecycle of accepted tasks again, from the corpus alone, and lists
// what differs from the rows.
package verify

import (
	"context"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
	"github.com/taskmill/taskmill/transforms/lang"
	"github.com/taskmill/taskmill/transforms/oracle"
	"github.com/taskmill/taskmill/transforms/tree"
)

func init() {
	beam.RegisterDoFn(&byBaseFn{})
	beam.RegisterDoFn(&verifyFn{})
	parquetio.Register[model.Drift]()
	register.Iter1[string]()
	register.Emitter1[model.Drift]()
}

// firstRepeat is the number of a verification's first run: its runs are kept in the ledger
// beside the build's, so that a verification that was stopped goes on.
const firstRepeat = 1000

// A Config is all that a verification needs to know.
type Config struct {
	Execute execute.Settings
	Corpus  string
	Tasks   []string // instance ids
	Repeat  int      // complete runs of each state
	Out     string
	Version string
}

// Hash is the digest of what is verified.
func (c Config) Hash() string {
	return string(model.Digest(struct {
		Corpus  string
		Tasks   []string
		Repeat  int
		Sandbox string
	}{c.Corpus, c.Tasks, c.Repeat, c.Execute.Sandbox}))
}

// Build adds the verification to s: instance ids, grouped by base, become Drift, a table.
func Build(s beam.Scope, cfg Config) {
	s = s.Scope("verify")
	keyed := beam.ParDo(s, &byBaseFn{cfg}, beam.Reshuffle(s, beam.CreateList(s, cfg.Tasks)))
	found := beam.ParDo(s, &verifyFn{cfg}, beam.GroupByKey(s, keyed))
	out := parquetio.Config{Dir: cfg.Out, Shards: 1, Creator: "taskmill"}
	parquetio.Collect(s, out, parquetio.Write[model.Drift](s, "drifts", out, beam.Reshuffle(s, found)))
}

type byBaseFn struct{ Config Config }

func (f *byBaseFn) ProcessElement(ctx context.Context, id string) (string, string, error) {
	corpus, err := f.Config.Execute.Corpus(ctx, f.Config.Corpus)
	if err != nil {
		return "", id, err
	}
	t, err := corpus.Task(id)
	return execute.BaseKey(t), id, err
}

type verifyFn struct{ Config Config }

func (f *verifyFn) ProcessElement(ctx context.Context, _ string, next func(*string) bool, emit func(model.Drift)) error {
	var ids []string
	var id string
	for next(&id) {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	corpus, shop, place, err := f.Config.Execute.PlaceOf(ctx, f.Config.Corpus, ids[0])
	if err != nil {
		return err
	}
	defer place.Site.Close()
	type verified struct {
		found []model.Drift
		err   error
	}
	var fault error
	err = execute.Each(ctx, f.Config.Execute.Jobs, slices.Values(ids), func(ctx context.Context, id string) verified {
		t, err := corpus.Task(id)
		if err != nil {
			return verified{err: err}
		}
		found, err := Task(ctx, shop.Bench, place, t, f.Config.Repeat)
		return verified{found, err}
	}, func(v verified) {
		if v.err != nil {
			fault = v.err
			return
		}
		execute.Progress.Tasks.Add(1)
		for _, d := range v.found {
			emit(d)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// Task runs H, C, S and H' of one task repeat times and lists what differs from its row.
func Task(ctx context.Context, b *execute.Bench, p *execute.Place, t model.Task, repeat int) ([]model.Drift, error) {
	s, c, err := p.Trees(t)
	if err != nil {
		return []model.Drift{{InstanceID: t.InstanceID, State: "S", Want: "the row's trees", Got: err.Error(), Cause: "trees"}}, nil
	}
	restored, err := p.Restored(t, c)
	if err != nil || string(restored.Hash()) != t.TreeRestored {
		return []model.Drift{{InstanceID: t.InstanceID, State: "H'", Want: "tree " + t.TreeRestored, Got: "another tree", Cause: "trees"}}, nil
	}
	states := []struct {
		name string
		tree *tree.Tree
	}{{"H", p.H}, {"C", c}, {"S", s}}
	if restored.Hash() != p.H.Hash() {
		states = append(states, struct {
			name string
			tree *tree.Tree
		}{"H'", restored})
	}
	var out []model.Drift
	for _, st := range states {
		p.Site.Use(st.tree.Hash())
		found, err := state(ctx, b, p, t, st.name, st.tree, repeat)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
		if st.tree.Hash() != p.H.Hash() {
			if err := p.Site.Close(st.tree.Hash()); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func state(ctx context.Context, b *execute.Bench, p *execute.Place, t model.Task, name string, tr *tree.Tree, repeat int) ([]model.Drift, error) {
	var units []string
	for _, id := range oracle.Runnable(slices.Concat(t.FailToPass, t.PassToPass)) {
		if u, _ := p.Lang.Function(id); u != "" {
			units = append(units, u)
		}
	}
	slices.Sort(units)
	units = slices.Compact(units)
	byUnit := map[string][]model.Observation{}
	var runs []model.Run
	for _, u := range units {
		if !slices.ContainsFunc(p.Lang.UnitFiles(tr, u), func(f string) bool { _, ok := tr.Entry(f); return ok }) {
			byUnit[u] = make([]model.Observation, repeat) // hidden whole: no check of it ran
			continue
		}
		for i := range repeat {
			r := p.Site.Template
			r.Tree, r.Unit, r.Repeat = tr.Hash(), u, firstRepeat+i
			runs = append(runs, r)
		}
	}
	got, err := b.Observe(ctx, p.Site, tr, runs, p.Site.Expected(tr))
	if err != nil {
		return nil, err
	}
	for _, g := range got {
		byUnit[g.Observation.Run.Unit] = append(byUnit[g.Observation.Run.Unit], g.Observation)
	}
	onH := p.Site.Expected(p.H)
	out, err := structural(p, t, name, tr)
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		out = append(out, drifts(t, name, cells(t, name, u, lang.Resolver(p.Lang, u, onH(u))), byUnit[u])...)
	}
	return out, nil
}

// structural compares the task's own check of a tree, where it has one, with its cell: it holds on
// H and H' and fails on S and C.
func structural(p *execute.Place, t model.Task, state string, tr *tree.Tree) ([]model.Drift, error) {
	o, ok, err := oracle.Parse(t.Oracle)
	if err != nil || !ok {
		return nil, err
	}
	want := model.Pass
	if state == "S" || state == "C" {
		want = model.Fail
	}
	got, err := o.Verdict(tr, p.Lang)
	if err != nil || got == want {
		return nil, err
	}
	return []model.Drift{{InstanceID: t.InstanceID, State: state, Check: o.Check, Want: string(want), Got: string(got), Cause: "changed"}}, nil
}
