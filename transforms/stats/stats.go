// Package stats turns counts into the figures that reports print: rates with intervals, and how
// two paired evaluations differ. Everything is a closed formula over counts; nothing is drawn at
// random.
package stats

import (
	"math"
	"slices"
)

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054235524594430520551

// An Interval is a 95 % confidence interval.
type Interval struct {
	Low, High float64
}

// Wilson is the score interval of a proportion of k in n (Wilson 1927), n at least 1.
func Wilson(k, n int) Interval {
	p, size := float64(k)/float64(n), float64(n)
	middle := (p + z95*z95/(2*size)) / (1 + z95*z95/size)
	half := z95 / (1 + z95*z95/size) * math.Sqrt(p*(1-p)/size+z95*z95/(4*size*size))
	in := Interval{max(0, middle-half), min(1, middle+half)}
	switch k { // where rounding would leave a trace
	case 0:
		in.Low = 0
	case n:
		in.High = 1
	}
	return in
}

// Mean is the arithmetic mean; false where there is no value.
func Mean(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), true
}

// Median is the middle value, or the mean of the two middle ones; false where there is none.
func Median(values []float64) (float64, bool) {
	n := len(values)
	if n == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(n-1)/2]/2 + sorted[n/2]/2, true
}
