package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/pipelines/execute"
)

func runShow(ctx context.Context, c *call) error {
	hidden := c.flags.Bool("hidden", false, "show the hidden patches too")
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.args) == 0 || len(c.args) > 2 {
		return usagef("want a corpus folder, and a task or none for a list: taskmill show CORPUS [TASK]")
	}
	if *hidden && len(c.args) == 1 {
		return usagef("--hidden shows the patches of one task: taskmill show CORPUS TASK --hidden")
	}
	corpus, err := execute.ReadCorpus(ctx, c.args[0])
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		return listTasks(c, corpus)
	}
	t, err := corpus.Task(c.args[1])
	if err != nil {
		return err
	}
	showTask(c, t, *hidden)
	return nil
}

func listTasks(c *call, corpus *execute.Corpus) error {
	w := tabwriter.NewWriter(c.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "task\tfamily\tlanguage\tlevel\tfail to pass\tpass to pass\tstatement")
	for _, t := range corpus.Tasks {
		title, _, _ := strings.Cut(t.ProblemStatement, "\n")
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", t.InstanceID, t.Family, t.Language, t.Level, len(t.FailToPass), len(t.PassToPass), printable(title))
	}
	return w.Flush()
}

func showTask(c *call, t model.Task, hidden bool) {
	p := func(name, format string, args ...any) {
		fmt.Fprintf(c.out, "%-18s %s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	p("task", "%s", t.InstanceID)
	p("method", "%s, %s, level %d (%s)", t.Method, t.Family, t.Level, t.Mapping)
	p("repository", "%s (%s)", t.Repo, t.Language)
	p("base", "%s (%s), %d commits and %d days after the merge", t.BaseCommit, t.BaseKind, t.BaseDistanceMerge.Commits, t.BaseDistanceMerge.Days)
	if t.SourcePR != nil {
		p("source", "pull request %d, merged %s as %s", *t.SourcePR, t.SourceMergedAt.UTC().Format("2006-01-02"), t.SourceCommit)
	} else if t.SourceMergedAt != nil {
		p("source", "commit %s of %s", t.SourceCommit, t.SourceMergedAt.UTC().Format("2006-01-02"))
	}
	p("repeats", "%d, flake rate at most %.2f, clock tested: %v", t.Repeats, t.FlakeBound, t.ClockTested)
	if t.Fidelity != nil {
		p("fidelity", "%.3f (equal weights %.3f), restoration %s", *t.Fidelity, *t.FidelityEqual, t.Restoration)
	}
	section(c, "problem statement", t.ProblemStatement)
	section(c, "interface", t.Interface)
	section(c, "fail to pass", strings.Join(t.FailToPass, "\n"))
	pass := t.PassToPass
	if len(pass) > 20 && !hidden {
		pass = append(pass[:20:20], fmt.Sprintf("… and %d more", len(t.PassToPass)-20))
	}
	section(c, "pass to pass", strings.Join(pass, "\n"))
	if hidden {
		section(c, "patch (gold)", t.Patch)
		section(c, "test patch (hidden)", t.TestPatch)
		section(c, "task patch (base to solver)", t.TaskPatch)
		return
	}
	fmt.Fprintf(c.out, "\nThe hidden patches: taskmill show --hidden\n")
}

func section(c *call, name, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(c.out, "\n%s\n", name)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(c.out, "  %s\n", printable(line))
	}
}

// printable shows control characters of hostile names and patches instead of sending them to
// the terminal, those that turn the direction of text too: a carriage return, which honest files hold, as its picture.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\u240d'
		case r < 0x20 && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r):
			return '\ufffd'
		}
		return r
	}, s)
}
