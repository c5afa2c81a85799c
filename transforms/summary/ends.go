package summary

import (
	"cmp"
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
)

// Stages is the flow's order of stages.
var Stages = []model.Stage{model.StageIngest, model.StageEvidence, model.StageBase, model.StageEnvironment, model.StageConstruct, model.StageSyntax,
	model.StageScope, model.StageAlignment, model.StageLifecycle, model.StageFidelity, model.StageLeak, model.StageReview}

// A Count is how many rows have a value.
type Count struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// A Funnel is the way of the changes: changes = ineligible + unread + eligible, and eligible =
// not drawn + before the draw + pending + settled. The settled ones are lost stage by stage.
type Funnel struct {
	Changes    int       `json:"changes"`
	Unread     int       `json:"unread"` // objects of the repository that could not be read
	Ineligible []Count   `json:"ineligible"`
	Eligible   int       `json:"eligible"`
	NotDrawn   int       `json:"not_drawn"`   // a sample left them out
	BeforeDraw int       `json:"before_draw"` // rejected before a sample was drawn
	Pending    []Count   `json:"pending"`     // no verdict, for infrastructure
	Settled    int       `json:"settled"`     // the denominator of recovery
	Stages     []AtStage `json:"stages"`
	Historical int       `json:"historical"` // tasks on the change's own revision, counted apart
	Tasks      int       `json:"tasks"`      // changes that gave a task on a modern base
	Variants   int       `json:"variants"`   // further tasks of these changes, that ask for tests
	Twins      int       `json:"twins"`      // of tasks, on the original branch: no tasks of the corpus
}

// AtStage is what a stage was given and lost.
type AtStage struct {
	Stage string `json:"stage"`
	In    int    `json:"in"`
	Lost  int    `json:"lost"`
}

// A Terminal is the one reason of eligible changes that gave no task.
type Terminal struct {
	Stage  string   `json:"stage"`
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	Share  *float64 `json:"share"` // of all lost
}

// A Recovery is the share of settled changes that gave a task on a modern base.
type Recovery struct {
	All             Group   `json:"all"`
	Families        []Group `json:"families"`
	Languages       []Group `json:"languages"`
	FamilyLanguages []Group `json:"families_by_language"`
}

// A Group is the recovery of the changes of one family, language or both; of all where both are
// empty.
type Group struct {
	Family                   string `json:"family"`
	Language                 string `json:"language"`
	Recovery                 Rate   `json:"recovery"`
	WithoutNotDiscriminating Rate   `json:"without_not_discriminating"` // n less the changes whose tests hold without them
	WithHistorical           Rate   `json:"with_historical"`            // k and the tasks on the change's own revision
}

// ends is what became of each eligible change.
type ends struct {
	changes  []Change
	sample   bool
	modern   map[string]bool // by key of the change
	newest   map[string]Task // on the newest or declared base
	planned  map[string]Task // on any modern base
	variants int
	historic map[string]bool
}

func endsOf(c Corpus) ends {
	e := ends{changes: c.Changes, modern: map[string]bool{}, newest: map[string]Task{}, planned: map[string]Task{}, historic: map[string]bool{}}
	for _, ch := range c.Changes {
		e.sample = e.sample || ch.notDrawn()
	}
	for _, t := range once(c.Tasks, Task.key) {
		if t.variant() && t.modern() {
			e.variants++
		}
	}
	for _, t := range c.Tasks {
		k := t.key()
		if t.variant() {
			continue
		}
		if !t.modern() {
			e.historic[k] = true
			continue
		}
		e.modern[k] = true
		if _, ok := e.planned[k]; !ok {
			e.planned[k] = t
		}
		if _, ok := e.newest[k]; !ok && t.single() {
			e.newest[k] = t
		}
	}
	return e
}

// settled reports whether a change counts in rates: eligible, drawn where a sample was, ended.
func (e ends) settled(c Change) bool {
	return c.Eligible && c.End != endPending && (!e.sample || c.Planned)
}

