package verify

import (
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

func TestRegistered(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Build(s, Config{Tasks: []string{"a"}, Repeat: 1, Out: t.TempDir()})
	e, err := vet.Evaluate(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if e.RequiresRegistrations() { // typed shims are left out on purpose: they cost the compiler minutes
		e.Generate("pipeline")
		t.Errorf("functions or types are not registered:\n%s", e.Bytes())
	}
}

func unitAndFunction(id string) (unit, function string) {
	unit, rest, _ := strings.Cut(id, "::")
	function, _, _ = strings.Cut(rest, "/")
	return unit, function
}

// The table of the validation core: what a target, its hidden sibling and a regression check
// show in H, C, S and H'.
func TestCells(t *testing.T) {
	const target, sibling, other, collected = "u::T", "u::T/sub", "u::R", "taskmill::oracle"
	const expected = "u::E"
	holding, failing := []model.Verdict{model.Pass}, []model.Verdict{model.Fail, model.Error, model.Crash}
	xfail := []model.Verdict{model.XFail}
	gone := []model.Verdict{model.NotRun}
	every := []model.Verdict{model.Pass, model.Fail, model.Error, model.Skip, model.Todo, model.XFail, model.XPass, model.Timeout, model.Crash, model.NotRun, model.BuildError}
	for _, c := range []struct {
		state      string
		buildError bool
		want       map[string][]model.Verdict
	}{
		{"H", false, map[string][]model.Verdict{target: holding, sibling: holding, other: holding, expected: xfail}},
		{"H'", false, map[string][]model.Verdict{target: holding, sibling: holding, other: holding, expected: xfail}},
		{"C", false, map[string][]model.Verdict{target: failing, sibling: holding, other: holding, expected: xfail}},
		{"S", false, map[string][]model.Verdict{target: gone, sibling: gone, other: holding, expected: xfail}},
		{"C", true, map[string][]model.Verdict{target: append(failing, model.BuildError), sibling: append(holding, model.BuildError), other: append(holding, model.BuildError), expected: append(xfail, model.BuildError)}},
		{"S", true, map[string][]model.Verdict{target: gone, sibling: gone, other: holding, expected: xfail}},
		{"H", true, map[string][]model.Verdict{target: holding, sibling: holding, other: holding, expected: xfail}},
	} {
		task := model.Task{FailToPass: []string{target, collected}, PassToPass: []string{sibling, other, expected, "v::X"}, ExpectedFailures: []string{expected}, BuildErrorTarget: c.buildError}
		got := map[string][]model.Verdict{}
		for _, cell := range cells(task, c.state, "u", unitAndFunction) {
			for _, v := range every {
				if cell.ok(v) {
					got[cell.check] = append(got[cell.check], v)
				}
			}
		}
		sorted := cmp.Transformer("set", func(in []model.Verdict) map[model.Verdict]bool {
			out := map[model.Verdict]bool{}
			for _, v := range in {
				out[v] = true
			}
			return out
		})
		if d := cmp.Diff(c.want, got, sorted); d != "" {
			t.Errorf("%s, build error %v: %s", c.state, c.buildError, d)
		}
	}
	if got := cells(model.Task{PassToPass: []string{"v::X"}}, "H", "v", unitAndFunction); len(got) != 1 || got[0].check != "v::X" {
		t.Errorf("another unit's checks: %+v", got)
	}
}

func TestDrifts(t *testing.T) {
	task := model.Task{InstanceID: "o__r-1"}
	seen := func(outcome string, v model.Verdict) model.Observation {
		return model.Observation{Outcome: outcome, Checks: []model.Check{{ID: "u::A", Verdict: v}}}
	}
	want := []cell{{check: "u::A", want: "holds", ok: model.Verdict.Holds}}
	drift := func(repeat int64, got, cause string) model.Drift {
		return model.Drift{InstanceID: "o__r-1", State: "H", Check: "u::A", Repeat: repeat, Want: "holds", Got: got, Cause: cause}
	}
	for _, c := range []struct {
		name    string
		repeats []model.Observation
		want    []model.Drift
	}{
		{"agrees", []model.Observation{seen("ok", model.Pass), seen("ok", model.XFail)}, nil},
		{"flaky", []model.Observation{seen("ok", model.Pass), seen("failed", model.Fail), seen("ok", model.Pass)}, []model.Drift{drift(1, "fail", "flaky")}},
		{"changed", []model.Observation{seen("failed", model.Fail), seen("failed", model.Error)}, []model.Drift{drift(0, "fail", "changed"), drift(1, "error", "changed")}},
		{"missing", []model.Observation{{Outcome: "ok"}}, []model.Drift{drift(0, "not_run", "changed")}},
		{"timeout", []model.Observation{{Outcome: model.OutcomeTimeout}, seen("ok", model.Pass)}, []model.Drift{drift(0, "timeout", "flaky")}},
		{"infrastructure", []model.Observation{{Outcome: model.OutcomeInfrastructure}, seen("ok", model.Pass)}, []model.Drift{drift(0, "not_run", "infrastructure")}},
		{"infrastructure is no witness of a flake", []model.Observation{{Outcome: model.OutcomeInfrastructure}, seen("failed", model.Fail)},
			[]model.Drift{drift(0, "not_run", "infrastructure"), drift(1, "fail", "changed")}},
	} {
		if d := cmp.Diff(c.want, drifts(task, "H", want, c.repeats)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestLine(t *testing.T) {
	d := model.Drift{InstanceID: "o__r-1", State: "C", Check: "u::A", Repeat: 1, Want: "fails", Got: "pass", Cause: "flaky"}
	if got := Line(d); got != "o__r-1 C repeat 2: u::A: want fails, got pass (flaky)" {
		t.Error(got)
	}
	if got := Line(model.Drift{InstanceID: "o__r-1", State: "H'", Want: "tree a", Got: "another tree", Cause: "trees"}); got != "o__r-1 H': want tree a, got another tree (trees)" {
		t.Error(got)
	}
}

func TestHashIsOfWhatIsVerified(t *testing.T) {
	c := Config{Corpus: "/c", Tasks: []string{"a"}, Repeat: 2}
	same := c
	same.Out, same.Version, same.Execute.Work, same.Execute.Jobs = "/o", "v", "/w", 9
	if c.Hash() != same.Hash() {
		t.Error("where the result goes changes the hash")
	}
	for name, change := range map[string]func(*Config){
		"corpus": func(c *Config) { c.Corpus = "/d" }, "tasks": func(c *Config) { c.Tasks = []string{"b"} },
		"repeat": func(c *Config) { c.Repeat = 3 }, "sandbox": func(c *Config) { c.Execute.Sandbox = "bwrap" },
	} {
		other := c
		change(&other)
		if other.Hash() == c.Hash() {
			t.Errorf("%s does not change the hash", name)
		}
	}
}
