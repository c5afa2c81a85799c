package build

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
)

// evidenceOf reads the changes of a sample.
func evidenceOf(t *testing.T, cfg Config, name string) (*execute.Shop, []model.Change) {
	t.Helper()
	ctx := t.Context()
	shop, err := cfg.Execute.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	repo, err := shop.Repository(ctx, model.Source{Repo: "sample/" + name, Location: "sample:" + name})
	if err != nil {
		t.Fatal(err)
	}
	var out []model.Change
	err = repo.Records(ctx, cfg.Records(), func(r model.Record) error {
		c, err := Evidence(ctx, shop, r)
		out = append(out, c)
		return err
	}, func(r model.Rejection) { t.Errorf("%+v", r) })
	if err != nil {
		t.Fatal(err)
	}
	return shop, out
}

func planOf(t *testing.T, bases string, least int) (*execute.Shop, Config, model.Plan, []Planned) {
	t.Helper()
	dir := t.TempDir()
	cfg := Config{Levels: "1", Bases: bases, MinTasksPerBase: least, Execute: execute.Settings{Work: dir, Cache: dir, Sandbox: "local", Jobs: 2}}
	shop, found := evidenceOf(t, cfg, "go")
	p, planned, _, err := Plan(t.Context(), shop, cfg, found)
	if err != nil {
		t.Fatal(err)
	}
	return shop, cfg, p, planned
}

// Each change is in one slot; those that a slot covers reverse there by construction itself, and
// no change that is covered nowhere would reverse on any base of the plan.
func TestPlanAgreesWithConstruction(t *testing.T) {
	for _, bases := range []string{BasesNewest, BasesAuto, "2"} {
		t.Run(bases, func(t *testing.T) {
			shop, cfg, p, planned := planOf(t, bases, 1)
			if bases == BasesNewest && len(p.Slots) != 1 || bases == "2" && len(p.Slots) > 3 || bases == BasesAuto && len(p.Slots) < 2 {
				t.Fatalf("%d slots", len(p.Slots))
			}
			seen := map[string]bool{}
			for _, slot := range p.Slots {
				constructed, reversed := 0, 0
				for _, m := range planned {
					if SlotKey(m.Slot) != SlotKey(slot) {
						continue
					}
					if seen[m.Change.ID] || !slices.Contains(slot.Changes, m.Change.ID) {
						t.Errorf("%s is in two slots, or not in its own", m.Change.ID)
					}
					seen[m.Change.ID] = true
					stage := constructs(t, cfg, shop, slot, m.Change)
					if stage == "" {
						constructed++
					}
					if stage != string(model.DoesNotReverse) {
						reversed++
					}
				}
				if constructed > slot.Covers || slot.Covers > reversed {
					t.Errorf("slot %s says that it covers %d: %d can be constructed, %d reverse", slot.Commit.Short(12), slot.Covers, constructed, reversed)
				}
			}
			if len(seen) != len(planned) {
				t.Errorf("%d of %d changes have a slot", len(seen), len(planned))
			}
		})
	}
}

// constructs is the reason why a change cannot be constructed in a slot; empty where it can.
func constructs(t *testing.T, cfg Config, shop *execute.Shop, slot model.Slot, c model.Change) string {
	t.Helper()
	mapped, faults, err := cfg.Constructible(t.Context(), shop, slot, []Planned{{Slot: slot, Change: c, Sampled: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(mapped) == 1 {
		return ""
	}
	for f := range faults {
		var stage, reason string
		fmt.Sscan(f, &stage, &reason)
		return reason
	}
	t.Fatal("neither constructed nor at fault")
	return ""
}

// A plan is a value: planned twice, on fresh stores, it is the same.
func TestPlanIsDeterministic(t *testing.T) {
	_, _, a, _ := planOf(t, BasesAuto, 1)
	_, _, b, _ := planOf(t, BasesAuto, 1)
	if a.ID() != b.ID() {
		t.Errorf("two plans of one repository:\n%s", cmp.Diff(a, b))
	}
}

func TestCheckBases(t *testing.T) {
	for value, ok := range map[string]bool{"newest": true, "auto": true, "1": true, "12": true, "0": false, "-1": false, "": false, "all": false} {
		if err := checkBases(value); (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
}
