package build

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taskmill/taskmill/io/blobio"
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
)

func init() {
	beam.RegisterDoFn(&modernFn{})
	beam.RegisterDoFn(&twinFn{})
	beam.RegisterDoFn(&oneListFn{})
	beam.RegisterDoFn(&pairsFn{})
}

// PairsFile is where a corpus with twins has its pairs, for compare.
const PairsFile = "pairs.tsv"

// twins makes the original-branch twin of each change that gave a task on a base of the plan: the
// same change, undone on the commit that first held it.
func twins(s beam.Scope, cfg Config, planned, tasks beam.PCollection) tried {
	s = s.Scope("twins")
	return try(s, cfg, beam.ParDo(s, &twinFn{}, beam.CoGroupByKey(s, beam.ParDo(s, &wholeByChangeFn{}, planned), beam.ParDo(s, &modernFn{}, tasks))))
}

// modernFn keys the tasks on bases of the plan by their ids.
type modernFn struct{}

func (modernFn) ProcessElement(t model.Task, emit func(string, string)) {
	if t.BaseKind != base.Historical {
		emit(t.InstanceID, t.InstanceID)
	}
}

type twinFn struct{}

func (twinFn) ProcessElement(_ string, planned func(*Planned) bool, tasks func(*string) bool, emit func(string, Planned)) {
	var p Planned
	var id string
	if !planned(&p) || !tasks(&id) {
		return // a further variant of a change is no change
	}
	if p, ok := own(p); ok {
		p.Twin = true
		emit(SlotKey(p.Slot), p)
	}
}

// writePairs writes which tasks are twins into the corpus.
func writePairs(s beam.Scope, cfg Config, tasks beam.PCollection) {
	s = s.Scope("pairs")
	beam.ParDo0(s, &pairsFn{Out: cfg.Out}, beam.GroupByKey(s, beam.ParDo(s, &oneListFn{}, tasks)))
}

type oneListFn struct{}

func (oneListFn) ProcessElement(t model.Task) (string, string) { return PairsFile, t.InstanceID }

type pairsFn struct{ Out string }

func (f *pairsFn) ProcessElement(ctx context.Context, name string, next func(*string) bool) error {
	store, err := blobio.Open(ctx, f.Out)
	if err != nil {
		return err
	}
	return store.Write(ctx, name, pairsOf(slices.Collect(values(next))))
}

// pairsOf are the lines of a pairs file: each twin and its task, where both are among the ids.
func pairsOf(ids []string) []byte {
	slices.Sort(ids)
	var b strings.Builder
	b.WriteString("# the task on the original branch, the task on a base of the plan\na\tb\n")
	for _, id := range ids {
		of, ok := model.TwinOf(id)
		if !ok {
			continue
		}
		if _, there := slices.BinarySearch(ids, of); there {
			b.WriteString(id + "\t" + of + "\n")
		}
	}
	return []byte(b.String())
}
