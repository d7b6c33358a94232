// Package stats computes statistics of samples: intervals, tests, change points. It is pure: it does no I/O and uses no
// clock and no random numbers.
//
// Samples of a benchmark are not normally distributed. So the methods for them use ranks and order statistics, or exact
// permutations. There are few nights. So the methods that compare nights assume that logarithms are normal, except for
// outliers. The comment of each function names its method and what the method assumes.
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
	Coverage float64 // probability that the interval contains the median, at least the level; 1 if it is infinite
	Min, Max float64 // of the samples; NaN without samples
}

// HasInterval reports whether there are enough samples for an interval.
func (e Estimate) HasInterval() bool {
	return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && e.N > 0
}

// RelativeWidth returns the width of the interval divided by the median. It is infinite if there are too few samples
// for an interval.
func (e Estimate) RelativeWidth() float64 {
	if !e.HasInterval() {
		return math.Inf(1)
	}
	return (e.High - e.Low) / e.Median
}

// Median estimates the median of the distribution from which the samples were drawn. The probability that its interval
// contains the median is at least level, which is in (0, 1). The samples must be independent; no distribution is
// assumed.
//
// The bounds of the interval are order statistics. The number of samples below the median has a binomial distribution,
// so it is known in advance with which probability each pair of order statistics contains the median (Conover,
// Practical Nonparametric Statistics, section 3.2). Median uses the narrowest pair of ranks whose probability is at
// least level. Of two symmetric pairs it uses the one with the higher ranks, because outliers of throughput are slow.
// The choice does not depend on the samples. An interval chosen as the narrowest for the given samples would contain
// the median with a probability below level.
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

// MinSamples returns the smallest number of samples for which Median returns a finite interval at the level: 6 at 0.95.
func MinSamples(level float64) int {
	return 1 + int(math.Ceil(-math.Log2(1-level)))
}
