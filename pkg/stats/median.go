// Package stats computes statistics of samples: intervals, tests, change points. It is pure: it does no I/O and uses no
// clock and no random numbers.
//
// Samples of a benchmark are not normally distributed. So the methods for them use ranks and order statistics, or exact
// permutations. There are few nights. So the methods that compare nights assume that logarithms are normal, except for
// outliers. The comment of each function names its method and what the method assumes.
package stats

import (
	"fmt"
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
	Min, Max float64 // of the samples; NaN without samples
	// the samples depend on one another so much that even the interval from Min to Max may be too narrow
	TooDependent bool
}

// HasInterval reports whether there are enough samples for an interval.
func (e Estimate) HasInterval() bool {
	return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && e.N > 0
}

// minStopSamples is the smallest number of samples after which a run may stop because its interval is narrow.
const minStopSamples = 10

// RelativeWidth returns the width of the interval divided by the median, by which a run decides whether to stop. It is
// infinite for fewer than minStopSamples samples: a run that stops as soon as its interval is narrow also stops if a
// few samples are close to one another by chance (Anscombe, 1952). In simulations of runs that could stop after 6
// samples, 92 % of the intervals contained the median instead of 95 %, and 93 % if they could stop after 10.
func (e Estimate) RelativeWidth() float64 {
	if !e.HasInterval() || e.N < minStopSamples {
		return math.Inf(1)
	}
	return (e.High - e.Low) / e.Median
}

// Median estimates the median of the distribution from which the samples were drawn. The samples must be in the order
// in which they were measured. The probability that the interval contains the median is at least level, which is in
// (0, 1), if the samples are independent. No distribution is assumed.
//
// The bounds of the interval are order statistics. The number of samples below the median has a binomial distribution,
// so it is known in advance with which probability each pair of order statistics contains the median (Conover,
// Practical Nonparametric Statistics, section 3.2). Median uses the narrowest pair of ranks whose probability is at
// least level. Of two symmetric pairs it uses the one with the higher ranks, because outliers of throughput are slow.
// The choice does not depend on the samples. An interval chosen as the narrowest for the given samples would contain
// the median with a probability below level.
//
// If samples depend on the samples before them, the interval is wider; see levelForDependentMedian. In simulations with
// a coefficient of autocorrelation of 0.8, intervals of the level 0.95 contain the median in 90 % of the cases from
// MinIndependenceSamples samples on, but only in 60 to 80 % with 6 to 10 samples.
func Median(samples []float64, level float64) Estimate {
	n := len(samples)
	if n == 0 {
		return Estimate{Median: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Min: math.NaN(), Max: math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(samples))
	e := Estimate{
		N: n, Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Low: math.Inf(-1), High: math.Inf(1),
		Min: sorted[0], Max: sorted[n-1],
	}
	ranks := stats.QuantileCI(n, 0.5, level) // ranks count from 1; 0 and n+1 stand for -Inf and +Inf
	if ranks.LoOrder < 1 || ranks.HiOrder > n {
		return e
	}
	ranks = stats.QuantileCI(n, 0.5, levelForDependentMedian(samples, level))
	low, high := ranks.LoOrder, ranks.HiOrder
	if low < 1 || high > n {
		low, high, e.TooDependent = 1, n, isAutocorrelated(samples)
	}
	if low+high < n+1 {
		low, high = n+1-high, n+1-low
	}
	e.Low, e.High = sorted[low-1], sorted[high-1]
	return e
}

// RatioOfMedians estimates the median of a divided by the median of b. Its interval reaches from the smallest to the
// largest ratio that the intervals of the two medians allow, which have the given level. With the level 1 - α/2, both
// contain their medians with probability 1 - α (Bonferroni's inequality). If the samples of a were measured before
// those of b, the interval does not include what changed between them.
func RatioOfMedians(a, b []float64, level float64) Estimate {
	upper, lower := Median(a, level), Median(b, level)
	e := Estimate{
		N: min(upper.N, lower.N), Median: upper.Median / lower.Median, Low: math.Inf(-1), High: math.Inf(1),
		Min: upper.Min / lower.Max, Max: upper.Max / lower.Min, TooDependent: upper.TooDependent || lower.TooDependent,
	}
	if upper.HasInterval() && lower.HasInterval() {
		e.Low, e.High = upper.Low/lower.High, upper.High/lower.Low
	}
	return e
}

// MinSamples returns the smallest number of samples for which Median returns a finite interval at the level: 6 at 0.95.
func MinSamples(level float64) int {
	return 1 + int(math.Ceil(-math.Log2(1-level)))
}

// Level is the confidence level of the intervals that h5perf shows. If no point changed, the probability that a
// comparison shows a difference in any point is at most 1 - Level.
const Level = 0.95

// Interval is the name, in texts, of an interval with the confidence level Level.
var Interval = fmt.Sprintf("%g %% interval", 100*Level)
