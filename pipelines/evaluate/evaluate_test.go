package evaluate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/lang"
)

func TestRegistered(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Build(s, Config{Predictions: []model.Prediction{{InstanceID: "a"}}, Out: t.TempDir()})
	e, err := vet.Evaluate(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if e.RequiresRegistrations() { // typed shims are left out on purpose: they cost the compiler minutes
		e.Generate("pipeline")
		t.Errorf("functions or types are not registered:\n%s", e.Bytes())
	}
}

func TestParsePredictions(t *testing.T) {
	one := []model.Prediction{{InstanceID: "a__b-1", Model: "m", Patch: "p\n"}}
	two := append(slices.Clone(one), model.Prediction{InstanceID: "a__b-2", Model: "unnamed"})
	for _, c := range []struct {
		name, text string
		want       []model.Prediction
	}{
		{"list", `[{"instance_id":"a__b-1","model_name_or_path":"m","model_patch":"p\n"},{"instance_id":"a__b-2","model_patch":null}]`, two},
		{"dict", `{"a__b-2":{},"a__b-1":{"instance_id":"a__b-1","model_name_or_path":"m","model_patch":"p\n"}}`, two},
		{"lines", "{\"instance_id\":\"a__b-1\",\"model_name_or_path\":\"m\",\"model_patch\":\"p\\n\"}\n\n{\"instance_id\":\"a__b-2\"}\n", two},
		{"one line", `{"instance_id":"a__b-1","model_name_or_path":"m","model_patch":"p\n"}`, one},
		{"byte order mark", "\ufeff" + `[{"instance_id":"a__b-1","model_name_or_path":"m","model_patch":"p\n"}]`, one},
		{"CRLF lines", "{\"instance_id\":\"a__b-1\",\"model_name_or_path\":\"m\",\"model_patch\":\"p\\n\"}\r\n{\"instance_id\":\"a__b-2\"}\r\n", two},
		{"other fields", `[{"instance_id":"a__b-1","model_name_or_path":"m","model_patch":"p\n","full_output":{"x":[1]}}]`, one},
	} {
		got, err := ParsePredictions([]byte(c.text))
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, d)
		}
	}
	for _, bad := range []string{"", " \n", "[", "{", "7", "null", `"text"`, `[1]`, `[{"model_patch":"x"}]`, `{"a":1}`, `[{"instance_id":1}]`, "{\"instance_id\":\"a\"}\n{", `{"": {}}`} {
		if got, err := ParsePredictions([]byte(bad)); err == nil {
			t.Errorf("%q is no error: %+v", bad, got)
		}
	}
}

