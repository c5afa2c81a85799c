package build

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
)

func init() {
	beam.RegisterDoFn(&fallBackFn{})
	beam.RegisterDoFn(&settleFn{})
}

// ownTry is the try of a change on its own revision, after those on bases of the plan.
const ownTry = 2

// own is a change in a slot of its own: the commit that first held all of it. False where no
// commit does, as with a benchmark's row whose merge is not known.
func own(p Planned) (Planned, bool) {
	r := p.Change.Record
	if r.Patch != "" || r.After == "" {
		return p, false
	}
	p.Slot = model.Slot{Repo: p.Slot.Repo, Source: p.Slot.Source, Language: p.Slot.Language, Kind: base.Historical, Commit: r.After}
	p.Next, p.Try = model.Slot{}, ownTry
	return p, true
}

// FallsBack reports whether a change that ended for a reason on bases of the plan may stand on its
// own revision: the reason is not one that goes with the change.
func FallsBack(r model.Reason) bool {
	return slices.Contains(ofBase, r) || slices.Contains(ofMapping, r)
}

// fallBack tries the changes that no base of the plan served on their own revisions. A change
// that ends there too keeps the rejection that it had. planned gets the further tries.
func fallBack(s beam.Scope, cfg Config, planned beam.PCollection, t tried) (all beam.PCollection, out tried) {
	s = s.Scope("historical")
	alone, held, final := beam.ParDo3(s, &fallBackFn{}, beam.CoGroupByKey(s,
		beam.ParDo(s, &wholeByChangeFn{}, planned), beam.ParDo(s, &rejectionByChangeFn{}, t.rejected)))
	more := try(s, cfg, alone)
	settled := beam.ParDo(s, &settleFn{}, beam.CoGroupByKey(s, beam.ParDo(s, &rejectionByChangeFn{}, held),
		beam.ParDo(s, &taskByChangeFn{}, more.tasks), beam.ParDo(s, &rejectionByChangeFn{}, more.rejected)))
	more.rejected = settled
	t.rejected = final
	return beam.Flatten(s, planned, alone), t.with(s, more)
}

type fallBackFn struct{}

func (fallBackFn) ProcessElement(_ string, planned func(*Planned) bool, rejected func(*model.Rejection) bool, emit func(string, Planned), hold, final func(model.Rejection)) {
	var p Planned
	planned(&p)
	for r := range values(rejected) {
		alone, ok := own(p)
		if !ok || r.Infrastructure || !FallsBack(r.Reason) {
			final(r)
			continue
		}
		if afterConstruction[r.Stage] {
			alone.Reached = model.BaseLevel{BaseCommit: r.BaseCommit, Level: r.Level, Mapping: r.Mapping}
		}
		emit(SlotKey(alone.Slot), alone)
		hold(r)
	}
}

type settleFn struct{}

// ProcessElement gives the one end of a change that was tried on its own revision: none where that
// gave a task, what the machine did to it where that can be done again, else the end that it had.
func (settleFn) ProcessElement(_ string, held func(*model.Rejection) bool, tasks func(*model.BaseLevel) bool, rejected func(*model.Rejection) bool, emit func(model.Rejection)) {
	var before, after model.Rejection
	var reached model.BaseLevel
	was, is := held(&before), rejected(&after)
	switch {
	case tasks(&reached):
	case is && (after.Infrastructure || !was): // further variants had no end before
		emit(after)
	case was:
		emit(before)
	}
}
