package verify

import (
	"fmt"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/oracle"
)

// A cell is what a task says of one check in one state.
type cell struct {
	check string
	want  string
	ok    func(model.Verdict) bool
}

func absent(v model.Verdict) bool { return v == model.NotRun }

// cells lists what the checks of a unit must show in a state: the table of the validation core.
// function names the test function of a check id.
func cells(t model.Task, state, unit string, function func(id string) (string, string)) []cell {
	hidden := map[string]bool{}
	for _, id := range t.FailToPass {
		u, f := function(id)
		hidden[u+"\x00"+f] = true
	}
	var out []cell
	add := func(ids []string, target bool) {
		for _, id := range ids {
			u, f := function(id)
			if u != unit || oracle.Own(id) {
				continue
			}
			onH := t.OnH(id)
			c := cell{check: id, want: string(onH), ok: func(v model.Verdict) bool { return v.HoldsAs(onH) }}
			switch {
			case state == "S" && hidden[u+"\x00"+f]:
				c.want, c.ok = "absent", absent
			case state == "C" && target:
				c.want, c.ok = "fails", func(v model.Verdict) bool {
					return v.Fails() || t.BuildErrorTarget && v == model.BuildError
				}
			case state == "C" && t.BuildErrorTarget:
				c.want, c.ok = string(onH)+", or its unit does not build", func(v model.Verdict) bool {
					return v.HoldsAs(onH) || v == model.BuildError
				}
			}
			out = append(out, c)
		}
	}
	add(t.FailToPass, true)
	add(t.PassToPass, false)
	return out
}

// drifts compares the repeats of one unit in one state with the task.
func drifts(t model.Task, state string, cells []cell, repeats []model.Observation) []model.Drift {
	var out []model.Drift
	for _, c := range cells {
		cause := "changed"
		for _, o := range repeats {
			if o.Outcome != model.OutcomeInfrastructure && c.ok(o.Verdict(c.check)) {
				cause = "flaky" // another repeat agrees with the task
			}
		}
		for i, o := range repeats {
			v := o.Verdict(c.check)
			if c.ok(v) {
				continue
			}
			d := model.Drift{InstanceID: t.InstanceID, State: state, Check: c.check, Repeat: int64(i), Want: c.want, Got: string(v), Cause: cause}
			if o.Outcome == model.OutcomeInfrastructure {
				d.Cause = "infrastructure"
			}
			out = append(out, d)
		}
	}
	return out
}

// Line is a drift as a person reads it.
func Line(d model.Drift) string {
	if d.Check == "" {
		return fmt.Sprintf("%s %s: want %s, got %s (%s)", d.InstanceID, d.State, d.Want, d.Got, d.Cause)
	}
	return fmt.Sprintf("%s %s repeat %d: %s: want %s, got %s (%s)", d.InstanceID, d.State, d.Repeat+1, d.Check, d.Want, d.Got, d.Cause)
}
