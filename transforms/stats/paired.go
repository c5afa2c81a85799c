package stats

import "math"

// A Paired is the table of two evaluations A and B over the same pairs: how many pairs both
// solved, only one did, neither did.
type Paired struct {
	Both, OnlyA, OnlyB, Neither int
}

// N is the number of pairs.
func (p Paired) N() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// Add counts one pair.
func (p *Paired) Add(a, b bool) {
	switch {
	case a && b:
		p.Both++
	case a:
		p.OnlyA++
	case b:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// Plus is the table of both.
func (p Paired) Plus(q Paired) Paired {
	return Paired{p.Both + q.Both, p.OnlyA + q.OnlyA, p.OnlyB + q.OnlyB, p.Neither + q.Neither}
}

// SolvedA is what A solved.
func (p Paired) SolvedA() int { return p.Both + p.OnlyA }

// SolvedB is what B solved.
func (p Paired) SolvedB() int { return p.Both + p.OnlyB }

// Difference is the solve rate of B less that of A; N is at least 1.
func (p Paired) Difference() float64 { return float64(p.OnlyB-p.OnlyA) / float64(p.N()) }

// Wald is the interval of the difference for paired proportions: the variance is
// ((b + c) - (b - c)²/n) / n², b and c the discordant pairs. It takes the pairs as independent;
// without a discordant pair it has no width.
func (p Paired) Wald() Interval {
	n, b, c := float64(p.N()), float64(p.OnlyA), float64(p.OnlyB)
	return around(p.Difference(), math.Sqrt(((b+c)-(b-c)*(b-c)/n)/(n*n)))
}

// around is the normal interval about a value, within what a difference of rates can be.
func around(d, deviation float64) Interval {
	return Interval{max(-1, d-z95*deviation), min(1, d+z95*deviation)}
}

// Agreement is the share of pairs with the same outcome on both sides.
func (p Paired) Agreement() float64 { return float64(p.Both+p.Neither) / float64(p.N()) }

// PositiveAgreement is 2a / (2a + b + c): agreement on what is solved. False where neither side
// solved anything.
func (p Paired) PositiveAgreement() (float64, bool) {
	return ratio(2*p.Both, 2*p.Both+p.OnlyA+p.OnlyB)
}

// Jaccard is the overlap of the two solved sets, a / (a + b + c). False where both are empty.
func (p Paired) Jaccard() (float64, bool) {
	return ratio(p.Both, p.Both+p.OnlyA+p.OnlyB)
}

// Kappa is Cohen's: agreement beyond that of chance with the same solve rates. False where
// chance alone agrees fully, that is where both sides solved all or none.
func (p Paired) Kappa() (float64, bool) {
	n := float64(p.N())
	a, b := float64(p.SolvedA())/n, float64(p.SolvedB())/n
	chance := a*b + (1-a)*(1-b)
	if (p.Both == p.N()) || (p.Neither == p.N()) {
		return 0, false
	}
	return (p.Agreement() - chance) / (1 - chance), true
}

func ratio(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// McNemar is the two-sided exact p of McNemar's test: twice the lower tail of the binomial
// distribution of the discordant pairs at one half, at most 1; 1 where there is none.
func (p Paired) McNemar() float64 {
	k, n := min(p.OnlyA, p.OnlyB), p.OnlyA+p.OnlyB
	if n-2*k <= 1 { // the tail is half of all, or more
		return 1
	}
	// The term of k, C(n, k) / 2ⁿ, as a fraction and a power of two: 2ⁿ has no float from 1,024 on.
	term, power := 1.0, -n
	for i := 1; i <= k; i++ {
		fraction, exponent := math.Frexp(term * float64(n-k+i) / float64(i))
		term, power = fraction, power+exponent
	}
	// The terms below it, relative to it, fall at least as fast as a geometric series.
	sum, part := 1.0, 1.0
	for i := k; i > 0 && part > sum*0x1p-60; i-- {
		part *= float64(i) / float64(n-i+1)
		sum += part
	}
	return min(1, 2*math.Ldexp(term*sum, power))
}

// Clustered is the interval of the difference where several pairs belong to one task (attempts,
// solvers) and are not independent: each table is one task's. Its variance is the sum over tasks
// of the squared sum of deviations from the mean difference, over n² (the sandwich estimator
// without a correction for small samples). With one pair a task it is Wald's.
func Clustered(tasks []Paired) Interval {
	var all Paired
	for _, t := range tasks {
		all = all.Plus(t)
	}
	d, n := all.Difference(), float64(all.N())
	sum := 0.0
	for _, t := range tasks {
		e := float64(t.OnlyB-t.OnlyA) - d*float64(t.N())
		sum += e * e
	}
	return around(d, math.Sqrt(sum)/n)
}
