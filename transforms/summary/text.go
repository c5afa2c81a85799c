package summary

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Text writes a report as aligned tables: a column a corpus, and one for the union.
func (r Report) Text(w io.Writer) error {
	sections := slices.Clone(r.Corpora)
	if r.Union != nil {
		sections = append(sections, *r.Union)
	}
	p := page{sections: sections}
	p.corpora()
	p.funnel()
	p.recovery()
	p.bases()
	p.levels()
	p.terminal()
	p.fidelity()
	p.reuse()
	p.languages()
	for _, note := range r.Notes {
		p.text.WriteString("note: " + note + "\n")
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// A page is a report being written.
type page struct {
	sections []Section
	text     strings.Builder
}

func (p *page) grid(rows [][]string) {
	Grid(&p.text, rows)
	p.text.WriteByte('\n')
}

// heads is a heading with the names of the sections.
func (p *page) heads(title string) []string {
	row := []string{title}
	for _, s := range p.sections {
		row = append(row, s.Corpus)
	}
	return row
}

// row is one figure of each section.
func (p *page) row(title string, of func(Section) string) []string {
	row := []string{title}
	for _, s := range p.sections {
		row = append(row, of(s))
	}
	return row
}

func (p *page) corpora() {
	rows := [][]string{{"corpus", "changes", "eligible", "eligible set", "tasks", "folder"}}
	for _, s := range p.sections {
		rows = append(rows, []string{s.Corpus, fmt.Sprint(s.Funnel.Changes), fmt.Sprint(s.Funnel.Eligible), s.EligibleSet[:min(12, len(s.EligibleSet))], fmt.Sprint(s.Funnel.Tasks), s.Folder})
	}
	p.grid(rows)
}

// funnel is the way from the changes to the tasks: what goes on stands to the left, what is lost
// is indented.
func (p *page) funnel() {
	rows := [][]string{p.heads("from eligible changes to tasks")}
	some := func(title string, of func(Funnel) int) {
		if slices.ContainsFunc(p.sections, func(s Section) bool { return of(s.Funnel) > 0 }) {
			rows = append(rows, p.row(title, func(s Section) string { return fmt.Sprint(of(s.Funnel)) }))
		}
	}
	rows = append(rows, p.row("changes", func(s Section) string { return fmt.Sprint(s.Funnel.Changes) }))
	some("  not read", func(f Funnel) int { return f.Unread })
	for _, reason := range p.names(func(s Section) []Count { return s.Funnel.Ineligible }) {
		some("  "+reason, func(f Funnel) int { return countOf(f.Ineligible, reason) })
	}
	rows = append(rows, p.row("eligible", func(s Section) string { return fmt.Sprint(s.Funnel.Eligible) }))
	some("  not drawn by --sample, or of other --families", func(f Funnel) int { return f.NotDrawn })
	some("  ended before the draw", func(f Funnel) int { return f.BeforeDraw })
	for _, reason := range p.names(func(s Section) []Count { return s.Funnel.Pending }) {
		some("  pending: "+reason, func(f Funnel) int { return countOf(f.Pending, reason) })
	}
	if slices.ContainsFunc(p.sections, func(s Section) bool { return s.Funnel.Settled != s.Funnel.Eligible }) {
		rows = append(rows, p.row("settled", func(s Section) string { return fmt.Sprint(s.Funnel.Settled) }))
	}
	for _, stage := range p.stages() {
		some("  lost at "+stage, func(f Funnel) int { return lostAt(f, stage) })
	}
	some("  on the historical base", func(f Funnel) int { return f.Historical })
	rows = append(rows, p.row("tasks", func(s Section) string { return fmt.Sprint(s.Funnel.Tasks) }))
	some("  further variants, asking for tests", func(f Funnel) int { return f.Variants })
	some("  twins on the original branch", func(f Funnel) int { return f.Twins })
	p.grid(rows)
}

// names are the reasons of all sections, in the order of the first that has them.
func (p *page) names(of func(Section) []Count) []string {
	var out []string
	for _, s := range p.sections {
		for _, c := range of(s) {
			if !slices.Contains(out, c.Reason) {
				out = append(out, c.Reason)
			}
		}
	}
	return out
}

func (p *page) stages() []string {
	there := map[string]bool{}
	for _, s := range p.sections {
		for _, stage := range s.Funnel.Stages {
			there[stage.Stage] = true
		}
	}
	var out []string
	for _, s := range Stages {
		if there[string(s)] {
			out = append(out, string(s))
			delete(there, string(s))
		}
	}
	return append(out, sortedKeys(there)...)
}

func countOf(counts []Count, reason string) int {
	for _, c := range counts {
		if c.Reason == reason {
			return c.Count
		}
	}
	return 0
}

func lostAt(f Funnel, stage string) int {
	for _, s := range f.Stages {
		if s.Stage == stage {
			return s.Lost
		}
	}
	return 0
}
