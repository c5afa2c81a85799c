package construct

import (
	"slices"
	"strings"

	"github.com/taskmill/taskmill/model"
	"github.com/taskmill/taskmill/transforms/evidence"
)

// Interface gives each name and signature that hidden checks use and S lacks, by file: removed
// are the symbols that D removes or whose signature it changes, as H holds them (Draft.Removed).
// It is empty where the hidden checks use none.
func Interface(hidden []model.Surface, removed []model.Symbol) string {
	full, last := map[string]bool{}, map[string]bool{}
	for _, h := range hidden {
		for _, u := range h.Uses {
			full[u], last[evidence.LastName(u)] = true, true
		}
	}
	var b strings.Builder
	file := ""
	for _, s := range evidence.Listed(removed) {
		if !full[s.Name] && !last[evidence.LastName(s.Name)] {
			continue
		}
		if s.Path != file {
			if file != "" {
				b.WriteString("\n")
			}
			file = s.Path
			b.WriteString(file + "\n")
		}
		b.WriteString("    " + evidence.Declaration(s) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// RemovedUses are the names of removed that a test function names, sorted: by qualified name or,
// where the receiver is not known, by the last part of it.
func RemovedUses(s model.Surface, removed []model.Symbol) []string {
	full, last := map[string]bool{}, map[string]bool{}
	for _, u := range s.Uses {
		full[u], last[evidence.LastName(u)] = true, true
	}
	var out []string
	for _, r := range removed {
		if full[r.Name] || last[evidence.LastName(r.Name)] {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Statement is a task's problem statement: what the change is about, as its text or, where that
// is too thin, its specification tells. It ends without a line end.
func Statement(c model.Change) string { return strings.TrimSpace(c.Text) }

// PartialStatement is the problem statement of a change that was undone in part: what D removes
// and the behaviour that the hidden checks name, and nothing of the change's own text.
func PartialStatement(d Draft, hidden []model.Surface) string {
	return evidence.Specification(d.Removed, hidden)
}

// maxListed bounds how many paths a goal names.
const maxListed = 20

// MigrationGoal is what a migration's statement says beyond the change's own text: what the
// structural check demands.
func MigrationGoal(old, new string, paths []string) string {
	where := strings.Join(paths, ", ")
	if len(paths) > maxListed {
		where = "the project's own code"
	}
	return "\n\nThe calls of `" + old + "` in " + where + " are to become calls of `" + new + "`, written by that name; no call of `" + old + "` stays there or moves elsewhere."
}

// TestGoal is the statement of the variant that asks for tests of what a statement tells.
func TestGoal(statement string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(statement), "\n")
	return "Write tests: " + strings.TrimSpace(title) + `

Write tests for the behaviour described below. The code as it stands is defective: at least one of your tests must fail on it by an assertion, and every test in the files that you add or edit must hold once the defect is mended. Add or edit test files only. Changes to other files, and to what configures the test runner, are dropped.

` + strings.TrimSpace(statement)
}
