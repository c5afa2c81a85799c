package summary

import (
	"slices"

	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/stats"
)

// A BaseRecovery is recovery on the one base that Change2Task would take (declared, else the
// newest commit) beside that on all planned ones.
type BaseRecovery struct {
	Newest             OnBases `json:"newest"`
	Plan               OnBases `json:"plan"`
	NewestIsLowerBound bool    `json:"newest_is_lower_bound"` // a plan put changes elsewhere that the newest base may host too
}

// OnBases is the recovery on some kinds of bases, with the medians of the tasks' distances: from
// the merge to the base, and from the base to the newest commit.
type OnBases struct {
	Recovery                 Rate     `json:"recovery"`
	WithoutNotDiscriminating Rate     `json:"without_not_discriminating"`
	MergeDays                *float64 `json:"median_days_from_merge"`
	MergeCommits             *float64 `json:"median_commits_from_merge"`
	NewestDays               *float64 `json:"median_days_to_newest"`
	NewestCommits            *float64 `json:"median_commits_to_newest"`
}

func (e ends) bases(c Corpus) BaseRecovery {
	return BaseRecovery{
		Newest: e.on(e.newest), Plan: e.on(e.planned),
		NewestIsLowerBound: slices.ContainsFunc(c.Bases, func(b Base) bool { return b.BaseKind == base.Planned }),
	}
}

func (e ends) on(tasks map[string]Task) OnBases {
	anyOf := func(Change) bool { return true }
	n, k := e.count(anyOf, anyOf), 0
	var of [4][]float64
	for _, c := range e.changes {
		t, ok := tasks[c.key()]
		if !ok || !e.settled(c) {
			continue
		}
		k++
		for i, d := range []int64{t.BaseDistanceMerge.Days, t.BaseDistanceMerge.Commits, t.BaseDistanceNewest.Days, t.BaseDistanceNewest.Commits} {
			of[i] = append(of[i], float64(d))
		}
	}
	return OnBases{rateOf(k, n), rateOf(k, n-e.notDiscriminating(anyOf)), median(of[0]), median(of[1]), median(of[2]), median(of[3])}
}

func median(values []float64) *float64 {
	if v, ok := stats.Median(values); ok {
		return &v
	}
	return nil
}
