package stats

import (
	"math"
)

const (
	// A sample is an outlier if its distance from the median is greater than outlier times the median of
	// all distances (the MAD). For normal samples that is 3 standard deviations.
	outlier = 4.5
	// most is the largest fraction of samples that are treated as outliers. If there are more, they are
	// another mode of the distribution, and none is replaced.
	most = 0.2
	// exactPairs is the largest number of pairs for which all sign assignments are counted. For this,
	// differences are rounded to multiples of 1/levels of the largest. The test of the rounded differences
	// is exact too.
	exactPairs = 40
	levels     = 256
)

// Paired tests whether b differs from a, where a[i] and b[i] were measured one right after the other, in
// random order. a and b have the same length, and all samples are positive.
//
// The test is the sign-flip test, an exact permutation test (Fisher, 1935). If nothing differs, the two
// samples of a pair could as well be exchanged. P is the fraction of all ways to exchange them for which
// the absolute sum of the logarithms of the ratios is at least as large as the one observed. This assumes
// only that the order within each pair was random: neither a distribution, nor that samples are independent
// of those before them. Above 40 pairs, the sum is assumed to be normal.
//
// A sample that is an outlier among all samples of a and b is replaced by their median. Exchanging samples
// of a pair does not change which samples these are, so the test stays exact.
//
// Ratio is the median of the ratios b[i] / a[i]. The interval holds all ratios that the test does not
// reject at the given confidence level, in (0, 1).
func Paired(a, b []float64, level float64) Difference {
	n := len(a)
	d := Difference{N: [2]int{n, n}, Low: 0, High: math.Inf(1), SmallestP: min(1, math.Ldexp(2, -n))}
	from, to := logs(a), logs(b)
	steps := make([]float64, n)
	for i := range steps {
		steps[i] = to[i] - from[i]
	}
	step := Median(steps, level)
	d.Ratio = math.Exp(step.Median)
	d.P, d.Outliers = flip(from, to, 0)
	low, high := step.Low, step.High
	if step.Finite() {
		rejects := func(logRatio float64) bool {
			p, _ := flip(from, to, logRatio)
			return p <= 1-level
		}
		reach := step.Max - step.Min + 1e-9
		low, high = edge(step.Median, step.Median-reach, rejects), edge(step.Median, step.Median+reach, rejects)
	}
	// Outliers depend on the ratio, so the ratios that are not rejected may have gaps. P decides whether the
	// interval holds 1.
	switch {
	case d.P > 1-level:
		low, high = min(low, 0), max(high, 0)
	case step.Median < 0:
		high = min(high, 0)
	default:
		low = max(low, 0)
	}
	d.Low, d.High = math.Exp(low), math.Exp(high)
	return d
}

// edge returns, by bisection, where a test begins to reject. It does not reject at from and rejects at to.
func edge(from, to float64, rejects func(float64) bool) float64 {
	for range 24 {
		if at := (from + to) / 2; rejects(at) {
			to = at
		} else {
			from = at
		}
	}
	return to
}

// flip returns the p-value of the sign-flip test of pairs of logarithms, after logRatio is subtracted from
// the second one of each pair, and the number of outliers in each set.
func flip(from, to []float64, logRatio float64) (p float64, outliers [2]int) {
	n := len(from)
	pool := make([]float64, 2*n)
	for i := range n {
		pool[i], pool[n+i] = from[i], to[i]-logRatio
	}
	outliers = temper(pool)
	largest, steps := 0.0, make([]float64, n)
	for i := range steps {
		steps[i] = pool[n+i] - pool[i]
		largest = max(largest, math.Abs(steps[i]))
	}
	switch {
	case largest == 0:
		return 1, outliers
	case n > exactPairs:
		sum, squares := 0.0, 0.0
		for _, s := range steps {
			sum += s
			squares += s * s
		}
		return twoSided(sum / math.Sqrt(squares)), outliers
	}
	scores := make([]int, n)
	for i, s := range steps {
		scores[i] = int(math.Round(levels * s / largest))
	}
	return swaps(scores), outliers
}

// temper replaces each outlier by the median, unless there are too many, and returns how many it replaced
// in the first and the second half.
func temper(pool []float64) (outliers [2]int) {
	n := len(pool) / 2
	center := Middle(pool)
	far := make([]float64, len(pool))
	for i, x := range pool {
		far[i] = math.Abs(x - center)
	}
	limit := outlier * Middle(far)
	for i := range pool {
		if far[i] > limit {
			outliers[i/n]++
		}
	}
	if float64(outliers[0]+outliers[1]) > most*float64(len(pool)) {
		return [2]int{}
	}
	for i := range pool {
		if far[i] > limit {
			pool[i] = center
		}
	}
	return outliers
}

// swaps returns the fraction of all sign assignments of the scores for which the absolute sum is at least
// that of the scores as given. The distribution of the sum of the negative scores is built up score by
// score (the shift algorithm of Streitberg and Röhmel, 1986).
func swaps(scores []int) float64 {
	total, negative := 0, 0
	for _, s := range scores {
		total += max(s, -s)
		negative += max(0, -s)
	}
	chance := make([]float64, total+1) // of each sum of the negative scores
	chance[0] = 1
	reached := 0
	for _, s := range scores {
		s = max(s, -s)
		reached += s
		for sum := reached; sum >= 0; sum-- {
			kept := chance[sum]
			if sum >= s {
				kept += chance[sum-s]
			}
			chance[sum] = kept / 2
		}
	}
	p := 0.0
	for sum := range min(negative, total-negative) + 1 {
		p += 2 * chance[sum]
	}
	return min(1, p)
}
