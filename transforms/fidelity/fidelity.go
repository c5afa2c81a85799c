// Package fidelity turns the footprints of a source change and of its modern realisation into
// a similarity, and refuses a realisation that collapsed or grew out of proportion.
package fidelity

import (
	"fmt"

	"github.com/taskmill/taskmill/model"
)

// Weights of the six dimensions. Change2Task fixes the sum of the implementation footprint
// (0.76), of the verification surface (0.24), and the order; the split is ours.
const (
	WeightLines      = 0.32
	WeightHunks      = 0.20
	WeightFiles      = 0.16
	WeightTarget     = 0.12
	WeightRegression = 0.12
	WeightSymbols    = 0.08
)

// Thresholds of the gate, ours.
const (
	// MinRatio is the least similarity of lines and of files, either way.
	MinRatio = 0.25
	// MinLines and MinFiles are how large the larger side must be before MinRatio counts:
	// below them a ratio says nothing.
	MinLines = 8
	MinFiles = 3
	// MinOverall is the least weighted similarity.
	MinOverall = 0.5
)

// Score compares a source change with its modern realisation: the weighted similarity, the
// mean with equal weights and the six parts, each 0 to 1.
func Score(source, modern model.Profile) (weighted, equal float64, parts model.FidelityParts) {
	parts = model.FidelityParts{
		Lines:      similarity(source.Lines, modern.Lines),
		Hunks:      similarity(source.Hunks, modern.Hunks),
		Files:      similarity(source.Files, modern.Files),
		Symbols:    similarity(source.Symbols, modern.Symbols),
		Target:     similarity(source.TargetChecks, modern.TargetChecks),
		Regression: similarity(source.RegressionChecks, modern.RegressionChecks),
	}
	weighted = WeightLines*parts.Lines + WeightHunks*parts.Hunks + WeightFiles*parts.Files +
		WeightTarget*parts.Target + WeightRegression*parts.Regression + WeightSymbols*parts.Symbols
	equal = (parts.Lines + parts.Hunks + parts.Files + parts.Symbols + parts.Target + parts.Regression) / 6
	return weighted, equal, parts
}

// similarity is smaller over larger count, 1 when both are 0.
func similarity(a, b int) float64 {
	if a == b {
		return 1
	}
	return float64(min(a, b)) / float64(max(a, b))
}

// Gate refuses a realisation that is much smaller (collapse) or much larger (inflation) than
// its source, or unlike it overall (low_fidelity); nil accepts.
func Gate(source, modern model.Profile) *model.Fault {
	for _, d := range []struct {
		name           string
		source, modern int
		least          int
	}{
		{"lines", source.Lines, modern.Lines, MinLines},
		{"files", source.Files, modern.Files, MinFiles},
	} {
		if max(d.source, d.modern) < d.least || similarity(d.source, d.modern) >= MinRatio {
			continue
		}
		reason := model.Collapse
		if d.modern > d.source {
			reason = model.Inflation
		}
		return &model.Fault{Stage: model.StageFidelity, Reason: reason,
			Detail: fmt.Sprintf("%s: %d in the source, %d in the realisation", d.name, d.source, d.modern)}
	}
	if weighted, _, _ := Score(source, modern); weighted < MinOverall {
		return &model.Fault{Stage: model.StageFidelity, Reason: model.LowFidelity,
			Detail: fmt.Sprintf("%.3f, at least %.1f", weighted, MinOverall)}
	}
	return nil
}