func (e ends) funnel() Funnel {
	f := Funnel{Changes: len(e.changes), Variants: e.variants}
	ineligible, pending, lost := map[string]int{}, map[string]int{}, map[model.Stage]int{}
	for _, c := range e.changes {
		switch {
		case !c.Eligible && c.End == endPending:
			f.Unread++
			continue
		case !c.Eligible:
			ineligible[c.Reason]++
			continue
		}
		f.Eligible++
		switch {
		case c.notDrawn():
			f.NotDrawn++
		case c.End == endPending:
			pending[c.EndReason]++
		case !e.settled(c):
			f.BeforeDraw++
		case e.modern[c.key()]:
			f.Tasks++
		case e.historic[c.key()]:
			f.Historical++
		default:
			lost[model.Stage(c.EndStage)]++
		}
	}
	f.Ineligible, f.Pending = counts(ineligible), counts(pending)
	for _, n := range lost {
		f.Settled += n
	}
	f.Settled += f.Tasks + f.Historical
	in := f.Settled
	f.Stages = []AtStage{}
	for _, stage := range inOrder(lost) {
		f.Stages = append(f.Stages, AtStage{string(stage), in, lost[stage]})
		in -= lost[stage]
	}
	return f
}

// inOrder are the stages that something ended at, in the flow's order, unknown ones last.
func inOrder(at map[model.Stage]int) []model.Stage {
	return slices.SortedFunc(maps.Keys(at), func(a, b model.Stage) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

func place(s model.Stage) int {
	if i := slices.Index(Stages, s); i >= 0 {
		return i
	}
	return len(Stages)
}

func counts(of map[string]int) []Count {
	out := []Count{}
	for k, n := range of {
		out = append(out, Count{k, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason)) })
	return out
}

func (e ends) terminal() []Terminal {
	type end struct{ stage, reason string }
	n, all := map[end]int{}, 0
	for _, c := range e.changes {
		if e.settled(c) && c.End == endRejection {
			n[end{c.EndStage, c.EndReason}]++
			all++
		}
	}
	out := []Terminal{}
	for k, count := range n {
		out = append(out, Terminal{k.stage, k.reason, count, share(float64(count), float64(all))})
	}
	slices.SortFunc(out, func(a, b Terminal) int {
		return cmp.Or(cmp.Compare(place(model.Stage(a.Stage)), place(model.Stage(b.Stage))), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// recovery groups the settled changes. The unit is a change with its primary family.
func (e ends) recovery() Recovery {
	families, languages, both := map[string]int{}, map[string]int{}, map[[2]string]int{}
	for _, c := range e.changes {
		if e.settled(c) {
			families[c.Family]++
			languages[c.Language]++
			both[[2]string{c.Family, c.Language}]++
		}
	}
	r := Recovery{All: e.group("", "", func(Change) bool { return true }), Families: []Group{}, Languages: []Group{}, FamilyLanguages: []Group{}}
	for _, f := range sortedKeys(families) {
		r.Families = append(r.Families, e.group(f, "", func(c Change) bool { return c.Family == f }))
		for _, l := range sortedKeys(languages) {
			if both[[2]string{f, l}] > 0 {
				r.FamilyLanguages = append(r.FamilyLanguages, e.group(f, l, func(c Change) bool { return c.Family == f && c.Language == l }))
			}
		}
	}
	for _, l := range sortedKeys(languages) {
		r.Languages = append(r.Languages, e.group("", l, func(c Change) bool { return c.Language == l }))
	}
	return r
}

func (e ends) group(family, language string, in func(Change) bool) Group {
	n := e.count(in, func(Change) bool { return true })
	k := e.count(in, func(c Change) bool { return e.modern[c.key()] })
	also := e.count(in, func(c Change) bool { return e.modern[c.key()] || e.historic[c.key()] })
	return Group{family, language, rateOf(k, n), rateOf(k, n-e.notDiscriminating(in)), rateOf(also, n)}
}

func (e ends) count(in, is func(Change) bool) int {
	n := 0
	for _, c := range e.changes {
		if e.settled(c) && in(c) && is(c) {
			n++
		}
	}
	return n
}

func (e ends) notDiscriminating(in func(Change) bool) int {
	return e.count(in, func(c Change) bool { return c.End == endRejection && c.EndReason == string(model.NotDiscriminating) })
}

// sortedKeys are the keys of maps in order.
func sortedKeys[V any](of ...map[string]V) []string {
	all := map[string]bool{}
	for _, m := range of {
		for k := range m {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
