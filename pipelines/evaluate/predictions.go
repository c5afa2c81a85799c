package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// maxLine bounds one prediction, in bytes.
const maxLine = 64 << 20

// ParsePredictions reads SWE-bench's three forms: a JSON list, a JSON object by instance id, or
// one JSON object a line. A null patch is an empty one.
func ParsePredictions(text []byte) ([]model.Prediction, error) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\ufeff"))
	if len(text) == 0 {
		return nil, fmt.Errorf("the file is empty: want SWE-bench predictions (a JSON list, an object by instance id, or JSON lines)")
	}
	var out []model.Prediction
	var err error
	switch {
	case text[0] == '[':
		err = json.Unmarshal(text, &out)
	case text[0] != '{':
		err = fmt.Errorf("it begins with %q: want SWE-bench predictions (a JSON list, an object by instance id, or JSON lines)", text[0])
	case json.Valid(text):
		out, err = byInstance(text)
	default:
		out, err = lines(text)
	}
	if err != nil {
		return nil, err
	}
	for i, p := range out {
		if p.InstanceID == "" {
			return nil, fmt.Errorf("prediction %d has no instance_id", i+1)
		}
		if p.Model == "" {
			out[i].Model = "unnamed"
		}
	}
	return out, nil
}

// byInstance reads an object: one prediction, or predictions by instance id.
func byInstance(text []byte) ([]model.Prediction, error) {
	var one model.Prediction
	if err := json.Unmarshal(text, &one); err == nil && one.InstanceID != "" {
		return []model.Prediction{one}, nil
	}
	var all map[string]model.Prediction
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read predictions by instance id: %w", err)
	}
	out := make([]model.Prediction, 0, len(all))
	for id, p := range all {
		p.InstanceID = id
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b model.Prediction) int {
		return bytes.Compare([]byte(a.InstanceID), []byte(b.InstanceID))
	})
	return out, nil
}

func lines(text []byte) ([]model.Prediction, error) {
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
		var p model.Prediction
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// A Report is SWE-bench's run report, schema version 2.
type Report struct {
	Total         int      `json:"total_instances"`
	Submitted     int      `json:"submitted_instances"`
	Completed     int      `json:"completed_instances"`
	Resolved      int      `json:"resolved_instances"`
	Unresolved    int      `json:"unresolved_instances"`
	EmptyPatch    int      `json:"empty_patch_instances"`
	Errors        int      `json:"error_instances"`
	CompletedIDs  []string `json:"completed_ids"`
	IncompleteIDs []string `json:"incomplete_ids"`
	EmptyPatchIDs []string `json:"empty_patch_ids"`
	SubmittedIDs  []string `json:"submitted_ids"`
	ResolvedIDs   []string `json:"resolved_ids"`
	UnresolvedIDs []string `json:"unresolved_ids"`
	ErrorIDs      []string `json:"error_ids"`
	SchemaVersion int      `json:"schema_version"`
}

// MakeReport counts scores as SWE-bench does: an instance is resolved when an attempt resolved
// it; invalid patches and infrastructure are errors.
func MakeReport(tasks []model.Task, scores []model.Score) Report {
	r := Report{SchemaVersion: 2}
	for _, l := range []*[]string{&r.CompletedIDs, &r.IncompleteIDs, &r.EmptyPatchIDs, &r.SubmittedIDs, &r.ResolvedIDs, &r.UnresolvedIDs, &r.ErrorIDs} {
		*l = []string{}
	}
	rank := map[string]int{Resolved: 4, Unresolved: 3, Forged: 3, TimedOut: 3, Empty: 2, Invalid: 1, Infrastructure: 1}
	best := map[string]string{}
	for _, s := range scores {
		if rank[s.Outcome] > rank[best[s.InstanceID]] {
			best[s.InstanceID] = s.Outcome
		}
	}
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.InstanceID
	}
	slices.Sort(ids)
	for _, id := range ids {
		outcome, submitted := best[id]
		if !submitted {
			r.IncompleteIDs = append(r.IncompleteIDs, id)
			continue
		}
		r.SubmittedIDs = append(r.SubmittedIDs, id)
		switch rank[outcome] {
		case 4:
			r.CompletedIDs, r.ResolvedIDs = append(r.CompletedIDs, id), append(r.ResolvedIDs, id)
		case 3:
			r.CompletedIDs, r.UnresolvedIDs = append(r.CompletedIDs, id), append(r.UnresolvedIDs, id)
		case 2:
			r.EmptyPatchIDs = append(r.EmptyPatchIDs, id)
		default:
			r.ErrorIDs = append(r.ErrorIDs, id)
		}
	}
	r.Total, r.Submitted, r.Completed = len(tasks), len(r.SubmittedIDs), len(r.CompletedIDs)
	r.Resolved, r.Unresolved, r.EmptyPatch, r.Errors = len(r.ResolvedIDs), len(r.UnresolvedIDs), len(r.EmptyPatchIDs), len(r.ErrorIDs)
	return r
}
