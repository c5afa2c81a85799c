package summary

import "fmt"

// languages is the mean time of each step by language, with the number of times it was taken.
func (p *page) languages() {
	there := map[string]bool{}
	for _, s := range p.sections {
		for _, l := range s.Languages {
			there[l.Language] = true
		}
	}
	if len(there) == 0 {
		return
	}
	rows := [][]string{p.heads("cost by language, means")}
	for _, name := range sortedKeys(there) {
		for _, step := range []struct {
			title string
			of    func(LanguageCost) Spent
		}{
			{"prepare a base", func(c LanguageCost) Spent { return c.Prepare }},
			{"build a tree", func(c LanguageCost) Spent { return c.Build }},
			{"run a unit", func(c LanguageCost) Spent { return c.Run }},
		} {
			rows = append(rows, p.row(name+": "+step.title, func(s Section) string { return step.of(s.language(name)).String() }))
		}
	}
	p.grid(rows)
}

func (s Section) language(name string) LanguageCost {
	for _, l := range s.Languages {
		if l.Language == name {
			return l
		}
	}
	return LanguageCost{}
}

// String is the mean and the number, as 2.5s of 14.
func (s Spent) String() string {
	if s.Count == 0 {
		return "-"
	}
	return fmt.Sprintf("%s of %d", duration(s.each()), s.Count)
}
