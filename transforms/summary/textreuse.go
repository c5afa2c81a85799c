package summary

import (
	"fmt"
)

func (p *page) fidelity() {
	rows := [][]string{{"fidelity, means", "tasks", "weighted", "equal", "lines", "hunks", "files", "symbols", "target", "regression"}}
	for _, s := range p.sections {
		prefix := ""
		if len(p.sections) > 1 {
			prefix = s.Corpus + ": "
		}
		f := s.Fidelity
		rows = append(rows, f.All.cells(prefix+"all"))
		for _, family := range f.Families {
			rows = append(rows, family.cells("  "+family.Family))
		}
		for _, level := range f.Levels {
			rows = append(rows, level.cells(fmt.Sprintf("  level %d", level.Level)))
		}
		rows = append(rows, []string{"  mean of families", "", third(f.Macro)})
		if f.Unscored > 0 {
			rows = append(rows, []string{"  without a fidelity", fmt.Sprint(f.Unscored)})
		}
	}
	p.grid(rows)
}

func (s Similarity) cells(title string) []string {
	row := []string{title, fmt.Sprint(s.Tasks), third(s.Weighted), third(s.Equal)}
	if s.Parts == nil {
		return append(row, "-", "-", "-", "-", "-", "-")
	}
	for _, v := range []float64{s.Parts.Lines, s.Parts.Hunks, s.Parts.Files, s.Parts.Symbols, s.Parts.Target, s.Parts.Regression} {
		row = append(row, third(&v))
	}
	return row
}

func (p *page) reuse() {
	rows := [][]string{p.heads("reuse of bases")}
	line := func(title string, of func(Reuse) string) {
		rows = append(rows, p.row(title, func(s Section) string { return of(s.Reuse) }))
	}
	line("tasks", func(r Reuse) string { return fmt.Sprint(r.Tasks) })
	line("bases prepared", func(r Reuse) string { return fmt.Sprint(r.BasesPrepared) })
	line("  of these healthy", func(r Reuse) string { return fmt.Sprint(r.BasesHealthy) })
	line("  with tasks", func(r Reuse) string { return fmt.Sprint(r.BasesWithTasks) })
	line("bases that could not be prepared", func(r Reuse) string { return fmt.Sprint(r.BasesFailed) })
	line("tasks a base", func(r Reuse) string { return ratio(r.TasksPerBase) })
	for _, f := range p.families() {
		line("  "+f, func(r Reuse) string {
			for _, own := range r.Families {
				if own.Family == f {
					return fmt.Sprintf("%d on %d = %.2f", own.Tasks, own.Bases, own.TasksPerBase)
				}
			}
			return "-"
		})
	}
	line("environments, time", func(r Reuse) string {
		return duration(r.Environment.Seconds) + missing(r.Environment.SecondsUnmeasured)
	})
	line("environments, storage", func(r Reuse) string { return bytes(r.Environment.Bytes) + missing(r.Environment.BytesUnmeasured) })
	line("builds of states", func(r Reuse) string { return duration(r.BuildSeconds) })
	line("runs of the bases", func(r Reuse) string { return duration(r.BaseRunSeconds) })
	line("runs of accepted candidates", func(r Reuse) string { return duration(r.TaskSeconds) })
	line("runs of other candidates", func(r Reuse) string { return duration(r.LostSeconds) })
	line("model cost", func(r Reuse) string { return figure(r.ModelUSD, "$%.2f") })
	line("a task, by reuse: environment time", func(r Reuse) string { return duration(r.PerTask.EnvironmentSeconds) })
	line("a task, by reuse: storage", func(r Reuse) string { return bytes(r.PerTask.Bytes) })
	line("a task, by reuse: runs", func(r Reuse) string { return duration(r.PerTask.RunSeconds) })
	one := func(of func(OneEnvironment) string) func(Reuse) string {
		return func(r Reuse) string {
			if r.OneEnvironment == nil {
				return absent
			}
			return of(*r.OneEnvironment)
		}
	}
	line("a task, own environment: tasks measured", one(func(o OneEnvironment) string { return fmt.Sprint(o.Measured) }))
	line("a task, own environment: time", one(func(o OneEnvironment) string { return duration(o.Seconds) }))
	line("a task, own environment: storage", one(func(o OneEnvironment) string { return bytes(o.Bytes) }))
	line("saved by reuse: environment time", func(r Reuse) string { return saved(r.EnvironmentSaving) })
	line("saved by reuse: storage", func(r Reuse) string { return saved(r.StorageSaving) })
	p.grid(rows)
}

func ratio(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *v)
}

func (p *page) families() []string {
	there := map[string]bool{}
	for _, s := range p.sections {
		for _, f := range s.Reuse.Families {
			there[f.Family] = true
		}
	}
	return sortedKeys(there)
}
