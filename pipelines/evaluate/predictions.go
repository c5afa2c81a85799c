package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// maxLine bounds one prediction, in bytes.
const maxLine = 64 << 20

const wantForms = "want SWE-bench predictions (a JSON list, an object by instance id, or JSON lines)"

// ParsePredictions reads SWE-bench's three forms: a JSON list, a JSON object by instance id, or
// one JSON object a line. A null patch is an empty one.
func ParsePredictions(text []byte) ([]model.Prediction, error) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\ufeff"))
	switch {
	case len(text) == 0:
		return nil, errors.New("the file is empty: " + wantForms)
	case text[0] == '[':
		return inList(text)
	case text[0] != '{':
		return nil, fmt.Errorf("it begins with %q: %s", text[0], wantForms)
	case json.Valid(text):
		return inObject(text)
	}
	return inLines(text)
}

func inList(text []byte) ([]model.Prediction, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	out := make([]model.Prediction, len(all))
	for i, one := range all {
		var err error
		if out[i], err = prediction(one, ""); err != nil {
			return nil, fmt.Errorf("prediction %d: %w", i+1, err)
		}
	}
	return out, nil
}

func inLines(text []byte) ([]model.Prediction, error) {
	var out []model.Prediction
	n := 0
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("line %d: longer than %d bytes", n, maxLine)
		}
		p, err := prediction(line, "")
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// inObject reads one prediction, or predictions by instance id.
func inObject(text []byte) ([]model.Prediction, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, field := range []string{"instance_id", "model_patch", "model_name_or_path"} {
		if v, ok := all[field]; ok && v[0] != '{' {
			return inLines(bytes.ReplaceAll(text, []byte("\n"), []byte(" "))) // white space: a text holds no line end
		}
	}
	out := make([]model.Prediction, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		p, err := prediction(all[id], id)
		if err != nil {
			return nil, fmt.Errorf("the prediction for %q: %w", id, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// prediction reads one object. key is the instance id that it stands under, if any.
func prediction(text []byte, key string) (model.Prediction, error) {
	p := model.Prediction{InstanceID: key, Model: "unnamed"}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(text, &fields)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) || err == nil && fields == nil {
		return p, errors.New("it is no JSON object")
	}
	if err != nil {
		return p, err
	}
	id, name := "", ""
	for _, f := range []struct {
		name string
		to   *string
	}{{"instance_id", &id}, {"model_name_or_path", &name}, {"model_patch", &p.Patch}} {
		if v, ok := fields[f.name]; ok && json.Unmarshal(v, f.to) != nil {
			return p, fmt.Errorf("%s is not text", f.name)
		}
	}
	switch {
	case id == "" && key == "":
		return p, errors.New("no instance_id")
	case id != "" && key != "" && id != key:
		return p, fmt.Errorf("its instance_id is %q", id)
	case id != "":
		p.InstanceID = id
	}
	if name != "" {
		p.Model = name
	}
	return p, nil
}
