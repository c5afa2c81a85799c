package evaluate

import (
	"fmt"
	"strings"
	"time"

	"github.com/taskmill/taskmill/model"
)

// Bounds of a score's detail.
const (
	maxNamed  = 3   // units, paths
	maxDetail = 500 // bytes of one cause
)

// note says what ended a unit before its tests could, or why its report counts for nothing;
// empty where tests decided.
func note(o model.Observation, outcome string) string {
	limit := ""
	switch l := o.Run.Limits; o.Outcome {
	case model.OutcomeTimeout:
		limit = "time limit" + of(l.Wall > 0, l.Wall.Round(time.Second))
	case model.OutcomeMemory:
		limit = "memory limit" + of(l.MemoryBytes > 0, mebibytes(l.MemoryBytes))
	case model.OutcomeOutput:
		limit = "limit of its output or report" + of(l.OutputBytes > 0, mebibytes(l.OutputBytes))
	case model.OutcomeDisk:
		limit = "disk limit" + of(l.DiskBytes > 0, mebibytes(l.DiskBytes))
	}
	switch {
	case outcome == Infrastructure:
		return fmt.Sprintf("unit %s: the machine failed: %s", o.Run.Unit, o.Detail)
	case limit != "":
		return fmt.Sprintf("unit %s met the %s", o.Run.Unit, limit)
	case outcome == Forged:
		return fmt.Sprintf("unit %s reports without both planted checks", o.Run.Unit)
	case o.Outcome == model.OutcomeNoReport:
		return fmt.Sprintf("unit %s: %s", o.Run.Unit, o.Detail)
	}
	return ""
}

func of(known bool, size any) string {
	if !known {
		return ""
	}
	return fmt.Sprintf(" of %v", size)
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// detail is one line about a prediction: its causes, then the protected paths that it wrote.
func detail(causes, touched []string) string {
	var parts []string
	if len(causes) > 0 {
		parts = append(parts, named(causes, "; "))
	}
	if len(touched) > 0 {
		parts = append(parts, "protected paths set back to the task's: "+named(touched, ", "))
	}
	return strings.Join(parts, "; ")
}

func named(all []string, sep string) string {
	var out []string
	for _, s := range all[:min(len(all), maxNamed)] {
		s = strings.Join(strings.Fields(s), " ")
		if len(s) > maxDetail {
			s = strings.ToValidUTF8(s[:maxDetail], "") + "\u2026"
		}
		out = append(out, s)
	}
	if more := len(all) - maxNamed; more > 0 {
		return strings.Join(out, sep) + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(out, sep)
}
