package summary

import (
	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
	"github.com/taskmill/taskmill/transforms/stats"
)

// Schema is the version of a report's JSON form. A field that is taken away or means something
// else raises it; new fields do not.
const Schema = 1

// A Report is what is said of one or several corpora. A figure that the tables do not hold is
// null. Rates are 0 to 1, times seconds, sizes bytes, money USD.
type Report struct {
	Schema          int       `json:"schema"`
	Corpora         []Section `json:"corpora"`
	Union           *Section  `json:"union"`             // of several corpora, each change counted once; null for one
	SameEligibleSet bool      `json:"same_eligible_set"` // only then are the corpora's rates of the same changes
	Notes           []string  `json:"notes"`             // what a reader of the figures has to know
}

// A Section is one corpus, or the union.
type Section struct {
	Corpus      string         `json:"corpus"`
	Folder      string         `json:"folder"`
	ConfigHash  string         `json:"config_hash"`
	Version     string         `json:"taskmill_version"`
	EligibleSet string         `json:"eligible_set"` // hash of the ids and merge commits of the eligible changes
	Funnel      Funnel         `json:"funnel"`
	Recovery    Recovery       `json:"recovery"`
	Levels      []Level        `json:"levels"`
	Terminal    []Terminal     `json:"terminal_reasons"`
	Fidelity    Fidelity       `json:"fidelity"`
	Bases       BaseRecovery   `json:"bases"`
	Reuse       Reuse          `json:"reuse"`
	Languages   []LanguageCost `json:"languages"`
	Methods     []Method       `json:"methods"`
}

// A Rate is k in n with its 95 % Wilson interval; rate and interval are null where n is 0.
type Rate struct {
	K    int      `json:"k"`
	N    int      `json:"n"`
	Rate *float64 `json:"rate"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

func rateOf(k, n int) Rate {
	r := Rate{K: k, N: n}
	if n > 0 {
		p, in := float64(k)/float64(n), stats.Wilson(k, n)
		r.Rate, r.Low, r.High = &p, &in.Low, &in.High
	}
	return r
}

// share is part of whole; nil where there is no whole.
func share(part, whole float64) *float64 {
	if whole == 0 {
		return nil
	}
	v := part / whole
	return &v
}

// A Method is how many tasks and rejections a method gave.
type Method struct {
	Method     string `json:"method"`
	Tasks      int    `json:"tasks"`
	Rejections int    `json:"rejections"`
}

// Make makes the report of corpora, at least one, that passed Check.
func Make(corpora []Corpus) Report {
	r := Report{Schema: Schema, SameEligibleSet: true, Notes: []string{}}
	for _, c := range corpora {
		r.Corpora = append(r.Corpora, sectionOf(c))
	}
	lower := false
	for _, s := range r.Corpora {
		r.SameEligibleSet = r.SameEligibleSet && s.EligibleSet == r.Corpora[0].EligibleSet
		lower = lower || s.Bases.NewestIsLowerBound
	}
	if len(corpora) > 1 {
		u := sectionOf(Union(corpora))
		if r.SameEligibleSet && anyExact(r.Corpora) {
			lower = false // one of the builds asked the newest base about every change
		}
		u.Bases.NewestIsLowerBound = lower
		r.Union = &u
	}
	r.note()
	return r
}

func anyExact(sections []Section) bool {
	for _, s := range sections {
		if !s.Bases.NewestIsLowerBound && s.Funnel.NotDrawn == 0 {
			return true
		}
	}
	return false
}

func sectionOf(c Corpus) Section {
	s := Section{Corpus: c.Name, Folder: c.Folder, ConfigHash: c.ConfigHash, Version: c.Version, EligibleSet: eligibleSet(c.Changes)}
	c, twins := c.apart()
	e := endsOf(c)
	s.Funnel, s.Terminal = e.funnel(), e.terminal()
	s.Funnel.Twins = twins
	s.Recovery = e.recovery()
	tasks := c.modern()
	s.Levels = levelsOf(tasks, c.Attempts)
	s.Fidelity = fidelityOf(tasks)
	s.Bases = e.bases(c)
	s.Reuse = reuseOf(c, tasks)
	s.Languages = languageCosts(c)
	s.Methods = methodsOf(c)
	return s
}

func eligibleSet(changes []Change) string {
	set := make([]model.Change, len(changes))
	for i, c := range changes {
		set[i] = model.Change{ID: c.Change, Eligible: c.Eligible, Record: model.Record{MergeCommit: model.Hash(c.SourceCommit)}}
	}
	return string(evidence.EligibleSetHash(set))
}

func methodsOf(c Corpus) []Method {
	tasks, rejections := map[string]int{}, map[string]int{}
	for _, t := range once(c.Tasks, Task.key) {
		tasks[t.Method]++
	}
	recovered := map[string]bool{}
	for _, t := range c.Tasks {
		recovered[t.InstanceID] = true
	}
	for _, r := range c.Rejections {
		if !recovered[r.Candidate] { // in the union a candidate may have both
			rejections[r.Method]++
		}
	}
	out := []Method{}
	for _, m := range sortedKeys(tasks, rejections) {
		out = append(out, Method{m, tasks[m], rejections[m]})
	}
	return out
}