// A prediction that cannot be read is named, and what is wrong with it, in plain words.
func TestParsePredictionsSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"instance_id":"a","model_patch":7}`:           "line 1: model_patch is not text",
		`{"model_name_or_path":"m","model_patch":"x"}`:  "line 1: no instance_id",
		"{\"instance_id\":\"a\"}\n{\"instance_id\":[]}": "line 2: instance_id is not text",
		"{\"instance_id\":\"a\"}\n7":                    "line 2: it is no JSON object",
		`[{"instance_id":"a"},{"model_patch":"x"}]`:     "prediction 2: no instance_id",
		`[{"instance_id":"a","model_name_or_path":{}}]`: "prediction 1: model_name_or_path is not text",
		`[null]`:                      "prediction 1: it is no JSON object",
		`{"a":"a patch"}`:             `the prediction for "a": it is no JSON object`,
		`{"a":{"model_patch":false}}`: `the prediction for "a": model_patch is not text`,
		`{"a":{"instance_id":"b","model_patch":"x"},"b":{"model_patch":""}}`: `the prediction for "a": its instance_id is "b"`,
	} {
		if got, err := ParsePredictions([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %+v, %v, want %s", text, got, err, want)
		}
	}
}

func FuzzParsePredictions(f *testing.F) {
	for _, s := range []string{`[{"instance_id":"a","model_patch":"x"}]`, `{"a":{"model_patch":"x"}}`, "{\"instance_id\":\"a\"}\n{\"instance_id\":\"b\"}", "null", "\ufeff[]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParsePredictions(text)
		if err != nil {
			return
		}
		for _, p := range got {
			if p.InstanceID == "" || p.Model == "" {
				t.Errorf("%+v", p)
			}
		}
		// What was read is read again from the form that we would write.
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			return
		}
		back, err := ParsePredictions(again)
		if d := cmp.Diff(got, back); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
	})
}

func TestCheckNamesUnknownTasks(t *testing.T) {
	tasks := []model.Task{{InstanceID: "a"}}
	if err := Check(tasks, []model.Prediction{{InstanceID: "a"}, {InstanceID: "a"}}); err != nil {
		t.Error(err)
	}
	if err := Check(tasks, []model.Prediction{{InstanceID: "a"}, {InstanceID: "b"}, {InstanceID: "c"}}); err == nil || !strings.Contains(err.Error(), `2 of the predictions`) || !strings.Contains(err.Error(), `"b"`) {
		t.Error(err)
	}
	if err := Check(tasks, nil); err == nil {
		t.Error("no prediction is no error")
	}
}

func TestMakeReport(t *testing.T) {
	tasks := make([]model.Task, 0, 8)
	for _, id := range []string{"h", "g", "f", "e", "d", "c", "b", "a"} {
		tasks = append(tasks, model.Task{InstanceID: id})
	}
	score := func(id, outcome string) model.Score { return model.Score{InstanceID: id, Outcome: outcome} }
	got := MakeReport(tasks, []model.Score{
		score("a", Resolved), score("b", Unresolved), score("c", Empty), score("d", Invalid), score("e", Forged), score("f", TimedOut), score("g", Infrastructure),
	})
	want := Report{
		Total: 8, Submitted: 7, Completed: 4, Resolved: 1, Unresolved: 3, EmptyPatch: 1, Errors: 2, SchemaVersion: 2,
		CompletedIDs: []string{"a", "b", "e", "f"}, IncompleteIDs: []string{"h"}, EmptyPatchIDs: []string{"c"},
		SubmittedIDs: []string{"a", "b", "c", "d", "e", "f", "g"}, ResolvedIDs: []string{"a"}, UnresolvedIDs: []string{"b", "e", "f"}, ErrorIDs: []string{"d", "g"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	text, err := json.Marshal(MakeReport(nil, nil))
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("empty lists are lists: %s %v", text, err)
	}
}

// What a report counts of several predictions for a task is the first one of the file, not the
// best one.
func TestReportCountsTheFirstPrediction(t *testing.T) {
	predictions := []model.Prediction{{InstanceID: "a", Model: "z"}, {InstanceID: "a", Model: "z"}, {InstanceID: "a", Model: "m"}, {InstanceID: "b", Model: "m"}}
	scores := []model.Score{
		{InstanceID: "a", Solver: "m", Attempt: 1, Outcome: Resolved}, {InstanceID: "a", Solver: "z", Attempt: 1, Outcome: Unresolved},
		{InstanceID: "a", Solver: "z", Attempt: 2, Outcome: Resolved}, {InstanceID: "b", Solver: "m", Attempt: 1, Outcome: Invalid},
	}
	got, several := First(predictions, scores)
	if d := cmp.Diff([]model.Score{scores[1], scores[3]}, got); d != "" || several != 1 {
		t.Errorf("%d with several: %s", several, d)
	}
}

func TestDetail(t *testing.T) {
	seen := func(outcome string, limits model.Limits) model.Observation {
		return model.Observation{Outcome: outcome, Run: model.Run{Unit: "u", Limits: limits}, Detail: "engine away"}
	}
	for _, c := range []struct{ got, want string }{
		{note(seen(model.OutcomeOK, model.Limits{}), Unresolved), ""},
		{note(seen(model.OutcomeTimeout, model.Limits{Wall: 5 * time.Minute}), TimedOut), "unit u met the time limit of 5m0s"},
		{note(seen(model.OutcomeMemory, model.Limits{MemoryBytes: 4 << 30}), Unresolved), "unit u met the memory limit of 4096 MiB"},
		{note(seen(model.OutcomeOutput, model.Limits{}), Unresolved), "unit u met the limit of its output or report"},
		{note(seen(model.OutcomeDisk, model.Limits{}), Unresolved), "unit u met the disk limit"},
		{note(seen(model.OutcomeOK, model.Limits{}), Forged), "unit u reports without both planted checks"},
		{note(seen(model.OutcomeInfrastructure, model.Limits{}), Infrastructure), "unit u: the machine failed: engine away"},
		{detail(nil, nil), ""},
		{detail([]string{"a\n\tb"}, []string{"x", "y"}), "a b; protected paths set back to the task's: x, y"},
		{detail(nil, []string{"a", "b", "c", "d", "e"}), "protected paths set back to the task's: a, b, c and 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A report that a limit cut short counts for nothing unless both planted checks are in it.
func TestLimitIsNotForged(t *testing.T) {
	g := lang.Guard{Pass: "p", Fail: "f"}
	cut := model.Observation{Outcome: model.OutcomeMemory, Checks: []model.Check{{ID: "a", Verdict: model.Pass}}}
	if got := outcomeOf(cut, g); got != Unresolved {
		t.Error(got)
	}
	cut.Outcome = model.OutcomeFailed
	if got := outcomeOf(cut, g); got != Forged {
		t.Error(got)
	}
}

func TestAttemptsAreNumberedByTaskAndSolver(t *testing.T) {
	all := []model.Prediction{{InstanceID: "a", Model: "m"}, {InstanceID: "b", Model: "m"}, {InstanceID: "a", Model: "n"}, {InstanceID: "a", Model: "m"}}
	var got []int
	for i := range all {
		got = append(got, attemptOf(all, i))
	}
	if d := cmp.Diff([]int{1, 1, 1, 2}, got); d != "" {
		t.Error(d)
	}
}

func TestGoldAndBlank(t *testing.T) {
	tasks := []model.Task{{InstanceID: "a", Gold: "patch", Patch: "p", TestPatch: "t"}, {InstanceID: "b", Gold: "test_patch", Patch: "p", TestPatch: "t"}}
	want := []model.Prediction{{InstanceID: "a", Model: "gold", Patch: "p"}, {InstanceID: "b", Model: "gold", Patch: "t"}}
	if d := cmp.Diff(want, Gold(tasks)); d != "" {
		t.Error(d)
	}
	for _, p := range Blank(tasks) {
		if p.Patch != "" || p.Model != "empty" {
			t.Errorf("%+v", p)
		}
	}
}
