package lifecycle

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

// draws gives a source that depends on seed and words alone, so that a run asked in any order
// shows the same.
func draws(seed uint64, words ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintln(h, words...)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func pick[T any](r *rand.Rand, xs ...T) T { return xs[r.IntN(len(xs))] }

// randomWorld is a candidate over 1 to 3 units with noise that seed decides.
func randomWorld(seed uint64) (Case, func(string, map[string]bool, Planned) model.Observation) {
	r := draws(seed)
	c := Case{Naming: naming{}, H: "tree H", C: "tree C", Restored: "tree H", Template: template, Repeats: 1 + r.IntN(3),
		Family: pick(r, "feature", "bug_fix"), Reversal: r.IntN(2) == 0, AcceptBuildErrors: r.IntN(3) == 0,
		Surfaces: map[string][]model.Surface{}, RemovedUses: map[string][]string{}, Removed: []model.Symbol{{Name: "Foo"}}}
	if r.IntN(3) == 0 {
		c.Restored = "tree H'"
	}
	ids := map[string][]string{}
	build := map[string]bool{}
	for _, u := range []string{"u1", "u2", "n1", "n2"} {
		for f := range 1 + r.IntN(4) {
			fn := fmt.Sprintf("Test%d", f)
			s := model.Surface{Unit: u, Path: fmt.Sprintf("%s/%c_test.go", u, 'a'+rune(r.IntN(2))), Function: fn}
			ids[u] = append(ids[u], u+"::"+fn)
			for k := range r.IntN(3) {
				ids[u] = append(ids[u], fmt.Sprintf("%s::%s/%d", u, fn, k))
			}
			if strings.HasPrefix(u, "n") {
				continue
			}
			c.Surfaces[u] = append(c.Surfaces[u], s)
			if r.IntN(2) == 0 {
				c.Targets = append(c.Targets, s)
				if r.IntN(2) == 0 {
					c.RemovedUses[s.Key()] = []string{"Foo"}
				}
			}
		}
		build[u] = strings.HasPrefix(u, "u") && r.IntN(4) == 0
	}
	c.NearbyUnits = []string{"n1", "n2", "u1"}
	if r.IntN(3) == 0 {
		c.AllUnits = []string{"u1", "u2", "n1", "n2", "x"}
	}
	ids["x"] = []string{"x::Test"}
	noise := pick(r, 0, 0, 3, 30) // per thousand checks
	for u := range ids {
		for _, id := range ids[u] {
			if draws(seed, "unstable", id).IntN(40) == 0 {
				c.Unstable = append(c.Unstable, model.UnstableCheck{ID: id, Cause: pick(draws(seed, id), CauseFlaky, CauseOrder, CauseClock)})
			}
		}
	}
	slices.SortFunc(c.Unstable, func(a, b model.UnstableCheck) int { return strings.Compare(a.ID, b.ID) })
	target := map[string]bool{}
	for _, s := range c.Targets {
		target[s.Unit+"::"+s.Function] = true
	}
	return c, func(state string, hidden map[string]bool, p Planned) model.Observation {
		u := p.Run.Unit
		q := draws(seed, "run", p.Run.Key())
		o := model.Observation{Outcome: model.OutcomeOK, Seconds: q.Float64() * 40}
		if q.IntN(2000) < noise {
			o.Outcome = pick(q, model.OutcomeTimeout, model.OutcomeInfrastructure, model.OutcomeKilled, model.OutcomeMemory, model.OutcomeNoReport)
			return o
		}
		if build[u] && state == StateC {
			o.BuildError, o.Outcome = true, model.OutcomeFailed
			for _, s := range c.Surfaces[u] {
				if len(c.RemovedUses[s.Key()]) > 0 && target[u+"::"+s.Function] {
					o.Diagnostics = append(o.Diagnostics, model.Diagnostic{Path: s.Path, Names: []string{"Foo"}})
				}
			}
			return o
		}
		for _, id := range ids[u] {
			_, fn := naming{}.Function(id)
			if hidden[u+"::"+fn] {
				continue
			}
			v := model.Pass
			// A check's fate on C is fixed; S shows the same unless noise changes it.
			fate := draws(seed, "fate", id)
			if state == StateC || state == StateS {
				odds := 60
				if target[u+"::"+fn] {
					odds = 2
				}
				if fate.IntN(odds) == 0 {
					v = pick(fate, model.Fail, model.Error, model.Crash, model.Fail, model.Skip, model.NotRun)
				}
			}
			if q.IntN(1000) < noise {
				v = pick(q, model.Pass, model.Fail, model.Timeout, model.XPass, model.Skip, model.NotRun)
			}
			if v.Fails() {
				o.Outcome = model.OutcomeFailed
			}
			if v != model.NotRun {
				o.Checks = append(o.Checks, model.Check{ID: id, Verdict: v})
			}
		}
		return o
	}
}

// TestRandomWorlds holds that Next ends, asks for no run twice (the world fails the test),
// accepts only where every cell of the table holds, does not depend on the order of the case's
// lists, and asks for nothing when everything is known.
func TestRandomWorlds(t *testing.T) {
	ends := map[model.Reason]int{}
	for seed := range uint64(3000) {
		c, draw := randomWorld(seed)
		w := &world{t: t, draw: draw}
		v := w.drive(c)
		if v.Accepted {
			ends["accepted"]++
			if v.BuildErrorTarget {
				ends["accepted with a build error"]++
			}
			if err := cells(c, w, v); err != nil {
				t.Fatalf("seed %d: accepted against the table: %v\n%s", seed, err, strings.Join(w.log, "\n"))
			}
		} else {
			ends[v.Fault.Reason]++
			if v.Infrastructure != (v.Fault.Reason == model.Infrastructure) {
				t.Fatalf("seed %d: %+v", seed, v)
			}
		}
		r := draws(seed, "shuffle")
		d := c
		d.Targets, d.NearbyUnits, d.AllUnits = slices.Clone(c.Targets), slices.Clone(c.NearbyUnits), slices.Clone(c.AllUnits)
		r.Shuffle(len(d.Targets), func(i, j int) { d.Targets[i], d.Targets[j] = d.Targets[j], d.Targets[i] })
		r.Shuffle(len(d.NearbyUnits), func(i, j int) { d.NearbyUnits[i], d.NearbyUnits[j] = d.NearbyUnits[j], d.NearbyUnits[i] })
		r.Shuffle(len(d.AllUnits), func(i, j int) { d.AllUnits[i], d.AllUnits[j] = d.AllUnits[j], d.AllUnits[i] })
		again := &world{t: t, draw: draw, seen: w.seen}
		if diff := cmp.Diff(v, again.drive(d)); diff != "" {
			t.Fatalf("seed %d: another order, another verdict:\n%s", seed, diff)
		}
		for _, l := range again.log {
			if strings.HasPrefix(l, "run ") {
				t.Fatalf("seed %d: everything is known and still: %s", seed, l)
			}
		}
	}
	t.Log(ends)
	for _, want := range []model.Reason{"accepted", "accepted with a build error", model.NotDiscriminating, model.ConditionUnmet, model.Flaky,
		model.RegressionBroken, model.NotRestored, model.TargetTimeout, model.TargetUnstable, model.Infrastructure, model.BuildErrorOnly} {
		if ends[want] == 0 {
			t.Errorf("no world ends as %s: the worlds are too tame", want)
		}
	}
}
