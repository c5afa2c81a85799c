package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reference is what scripts/statistics makes with scipy and statsmodels.
type reference struct {
	Wilson []struct {
		K, N      int
		Low, High float64
	}
	Paired []struct {
		Both              int
		OnlyA             int `json:"only_a"`
		OnlyB             int `json:"only_b"`
		Neither           int
		Agreement         float64
		Kappa, Jaccard    *float64
		PositiveAgreement *float64 `json:"positive_agreement"`
		Difference        float64
		Wald              [2]float64
		McNemar           float64
	}
	Clustered []struct {
		Tasks    [][4]int
		Interval [2]float64
	}
}

func read(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Wilson) < 40 || len(r.Paired) < 40 || len(r.Clustered) < 5 {
		t.Fatalf("only %d, %d, %d reference values", len(r.Wilson), len(r.Paired), len(r.Clustered))
	}
	return r
}

// near reports whether two values agree to a part in 10⁹, whatever their size.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a)+1e-300 }

func TestWilsonIsSciPys(t *testing.T) {
	for _, w := range read(t).Wilson {
		if got := Wilson(w.K, w.N); math.Abs(got.Low-w.Low) > 1e-9 || math.Abs(got.High-w.High) > 1e-9 {
			t.Errorf("%d of %d: %v, want %v to %v", w.K, w.N, got, w.Low, w.High)
		}
	}
}

func TestPairedIsStatsmodels(t *testing.T) {
	for _, r := range read(t).Paired {
		p := Paired{r.Both, r.OnlyA, r.OnlyB, r.Neither}
		fault := func(name string, got, want any) { t.Errorf("%+v: %s %v, want %v", p, name, got, want) }
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"agreement", p.Agreement(), r.Agreement}, {"difference", p.Difference(), r.Difference},
			{"low end", p.Wald().Low, r.Wald[0]}, {"high end", p.Wald().High, r.Wald[1]},
		} {
			if math.Abs(c.got-c.want) > 1e-9 {
				fault(c.name, c.got, c.want)
			}
		}
		if got := p.McNemar(); !near(r.McNemar, got) {
			fault("McNemar", got, r.McNemar)
		}
		for _, c := range []struct {
			name string
			of   func() (float64, bool)
			want *float64
		}{
			{"kappa", p.Kappa, r.Kappa}, {"Jaccard", p.Jaccard, r.Jaccard}, {"positive agreement", p.PositiveAgreement, r.PositiveAgreement},
		} {
			got, ok := c.of()
			if ok != (c.want != nil) || ok && math.Abs(got-*c.want) > 1e-9 {
				fault(c.name, got, c.want)
			}
		}
	}
}

func TestClusteredIsStatsmodels(t *testing.T) {
	for i, r := range read(t).Clustered {
		var tasks []Paired
		for _, c := range r.Tasks {
			tasks = append(tasks, Paired{c[0], c[1], c[2], c[3]})
		}
		if got := Clustered(tasks); math.Abs(got.Low-r.Interval[0]) > 1e-9 || math.Abs(got.High-r.Interval[1]) > 1e-9 {
			t.Errorf("case %d: %v, want %v", i, got, r.Interval)
		}
	}
}

func TestClusteredOfOnePairATaskIsWald(t *testing.T) {
	all := Paired{7, 3, 5, 11}
	var tasks []Paired
	for range 7 {
		tasks = append(tasks, Paired{Both: 1})
	}
	for range 3 {
		tasks = append(tasks, Paired{OnlyA: 1})
	}
	for range 5 {
		tasks = append(tasks, Paired{OnlyB: 1})
	}
	for range 11 {
		tasks = append(tasks, Paired{Neither: 1})
	}
	got, want := Clustered(tasks), all.Wald()
	if math.Abs(got.Low-want.Low) > 1e-12 || math.Abs(got.High-want.High) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// The published figures of Change2Task, to their digits.
func TestChange2Task(t *testing.T) {
	p := Paired{Both: 1292, OnlyA: 186, OnlyB: 186, Neither: 1936}
	tenths := func(f float64) float64 { return math.Round(f*1000) / 10 }
	kappa, _ := p.Kappa()
	positive, _ := p.PositiveAgreement()
	jaccard, _ := p.Jaccard()
	recovery := Wilson(900, 1130)
	got := map[string]float64{
		"pairs": float64(p.N()), "solved A": float64(p.SolvedA()), "solved B": float64(p.SolvedB()),
		"agreement": tenths(p.Agreement()), "kappa": math.Round(kappa*1000) / 1000, "positive agreement": tenths(positive), "Jaccard": tenths(jaccard),
		"difference": p.Difference(), "low": tenths(p.Wald().Low), "high": tenths(p.Wald().High), "p": p.McNemar(),
		"recovery low": tenths(recovery.Low), "recovery high": tenths(recovery.High),
	}
	want := map[string]float64{
		"pairs": 3600, "solved A": 1478, "solved B": 1478, "agreement": 89.7, "kappa": 0.787, "positive agreement": 87.4, "Jaccard": 77.6,
		"difference": 0, "low": -1.1, "high": 1.1, "p": 1, "recovery low": 77.2, "recovery high": 81.9,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Of many discordant pairs the terms are below every float; the p is not.
func TestMcNemarOfManyPairs(t *testing.T) {
	if p := (Paired{OnlyA: 500_000, OnlyB: 499_999}).McNemar(); p != 1 {
		t.Errorf("one apart: %v, want 1", p)
	}
	p := Paired{OnlyA: 501_000, OnlyB: 499_000}.McNemar()
	// The normal approximation with the correction for continuity.
	want := math.Erfc(1999 / math.Sqrt(1_000_000) / math.Sqrt2)
	if math.Abs(p-want) > 1e-4 {
		t.Errorf("%v, want about %v", p, want)
	}
	if p := (Paired{OnlyA: 5000}).McNemar(); p != 0 {
		t.Errorf("beyond the smallest float: %v, want 0", p)
	}
}

func TestAdd(t *testing.T) {
	var p Paired
	for _, c := range [][2]bool{{true, true}, {true, false}, {true, false}, {false, true}, {false, false}} {
		p.Add(c[0], c[1])
	}
	if d := cmp.Diff(Paired{1, 2, 1, 1}, p); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Paired{2, 4, 2, 2}, p.Plus(p)); d != "" {
		t.Error(d)
	}
}

func TestMeanAndMedian(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		mean, median float64
		ok           bool
	}{
		{nil, 0, 0, false},
		{[]float64{3}, 3, 3, true},
		{[]float64{9, 1, 2}, 4, 2, true},
		{[]float64{4, 1, 2, 9}, 4, 3, true},
	} {
		mean, ok := Mean(c.values)
		median, also := Median(c.values)
		if mean != c.mean || median != c.median || ok != c.ok || also != c.ok {
			t.Errorf("%v: mean %v, median %v, %v and %v; want %v", c.values, mean, median, ok, also, c)
		}
	}
}
