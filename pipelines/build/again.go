package build

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taskmill/taskmill/model"
)

func init() {
	beam.RegisterDoFn(&wholeByChangeFn{})
	beam.RegisterDoFn(&againFn{})
	register.Emitter1[model.Rejection]()
}

// ofBase are the reasons that lie in the base rather than in the change, ours: an environment or
// checks that another commit may not have, and later code that rests on the change, which an
// earlier commit lacks.
var ofBase = []model.Reason{
	model.EnvironmentFailed, model.BaseUnhealthy, model.NeedsService, model.SelfDependency, model.NotWorkTree,
	model.TargetAbsent, model.TargetFailsOnH, model.TargetUnstable,
	model.DoesNotReverse, model.NoParse, model.NoBuild, model.TestsEntangled,
}

// again splits the rejections of a first try: changes whose base was at fault and that another
// slot covers become KV<slot key, Planned> of that slot, once; all others stay rejected.
func again(s beam.Scope, planned, rejected beam.PCollection) (next, final beam.PCollection) {
	s = s.Scope("again")
	return beam.ParDo2(s, &againFn{}, beam.CoGroupByKey(s,
		beam.ParDo(s, &wholeByChangeFn{}, planned), beam.ParDo(s, &rejectionByChangeFn{}, rejected)))
}

type wholeByChangeFn struct{}

func (wholeByChangeFn) ProcessElement(_ string, p Planned) (string, Planned) { return p.Change.ID, p }

type againFn struct{}

func (againFn) ProcessElement(_ string, planned func(*Planned) bool, rejected func(*model.Rejection) bool, emit func(string, Planned), final func(model.Rejection)) {
	var p Planned
	planned(&p)
	for r := range values(rejected) {
		if p.Next.Commit == "" || p.Try > 0 || r.Infrastructure || !slices.Contains(ofBase, r.Reason) {
			final(r)
			continue
		}
		p.Slot, p.Next, p.Try = p.Next, model.Slot{}, 1
		emit(SlotKey(p.Slot), p)
	}
}
