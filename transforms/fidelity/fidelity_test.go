package fidelity

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/taskmill/taskmill/model"
)

func TestWeightsSum(t *testing.T) {
	footprint := WeightLines + WeightHunks + WeightFiles + WeightSymbols
	surface := WeightTarget + WeightRegression
	if math.Abs(footprint-0.76) > 1e-12 || math.Abs(surface-0.24) > 1e-12 {
		t.Errorf("footprint %v, surface %v; the text has 0.76 and 0.24", footprint, surface)
	}
}

func TestScore(t *testing.T) {
	source := model.Profile{Files: 2, Hunks: 4, Lines: 20, Symbols: 0, TargetChecks: 1, RegressionChecks: 10}
	modern := model.Profile{Files: 2, Hunks: 2, Lines: 25, Symbols: 0, TargetChecks: 2, RegressionChecks: 0}
	weighted, equal, parts := Score(source, modern)
	want := model.FidelityParts{Lines: 0.8, Hunks: 0.5, Files: 1, Symbols: 1, Target: 0.5, Regression: 0}
	if diff := cmp.Diff(want, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if w := 0.32*0.8 + 0.20*0.5 + 0.16 + 0.12*0.5 + 0.08; math.Abs(weighted-w) > 1e-12 {
		t.Errorf("weighted %v, want %v", weighted, w)
	}
	if w := 3.8 / 6; math.Abs(equal-w) > 1e-12 {
		t.Errorf("equal %v, want %v", equal, w)
	}
	if w, e, _ := Score(model.Profile{}, model.Profile{}); math.Abs(w-1) > 1e-12 || e != 1 {
		t.Errorf("empty against empty: %v, %v, want 1, 1", w, e)
	}
}

func TestGate(t *testing.T) {
	even := model.Profile{Files: 2, Hunks: 3, Lines: 20, Symbols: 2, TargetChecks: 1, RegressionChecks: 3}
	with := func(f func(*model.Profile)) model.Profile { p := even; f(&p); return p }
	for _, c := range []struct {
		name           string
		source, modern model.Profile
		want           model.Reason
	}{
		{"same", even, even, ""},
		{"a quarter of the lines still passes", even, with(func(p *model.Profile) { p.Lines = 5 }), ""},
		{"under a quarter of the lines", even, with(func(p *model.Profile) { p.Lines = 4 }), model.Collapse},
		{"over four times the lines", even, with(func(p *model.Profile) { p.Lines = 81 }), model.Inflation},
		{"few lines say nothing", with(func(p *model.Profile) { p.Lines = 7 }), with(func(p *model.Profile) { p.Lines = 1 }), ""},
		{"files collapse", with(func(p *model.Profile) { p.Files = 5 }), with(func(p *model.Profile) { p.Files = 1 }), model.Collapse},
		{"two files say nothing", even, with(func(p *model.Profile) { p.Files = 0 }), ""},
		{"unlike overall", even, model.Profile{Files: 1, Hunks: 1, Lines: 6, Symbols: 0, TargetChecks: 0, RegressionChecks: 0}, model.LowFidelity},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got model.Reason
			if f := Gate(c.source, c.modern); f != nil {
				got = f.Reason
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
