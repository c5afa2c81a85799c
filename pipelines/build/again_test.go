package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// A change is tried again once, where another slot covers it and the base was at fault.
func TestAgain(t *testing.T) {
	first, next := model.Slot{Repo: "o/r", Commit: "a", Language: "go"}, model.Slot{Repo: "o/r", Commit: "b", Language: "go"}
	c := model.Change{ID: "o__r-7"}
	rejection := func(r model.Reason) model.Rejection { return model.Rejection{Candidate: c.ID, Reason: r} }
	for _, tt := range []struct {
		name    string
		planned []Planned
		end     model.Rejection
		again   bool
	}{
		{"base at fault", []Planned{{Slot: first, Next: next, Change: c}}, rejection(model.BaseUnhealthy), true},
		{"no other slot", []Planned{{Slot: first, Change: c}}, rejection(model.BaseUnhealthy), false},
		{"change at fault", []Planned{{Slot: first, Next: next, Change: c}}, rejection(model.NotDiscriminating), false},
		{"tried twice", []Planned{{Slot: first, Next: next, Change: c, Try: 1}}, rejection(model.BaseUnhealthy), false},
		{"infrastructure", []Planned{{Slot: first, Next: next, Change: c}}, model.Rejection{Reason: model.EnvironmentFailed, Infrastructure: true}, false},
		{"not planned", nil, rejection(model.BaseUnhealthy), false},
	} {
		var slots []string
		var got []Planned
		var final []model.Rejection
		againFn{}.ProcessElement(c.ID, each(tt.planned...), each(tt.end), func(slot string, p Planned) { slots, got = append(slots, slot), append(got, p) }, collect(&final))
		if !tt.again {
			if len(got) != 0 || cmp.Diff([]model.Rejection{tt.end}, final) != "" {
				t.Errorf("%s: tried again as %v, ended as %v", tt.name, got, final)
			}
			continue
		}
		want := []Planned{{Slot: next, Change: c, Try: 1}}
		if len(final) != 0 || cmp.Diff(want, got) != "" || cmp.Diff([]string{SlotKey(next)}, slots) != "" {
			t.Errorf("%s: tried again as %v in %v, ended as %v", tt.name, got, slots, final)
		}
	}
}
