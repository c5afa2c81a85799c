package evaluate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
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
		{"dict", `{"a__b-2":{},"a__b-1":{"instance_id":"other","model_name_or_path":"m","model_patch":"p\n"}}`, two},
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
		score("a", Unresolved), score("a", Resolved), score("a", Infrastructure), // an attempt resolved it
		score("b", Unresolved), score("c", Empty), score("d", Invalid), score("e", Forged), score("f", TimedOut), score("g", Infrastructure),
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
