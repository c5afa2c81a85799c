package summary

import (
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/base"
)

// apart is the corpus without the twins of its tasks, and how many those are; and without what
// was spent on changes' own revisions, which is no cost of a plan.
func (c Corpus) apart() (Corpus, int) {
	twins := 0
	c.Tasks = without(c.Tasks, func(t Task) bool {
		is := twin(t.InstanceID)
		twins += btoi(is)
		return is
	})
	c.Rejections = without(c.Rejections, func(r Rejection) bool { return twin(r.Candidate) })
	c.Attempts = without(c.Attempts, func(a Attempt) bool { return twin(a.Candidate) })
	c.Costs = without(c.Costs, func(cost model.Cost) bool { return twin(cost.Key) })
	own := map[string]bool{}
	c.Bases = without(c.Bases, func(b Base) bool {
		is := b.BaseKind == base.Historical
		own[b.BaseCommit] = own[b.BaseCommit] || is
		return is
	})
	for _, b := range c.Bases { // of the plan too
		delete(own, b.BaseCommit)
	}
	c.Runs = without(c.Runs, func(r Run) bool { return own[r.BaseCommit] })
	return c, twins
}

func twin(id string) bool {
	_, is := model.TwinOf(id)
	return is
}

func without[T any](rows []T, is func(T) bool) []T { return slices.DeleteFunc(slices.Clone(rows), is) }
