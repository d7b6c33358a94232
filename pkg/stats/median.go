// Package stats has the statistics of samples: intervals, tests, change points. It is pure: no I/O, no clock, no random
// numbers.
//
// Samples of a benchmark are not normally distributed, so their methods use ranks and order statistics, or exact
// permutations. Nights are few: what compares them assumes logarithms that are normal but for outliers. Each function
// names the method it implements and what the method assumes.
package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Estimate is an estimate of the median of the distribution from which samples were drawn.
type Estimate struct {
	N        int
	Median   float64 // of the samples; NaN without samples
	Low      float64 // lower bound of the interval; -Inf with too few samples
	High     float64 // upper bound of the interval; +Inf with too few samples
	Coverage float64 // probability that the interval holds the median, at least the level; 1 if it is infinite
	Min, Max float64 // of the samples; NaN without samples
}

// HasInterval reports whether there are enough samples for an interval.
func (e Estimate) HasInterval() bool {
	return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && e.N > 0
}

// RelativeWidth returns how wide the interval is, divided by the median: infinite if there are too few samples for an
// interval.
func (e Estimate) RelativeWidth() float64 {
	if !e.HasInterval() {
		return math.Inf(1)
	}
	return (e.High - e.Low) / e.Median
}

// Median returns an estimate of the median of the distribution from which the samples were drawn, with an
// interval that holds it with at least the probability level, in (0, 1). The samples must be independent;
// no distribution is assumed.
//
// The bounds of the interval are order statistics. The number of samples below the median is binomial, so
// the coverage of each pair of order statistics is known in advance (Conover, Practical Nonparametric
// Statistics, section 3.2). Median uses the pair with the fewest ranks between that covers level. Of two
// mirrored pairs it uses the one with the higher ranks, because outliers of throughput are slow. The choice
// does not depend on the samples: an interval chosen as the narrowest for each set of samples would cover
// less than level.
func Median(samples []float64, level float64) Estimate {
	n := len(samples)
	if n == 0 {
		return Estimate{
			Median: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: 1, Min: math.NaN(), Max: math.NaN(),
		}
	}
	sorted := slices.Sorted(slices.Values(samples))
	e := Estimate{
		N: n, Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Low: math.Inf(-1), High: math.Inf(1), Coverage: 1,
		Min: sorted[0], Max: sorted[n-1],
	}
	ranks := stats.QuantileCI(n, 0.5, level) // ranks count from 1; 0 and n+1 stand for -Inf and +Inf
	low, high := ranks.LoOrder, ranks.HiOrder
	if low >= 1 && high <= n {
		if low+high < n+1 {
			low, high = n+1-high, n+1-low
		}
		e.Low, e.High, e.Coverage = sorted[low-1], sorted[high-1], ranks.Confidence
	}
	return e
}

// MinSamples returns how many samples Median needs for a finite interval at the level: 6 at 0.95.
func MinSamples(level float64) int {
	return 1 + int(math.Ceil(-math.Log2(1-level)))
}
