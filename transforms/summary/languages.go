package summary

import "strings"

// A LanguageCost is what the states and runs of a language's bases took: an environment is
// prepared once a base, a tree is built once, each unit in it is run as often as was asked. Times
// are those of the machine that did it, whichever build that was.
type LanguageCost struct {
	Language string `json:"language"` // several joined by + where they share a base's environment
	Prepare  Spent  `json:"prepare"`  // bases with a time
	Build    Spent  `json:"build"`    // trees of bases and constructed ones; none where nothing is built
	Run      Spent  `json:"run"`      // commands of a unit
}

// Spent is a number of things and the seconds of all.
type Spent struct {
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
}

func (s *Spent) add(seconds float64) {
	s.Count++
	s.Seconds += seconds
}

// each is the mean, nil of none.
func (s Spent) each() *float64 { return share(s.Seconds, float64(s.Count)) }

// languageCosts are by language. A run is told by the base whose commit and lock it names.
func languageCosts(c Corpus) []LanguageCost {
	speaks, costs := map[string]string{}, map[string]*LanguageCost{}
	of := func(language string) *LanguageCost {
		if costs[language] == nil {
			costs[language] = &LanguageCost{Language: language}
		}
		return costs[language]
	}
	for _, b := range c.prepared() {
		if !b.Prepared {
			continue
		}
		k := environment(b.Repo, b.BaseCommit, b.LockHash)
		if !strings.Contains("+"+speaks[k]+"+", "+"+b.Language+"+") {
			speaks[k] = strings.TrimPrefix(speaks[k]+"+"+b.Language, "+")
		}
		if b.PrepareSeconds > 0 {
			of(b.Language).Prepare.add(b.PrepareSeconds)
		}
	}
	for _, r := range once(c.Runs, func(r Run) string { return r.RunHash }) {
		language, ok := speaks[environment(r.Repo, r.BaseCommit, r.LockHash)]
		switch {
		case !ok: // the table bases lacks its base
		case r.Unit == "":
			of(language).Build.add(r.Seconds)
		default:
			of(language).Run.add(r.Seconds)
		}
	}
	out := []LanguageCost{}
	for _, l := range sortedKeys(costs) {
		out = append(out, *costs[l])
	}
	return out
}

func environment(repo, commit, lock string) string { return repo + "@" + commit + "#" + lock }
