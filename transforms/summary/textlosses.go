package summary

import (
	"fmt"
	"slices"
)

func (p *page) levels() {
	rows := [][]string{p.heads("first successful level and mapping (tasks, share; candidates that tried)")}
	type step struct {
		level   int64
		mapping string
	}
	var steps []step
	for _, s := range p.sections {
		for _, l := range s.Levels {
			for _, m := range append([]Mapping{{}}, l.Mappings...) {
				if st := (step{l.Level, m.Mapping}); !slices.Contains(steps, st) {
					steps = append(steps, st)
				}
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.level != b.level {
			return int(a.level - b.level)
		}
		return slices.Index(ladder, a.mapping) - slices.Index(ladder, b.mapping)
	})
	for _, st := range steps {
		title := "  " + st.mapping
		if st.mapping == "" {
			title = fmt.Sprintf("level %d", st.level)
		}
		rows = append(rows, p.row(title, func(s Section) string { return stepCell(s, st.level, st.mapping) }))
	}
	if len(steps) == 0 {
		rows = append(rows, p.row("  none", func(Section) string { return "0" }))
	}
	p.grid(rows)
}

func stepCell(s Section, level int64, mapping string) string {
	for _, l := range s.Levels {
		if l.Level != level {
			continue
		}
		if mapping == "" {
			return fmt.Sprintf("%d %s", l.Tasks, percent(l.Share))
		}
		for _, m := range l.Mappings {
			if m.Mapping == mapping {
				return fmt.Sprintf("%d of %d tried", m.Tasks, m.Tried)
			}
		}
	}
	return "-"
}

func (p *page) terminal() {
	rows := [][]string{p.heads("terminal reason of eligible changes without a task")}
	var ends []Terminal
	for _, s := range p.sections {
		for _, t := range s.Terminal {
			if !slices.ContainsFunc(ends, func(e Terminal) bool { return e.Stage == t.Stage && e.Reason == t.Reason }) {
				ends = append(ends, t)
			}
		}
	}
	order := p.stages()
	slices.SortStableFunc(ends, func(a, b Terminal) int { return slices.Index(order, a.Stage) - slices.Index(order, b.Stage) })
	for _, e := range ends {
		rows = append(rows, p.row("  "+e.Stage+" "+e.Reason, func(s Section) string {
			for _, t := range s.Terminal {
				if t.Stage == e.Stage && t.Reason == e.Reason {
					return fmt.Sprintf("%d %6s", t.Count, percent(t.Share))
				}
			}
			return "-"
		}))
	}
	if len(ends) == 0 {
		rows = append(rows, p.row("  none", func(Section) string { return "0" }))
	}
	p.grid(rows)
}
