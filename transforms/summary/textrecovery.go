package summary

import (
	"slices"
	"strings"
)

// recovery is printed with and without the changes whose tests hold without them.
func (p *page) recovery() {
	p.rates("recovery, 95 % Wilson interval", func(g Group) Rate { return g.Recovery })
	p.rates("the same less not_discriminating", func(g Group) Rate { return g.WithoutNotDiscriminating })
	if slices.ContainsFunc(p.sections, func(s Section) bool { return s.Funnel.Historical > 0 }) {
		p.rates("the same with historical bases", func(g Group) Rate { return g.WithHistorical })
	}
}

func (p *page) rates(title string, of func(Group) Rate) {
	rows := [][]string{p.heads(title)}
	rows = append(rows, p.row("all", func(s Section) string { return of(s.Recovery.All).String() }))
	lists := []func(Recovery) []Group{
		func(r Recovery) []Group { return r.Families }, func(r Recovery) []Group { return r.Languages }}
	if slices.ContainsFunc(p.sections, func(s Section) bool { return len(s.Recovery.Languages) > 1 }) {
		lists = append(lists, func(r Recovery) []Group { return r.FamilyLanguages })
	}
	for _, list := range lists {
		for _, name := range p.groups(list) {
			rows = append(rows, p.row("  "+name, func(s Section) string {
				if g, ok := find(list(s.Recovery), name); ok {
					return of(g).String()
				}
				return "-"
			}))
		}
	}
	p.grid(rows)
}

func (g Group) name() string {
	return strings.Trim(g.Family+", "+g.Language, ", ")
}

func (p *page) groups(list func(Recovery) []Group) []string {
	there := map[string]bool{}
	for _, s := range p.sections {
		for _, g := range list(s.Recovery) {
			there[g.name()] = true
		}
	}
	return sortedKeys(there)
}

func find(groups []Group, name string) (Group, bool) {
	for _, g := range groups {
		if g.name() == name {
			return g, true
		}
	}
	return Group{}, false
}

// published is Change2Task's own recovery, of benchmark rows.
var published = struct{ tasks, eligible int }{900, 1130}

// bases has two rows a section, newest base and plan, under each other.
func (p *page) bases() {
	rows := [][]string{{"newest base and plan; medians", "recovery", "less not_discriminating", "merge to base", "base to newest"}}
	for _, s := range p.sections {
		newest := s.Corpus + ": newest base"
		if s.Bases.NewestIsLowerBound {
			newest += ", at least"
		}
		rows = append(rows, s.Bases.Newest.cells(newest), s.Bases.Plan.cells(s.Corpus+": plan"))
	}
	rows = append(rows, []string{"Change2Task as published", "", rateOf(published.tasks, published.eligible).String()})
	p.grid(rows)
}

func (b OnBases) cells(title string) []string {
	return []string{title, b.Recovery.String(), b.WithoutNotDiscriminating.String(), distance(b.MergeDays, b.MergeCommits), distance(b.NewestDays, b.NewestCommits)}
}

func distance(days, commits *float64) string {
	if days == nil {
		return "-"
	}
	return whole(days) + " days, " + whole(commits) + " commits"
}
