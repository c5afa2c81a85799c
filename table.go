package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/taskmill/taskmill/io/parquetio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
	"github.com/taskmill/taskmill/transforms/summary"
)

// An endTable is what the end table tells of a corpus.
type endTable struct {
	changes, eligible, drawn int
	undrawn                  int // planned, but not in the sample
	bases, healthy           int
	unhealthy                []string // a line each
	tasks                    int
	variants                 int // further tasks of the same changes, that ask for tests
	historical               int // changes that gave a task on their own revision, not in tasks
	twins, untwinned         int // of tasks, on the original branch; those that came to none
	own, ownHealthy          int // revisions prepared for these, not in bases
	first                    string
	infrastructure           int
	refused                  int               // objects of --changes that are no change
	unread                   []model.Rejection // of these, changes whose objects could not be read
	byStage                  map[model.Stage]map[model.Reason]int
	runs, fromLedger         int
	seconds                  map[model.Stage]float64
}

// summarize reads the tables of a finished build.
func summarize(ctx context.Context, dir string) (*endTable, error) {
	s := &endTable{byStage: map[model.Stage]map[model.Reason]int{}, seconds: map[model.Stage]float64{}}
	for t, err := range parquetio.ReadTable[model.Task](ctx, dir, "tasks") {
		if err != nil {
			return nil, err
		}
		if s.first == "" {
			s.first = t.InstanceID
		}
		_, twin := model.TwinOf(t.InstanceID)
		switch {
		case twin:
			s.twins++
		case t.Family == model.FamilyTests:
			s.variants++
		case t.BaseKind == base.Historical:
			s.historical++
		default:
			s.tasks++
		}
	}
	for c, err := range parquetio.ReadTable[model.ChangeRow](ctx, dir, "changes") {
		if err != nil {
			return nil, err
		}
		s.changes++
		s.eligible += btoi(c.Eligible)
		s.drawn += btoi(c.Sampled)
		s.undrawn += btoi(c.Planned && !c.Sampled)
	}
	for r, err := range parquetio.ReadTable[model.Rejection](ctx, dir, "rejections") {
		if err != nil {
			return nil, err
		}
		if r.Family == model.FamilyTests {
			continue // its change has a task
		}
		if _, twin := model.TwinOf(r.Candidate); twin { // so has this one's
			s.untwinned++
			s.infrastructure += btoi(r.Infrastructure)
			continue
		}
		if s.byStage[r.Stage] == nil {
			s.byStage[r.Stage] = map[model.Reason]int{}
		}
		s.byStage[r.Stage][r.Reason]++
		s.infrastructure += btoi(r.Infrastructure)
		s.refused += btoi(r.NoChange())
		if r.Infrastructure && r.Stage == model.StageIngest {
			s.unread = append(s.unread, r)
		}
	}
	for b, err := range parquetio.ReadTable[model.BaseRow](ctx, dir, "bases") {
		if err != nil {
			return nil, err
		}
		s.seconds[model.StageEnvironment] += b.PrepareSeconds
		if b.BaseKind == base.Historical {
			s.own++
			s.ownHealthy += btoi(b.Healthy)
			continue
		}
		s.bases++
		s.healthy += btoi(b.Healthy)
		if n := len(b.Steps); !b.Healthy && n > 0 {
			s.unhealthy = append(s.unhealthy, fmt.Sprintf("base %s of %s is not used: %s: %s", b.BaseCommit, b.Repo, b.Steps[n-1].Step, b.Steps[n-1].Outcome))
		}
	}
	for r, err := range parquetio.ReadTable[model.RunRow](ctx, dir, "runs") {
		if err != nil {
			return nil, err
		}
		build := r.Unit == "" // takes time, and is no run of tests
		if r.FromLedger {
			s.fromLedger += btoi(!build)
			continue
		}
		s.runs += btoi(!build)
		stage := model.StageLifecycle
		if r.State == "H" || build && r.Candidate == "" {
			stage = model.StageBase
		}
		s.seconds[stage] += r.Seconds
	}
	return s, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// print writes the end table: stage, in, accepted, rejected by reason, time.
func (s *endTable) print(w io.Writer, took time.Duration) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "stage\tin\taccepted\trejected\ttime")
	in := s.changes + s.refused
	for _, stage := range summary.Stages {
		n := total(s.byStage[stage])
		if n == 0 && stage != model.StageEvidence && stage != model.StageBase && stage != model.StageLifecycle {
			continue
		}
		seconds := ""
		if v := s.seconds[stage]; v > 0 {
			seconds = time.Duration(v * float64(time.Second)).Round(100 * time.Millisecond).String()
		}
		why := reasons(s.byStage[stage])
		if stage == model.StageBase && s.undrawn > 0 {
			n += s.undrawn
			why = strings.TrimPrefix(fmt.Sprintf("%s, %d not drawn or of other families", why, s.undrawn), ", ")
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\n", stage, in, in-n, why, seconds)
		in -= n
	}
	t.Flush()
	fmt.Fprintf(w, "%s, %d eligible, %d drawn; %d of %d bases healthy; %s%s; %d runs made, %d from the ledger; %s\n",
		many(s.changes, "change"), s.eligible, s.drawn, s.healthy, s.bases, many(s.tasks, "task"), s.further(), s.runs, s.fromLedger, took.Round(100*time.Millisecond))
}

// further tells of what there is beside the tasks.
func (s *endTable) further() string {
	text := ""
	if s.variants > 0 {
		text = " and " + many(s.variants, "variant") + " asking for tests"
	}
	if s.historical > 0 {
		text += fmt.Sprintf(", %d more on own revisions", s.historical)
	}
	if s.twins+s.untwinned > 0 {
		text += fmt.Sprintf(", %s (%d came to none)", many(s.twins, "twin"), s.untwinned)
	}
	if s.own > 0 {
		text += fmt.Sprintf("; %d of %d own revisions healthy", s.ownHealthy, s.own)
	}
	return text
}

func total(m map[model.Reason]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

// reasons lists counts, most first.
func reasons(m map[model.Reason]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b model.Reason) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d %s", m[k], k)
	}
	return strings.Join(parts, ", ")
}

// pending is the error of a build with rejections for infrastructure: what to do about them.
func (s *endTable) pending(allowed int) error {
	var parts []string
	if n := len(s.unread); n > 0 {
		parts = append(parts, many(n, "change")+" could not be read: building again does not help until the repository is whole (git fsck; fetch it again or clone anew)")
	}
	if n := s.infrastructure - len(s.unread); n > 0 {
		parts = append(parts, many(n, "candidate")+" ended for infrastructure: run the same command again to take them up")
	}
	return infrastructureError{fmt.Errorf("%s (allowed: %d)", strings.Join(parts, "; "), allowed)}
}

// many is a count with its noun.
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
