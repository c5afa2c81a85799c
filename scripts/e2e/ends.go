package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/io/sampleio"
	"github.com/taskmill/taskmill/model"
)

// intended compares what each pull request of a sample ended as with what it is meant to show.
// What is only possible in a sandbox that isolates is a task there.
func intended(ctx context.Context, corpus, lang string, isolated bool) error {
	want := sampleio.Expected(lang)
	first, err := firstAttempts(ctx, corpus)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	var wrong []string
	for c, err := range parquetio.ReadTable[model.ChangeRow](ctx, corpus, "changes") {
		if err != nil {
			return err
		}
		end := c.End
		if end == "rejection" {
			end = c.EndReason
		}
		if c.SourcePR == nil {
			continue
		}
		seen[*c.SourcePR] = true
		meant := want[*c.SourcePR]
		if isolated && meant == string(model.SandboxRequired) {
			meant = "task"
		}
		if end != meant && (c.End == "pending" || first[c.Change] != meant) {
			wrong = append(wrong, fmt.Sprintf("%d is %s, meant to be %s", *c.SourcePR, end, meant))
		}
	}
	for n := range want {
		if !seen[n] {
			wrong = append(wrong, fmt.Sprintf("%d is not there", n))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("ends of sample:%s: %s", lang, strings.Join(wrong, "; "))
	}
	return nil
}

// firstAttempts are the reasons for which level 1 ended, by candidate. What the samples mean to
// show is told of Level 1; the mappings of level 2 may come further with the same change.
func firstAttempts(ctx context.Context, corpus string) (map[string]string, error) {
	out := map[string]string{}
	for a, err := range parquetio.ReadTable[model.Attempt](ctx, corpus, "attempts") {
		if err != nil {
			return nil, err
		}
		if a.Number == 1 && a.Level == 1 && a.Outcome == "rejected" {
			out[a.Candidate] = a.Reason
		}
	}
	return out, nil
}
