package stats

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// maxExactSamples is the largest number of samples in a set for which the interval uses the exact distribution of U.
// For more samples, it uses the normal approximation.
const maxExactSamples = 20

// IndependentTest uses the test of Mann and Whitney (1947) to decide whether b differs from a. All samples must be
// positive. Each set must be in the order of measurement. If samples depend on the samples before them, the variance of
// the test statistic is larger by the same factor as that of the difference of two means of an AR(1) process.
//
// Ratio is the estimate of Hodges and Lehmann (1963): the median of the ratios of each sample of b to each sample of a.
// The interval contains all ratios that the test does not reject at the confidence level, which is in (0, 1). The
// interval assumes that the logarithms of a and b have distributions of the same shape.
func IndependentTest(a, b []float64, level float64) TestedRatio {
	d := TestedRatio{N: [2]int{len(a), len(b)}, Ratio: math.NaN(), Low: 0, High: math.Inf(1), P: 1, SmallestP: 1}
	if len(a) == 0 || len(b) == 0 {
		return d
	}
	d.SmallestP = min(1, 2/math.Exp(logBinomial(len(a)+len(b), len(a))))
	from, to := logarithms(a), logarithms(b)
	factor := meansVarianceFactor(len(a), len(b), rankAutocorrelation(from, to))
	slices.Sort(from)
	slices.Sort(to)
	d.P = widenedP(benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(from), &benchmath.DefaultThresholds),
		benchmath.NewSample(slices.Clone(to), &benchmath.DefaultThresholds),
	).P, factor)
	steps := len(from) * len(to)
	d.Ratio = math.Exp((differenceOfRank(from, to, (steps-1)/2) + differenceOfRank(from, to, steps/2)) / 2)
	if u := maxRejectedU(len(from), len(to), widenedP(1-level, 1/factor)); u >= 0 {
		d.Low, d.High = math.Exp(differenceOfRank(from, to, u)), math.Exp(differenceOfRank(from, to, steps-1-u))
	}
	return d
}

// logBinomial returns the logarithm of the binomial coefficient n over k.
func logBinomial(n, k int) float64 {
	lgamma := func(n int) float64 { l, _ := math.Lgamma(float64(n + 1)); return l }
	return lgamma(n) - lgamma(k) - lgamma(n-k)
}

// maxRejectedU returns the largest value of the test statistic U that the two-sided test rejects at the level alpha, or
// -1 if it rejects no value. This is also the rank, counted from 0, of the difference that is the lower bound of the
// interval.
func maxRejectedU(n1, n2 int, alpha float64) int {
	mean := float64(n1) * float64(n2) / 2
	variance := mean * float64(n1+n2+1) / 6
	below := func(u int) float64 {
		return twoSidedP((float64(u)+0.5-mean)/math.Sqrt(variance)) / 2
	}
	if max(n1, n2) <= maxExactSamples {
		exact := stats.UDist{N1: n1, N2: n2}
		below = func(u int) float64 { return exact.CDF(float64(u)) }
	}
	u := sort.Search(n1*n2/2, func(u int) bool { return 2*below(u) > alpha })
	return u - 1
}

// differenceOfRank returns the element with index k (from 0) in the sorted list of all differences between a value in
// to and a value in from. Both are sorted and not empty. There may be too many differences to list. So it narrows an
// interval that contains the result, by counting the differences up to a value x in the interval. It chooses x as if
// the differences were evenly distributed or, if that narrowed the interval too little before, in the middle.
func differenceOfRank(from, to []float64, k int) float64 {
	const beside = 1.0 / 32
	low, high := to[0]-from[len(from)-1], to[len(to)-1]-from[0]
	below, all := 0, len(from)*len(to) // number of differences up to low and up to high
	digits, aside, shrunk := (high-low)*0x1p-36, -beside, 0.0
	for high-low > digits {
		part := 0.5
		if shrunk < 0.75 {
			part = min(max((float64(k-below)+0.5)/float64(all-below)+aside, beside), 1-beside)
		}
		x := low + (high-low)*part
		if x == low || x == high { // no floating-point number is between them
			break
		}
		if count := countDifferencesUpTo(from, to, x); count > k {
			high, all, shrunk = x, count, part
		} else {
			low, below, shrunk = x, count, 1-part
		}
		aside = -aside
	}
	return high
}

// countDifferencesUpTo counts the pairs of a value in to and a value in from whose difference is at most x. Both are
// sorted.
func countDifferencesUpTo(from, to []float64, x float64) (count int) {
	j := 0
	for _, t := range to {
		for j < len(from) && t-from[j] > x {
			j++
		}
		count += len(from) - j
	}
	return count
}
