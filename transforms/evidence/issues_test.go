package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taskmill/taskmill/model"
)

// The issues that a change closes stand first in its text, and their labels and advisories count
// as its own.
func TestIssues(t *testing.T) {
	rec := model.Record{Title: "Fix Half (#2)", Body: "Closes #7", TextSource: "api", Issues: []model.Issue{
		{Number: 7, Title: "Half of 3 is 1", Body: "Half rounds down.", Labels: []model.Label{{Name: "Feature request"}}}}}
	if d := cmp.Diff("Half of 3 is 1\n\nHalf rounds down.\n\nFix Half", recordText(rec, nil)); d != "" {
		t.Error(d)
	}
	if !labelled(rec, featureLabel) || security(rec) {
		t.Error("the issue's label is not the change's")
	}
	rec.Issues[0].Body = "See CVE-2024-12345."
	if !security(rec) {
		t.Error("the issue's advisory is not the change's")
	}
}
