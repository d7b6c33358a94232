// Package stats is the statistics of samples of a benchmark: intervals, tests, change points. It is pure.
//
// Samples of a benchmark are not normal, so everything here goes by ranks and order statistics.
package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Estimate is what samples tell of the median of what they are drawn from.
type Estimate struct {
	N        int
	Median   float64 // NaN without samples
	Low      float64 // of the interval; with too few samples -Inf
	High     float64 // of the interval; with too few samples +Inf
	Coverage float64 // of the interval: the probability that it holds the median, at least what was asked for; 1 where it is infinite
	Min, Max float64 // of the samples; NaN without samples
}

// Finite tells whether there are samples enough for an interval.
func (e Estimate) Finite() bool { return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && e.N > 0 }

// Median estimates the median of what the samples are drawn from, with an interval that holds it at least with probability
// level, in (0, 1), whatever the distribution, if the samples are independent. The interval reaches from one order statistic
// to another; how many samples lie below the median is binomial, so of each such pair the coverage is known before a
// sample is seen. It is the pair with the fewest ranks between that covers level; of two mirrored ones that with the higher
// ranks, as outliers of throughputs are slow. Which pair that is must not depend on the samples: the narrower of two, chosen
// anew for each set of samples, would cover less.
func Median(samples []float64, level float64) Estimate {
	n := len(samples)
	if n == 0 {
		return Estimate{Median: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: 1, Min: math.NaN(), Max: math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(samples))
	e := Estimate{
		N: n, Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Low: math.Inf(-1), High: math.Inf(1), Coverage: 1,
		Min: sorted[0], Max: sorted[n-1],
	}
	ranks := stats.QuantileCI(n, 0.5, level) // from 1; 0 and n+1 are infinite
	low, high := ranks.LoOrder, ranks.HiOrder
	if low >= 1 && high <= n {
		if low+high < n+1 {
			low, high = n+1-high, n+1-low
		}
		e.Low, e.High, e.Coverage = sorted[low-1], sorted[high-1], ranks.Confidence
	}
	return e
}

// MinSamples is how many samples Median needs for a finite interval at the level: 6 at 0.95.
func MinSamples(level float64) int {
	return 1 + int(math.Ceil(-math.Log2(1-level)))
}
