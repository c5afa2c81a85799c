package evaluate

import (
	"slices"

	"github.com/taskmill/taskmill/model"
)

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

// First keeps of each instance the score of its first prediction, which is what a report counts;
// the best of several would be another figure than SWE-bench's. several counts the instances
// that have more than one.
func First(predictions []model.Prediction, scores []model.Score) (first []model.Score, several int) {
	byFirst, n := map[string]string{}, map[string]int{}
	for _, p := range predictions {
		if n[p.InstanceID]++; n[p.InstanceID] == 1 {
			byFirst[p.InstanceID] = p.Model
		}
	}
	for _, s := range scores {
		if s.Attempt == 1 && s.Solver == byFirst[s.InstanceID] {
			first = append(first, s)
		}
	}
	for _, count := range n {
		if count > 1 {
			several++
		}
	}
	return first, several
}

// MakeReport counts scores, one an instance, as SWE-bench does: invalid patches and
// infrastructure are errors.
func MakeReport(tasks []model.Task, scores []model.Score) Report {
	r := Report{SchemaVersion: 2}
	for _, l := range []*[]string{&r.CompletedIDs, &r.IncompleteIDs, &r.EmptyPatchIDs, &r.SubmittedIDs, &r.ResolvedIDs, &r.UnresolvedIDs, &r.ErrorIDs} {
		*l = []string{}
	}
	outcomes := map[string]string{}
	for _, s := range scores {
		outcomes[s.InstanceID] = s.Outcome
	}
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.InstanceID
	}
	slices.Sort(ids)
	for _, id := range ids {
		outcome, submitted := outcomes[id]
		if !submitted {
			r.IncompleteIDs = append(r.IncompleteIDs, id)
			continue
		}
		r.SubmittedIDs = append(r.SubmittedIDs, id)
		switch outcome {
		case Resolved:
			r.CompletedIDs, r.ResolvedIDs = append(r.CompletedIDs, id), append(r.ResolvedIDs, id)
		case Unresolved, Forged, TimedOut:
			r.CompletedIDs, r.UnresolvedIDs = append(r.CompletedIDs, id), append(r.UnresolvedIDs, id)
		case Empty:
			r.EmptyPatchIDs = append(r.EmptyPatchIDs, id)
		default:
			r.ErrorIDs = append(r.ErrorIDs, id)
		}
	}
	r.Total, r.Submitted, r.Completed = len(tasks), len(r.SubmittedIDs), len(r.CompletedIDs)
	r.Resolved, r.Unresolved, r.EmptyPatch, r.Errors = len(r.ResolvedIDs), len(r.UnresolvedIDs), len(r.EmptyPatchIDs), len(r.ErrorIDs)
	return r
}
