package summary

import (
	"maps"
	"slices"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/stats"
)

// A Level is the tasks whose first success was at a level of the ladder.
type Level struct {
	Level    int64     `json:"level"`
	Tasks    int       `json:"tasks"`
	Share    *float64  `json:"share"` // of all tasks with a level
	Mappings []Mapping `json:"mappings"`
}

// A Mapping is one step of a level: how many candidates tried it, and the tasks that it gave.
type Mapping struct {
	Mapping string `json:"mapping"`
	Tried   int    `json:"tried"`
	Tasks   int    `json:"tasks"`
}

// ladder is the order of mappings within a level.
var ladder = []string{"reversal", "block", "rename", "merge3", "tokens", "symbol", "partial", "agent"}

func levelsOf(tasks []Task, attempts []Attempt) []Level {
	type step struct {
		level   int64
		mapping string
	}
	won, tried, all := map[step]int{}, map[step]map[string]bool{}, 0
	try := func(s step, candidate string) {
		if tried[s] == nil {
			tried[s] = map[string]bool{}
		}
		tried[s][candidate] = true
	}
	for _, a := range attempts {
		try(step{a.Level, a.Mapping}, a.Candidate)
	}
	for _, t := range tasks {
		if t.Level > 0 {
			won[step{t.Level, t.Mapping}]++
			try(step{t.Level, t.Mapping}, t.InstanceID)
			all++
		}
	}
	byLevel := map[int64]*Level{}
	for s := range tried {
		if byLevel[s.level] == nil {
			byLevel[s.level] = &Level{Level: s.level}
		}
		l := byLevel[s.level]
		l.Tasks += won[s]
		l.Mappings = append(l.Mappings, Mapping{s.mapping, len(tried[s]), won[s]})
	}
	out := []Level{}
	for _, n := range slices.Sorted(maps.Keys(byLevel)) {
		l := byLevel[n]
		l.Share = share(float64(l.Tasks), float64(all))
		slices.SortFunc(l.Mappings, func(a, b Mapping) int {
			return slices.Index(ladder, a.Mapping) - slices.Index(ladder, b.Mapping)
		})
		out = append(out, *l)
	}
	return out
}

// A Fidelity is the mean similarity of tasks to their changes, by family, level and dimension.
type Fidelity struct {
	All      Similarity   `json:"all"`
	Families []Similarity `json:"families"`
	Levels   []Similarity `json:"levels"`
	Macro    *float64     `json:"macro"`    // mean of the families' weighted means
	Unscored int          `json:"unscored"` // tasks without a fidelity
}

// A Similarity is the means over some tasks, 0 to 1; null where there is none.
type Similarity struct {
	Family   string               `json:"family"`
	Level    int64                `json:"level"` // 0: all
	Tasks    int                  `json:"tasks"`
	Weighted *float64             `json:"weighted"`
	Equal    *float64             `json:"equal"`
	Parts    *SimilarityDimension `json:"parts"`
}

// A SimilarityDimension is the means of the six dimensions.
type SimilarityDimension struct {
	Lines      float64 `json:"lines"`
	Hunks      float64 `json:"hunks"`
	Files      float64 `json:"files"`
	Symbols    float64 `json:"symbols"`
	Target     float64 `json:"target"`
	Regression float64 `json:"regression"`
}

func fidelityOf(tasks []Task) Fidelity {
	var scored []Task
	families, levels := map[string][]Task{}, map[int64][]Task{}
	for _, t := range tasks {
		if t.Fidelity == nil || t.FidelityEqual == nil || t.FidelityParts == nil {
			continue
		}
		scored = append(scored, t)
		families[t.Family] = append(families[t.Family], t)
		levels[t.Level] = append(levels[t.Level], t)
	}
	f := Fidelity{All: similarityOf("", 0, scored), Families: []Similarity{}, Levels: []Similarity{}, Unscored: len(tasks) - len(scored)}
	var means []float64
	for _, name := range sortedKeys(families) {
		s := similarityOf(name, 0, families[name])
		f.Families = append(f.Families, s)
		means = append(means, *s.Weighted)
	}
	for _, n := range slices.Sorted(maps.Keys(levels)) {
		f.Levels = append(f.Levels, similarityOf("", n, levels[n]))
	}
	f.Macro = mean(means)
	return f
}

func similarityOf(family string, level int64, tasks []Task) Similarity {
	s := Similarity{Family: family, Level: level, Tasks: len(tasks)}
	if len(tasks) == 0 {
		return s
	}
	of := func(part func(Task) float64) float64 {
		values := make([]float64, len(tasks))
		for i, t := range tasks {
			values[i] = part(t)
		}
		v, _ := stats.Mean(values)
		return v
	}
	weighted, equal := of(func(t Task) float64 { return *t.Fidelity }), of(func(t Task) float64 { return *t.FidelityEqual })
	part := func(p func(*model.FidelityParts) float64) float64 {
		return of(func(t Task) float64 { return p(t.FidelityParts) })
	}
	s.Weighted, s.Equal = &weighted, &equal
	s.Parts = &SimilarityDimension{
		Lines:      part(func(p *model.FidelityParts) float64 { return p.Lines }),
		Hunks:      part(func(p *model.FidelityParts) float64 { return p.Hunks }),
		Files:      part(func(p *model.FidelityParts) float64 { return p.Files }),
		Symbols:    part(func(p *model.FidelityParts) float64 { return p.Symbols }),
		Target:     part(func(p *model.FidelityParts) float64 { return p.Target }),
		Regression: part(func(p *model.FidelityParts) float64 { return p.Regression }),
	}
	return s
}

func mean(values []float64) *float64 {
	if v, ok := stats.Mean(values); ok {
		return &v
	}
	return nil
}
