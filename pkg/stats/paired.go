package stats

import (
	"math"
	"slices"
	"sort"
)

// maxExactPairs is the largest number of pairs for which all sign assignments are counted. For more pairs, the sum of
// the ranks is assumed to be normal.
const maxExactPairs = 100

// PairedTest tests whether b differs from a, where a[i] and b[i] were measured immediately one after the other, in
// random order. a and b must have the same length, and all samples must be positive.
//
// The test is the signed-rank test of Wilcoxon (1945) of the logarithms of the ratios b[i] / a[i]. If nothing differs,
// the two samples of a pair can be exchanged. There are 2^n ways to exchange samples within n pairs. P is the fraction
// of these ways in which the sum of the ranks of positive logarithms and that of negative logarithms differ at least as
// much as in the measurement. The test assumes only that the order within each pair was random. It assumes no
// distribution, and samples may depend on earlier samples. Because it uses ranks, a few extreme pairs have little
// influence. Pairs without a difference get a rank, but this rank is in neither sum (Pratt, 1959).
//
// Ratio and the interval are derived from the same test (Hodges and Lehmann, 1963; Tukey, 1949). Ratio is the median of
// the geometric means of any two of the ratios, including each ratio with itself. The interval contains the ratios that
// the test does not reject at the confidence level, which is in (0, 1). So the test rejects if, and only if, the
// interval does not contain 1. Ratio is then on the same side of 1 as the interval.
func PairedTest(a, b []float64, level float64) TestedRatio {
	n := len(a)
	d := TestedRatio{
		N: [2]int{n, n}, Ratio: math.NaN(), High: math.Inf(1), P: 1, SmallestP: min(1, math.Ldexp(2, -n)),
	}
	if n == 0 {
		return d
	}
	from, steps := logarithms(a), logarithms(b)
	for i := range steps {
		steps[i] -= from[i]
	}
	d.P = signedRankP(steps)
	slices.Sort(steps)
	means := n * (n + 1) / 2
	center := (meanOfRank(steps, (means-1)/2) + meanOfRank(steps, means/2)) / 2
	d.Ratio = math.Exp(center)
	rejected := maxRejectedRankSum(n, 1-level)
	if rejected < 0 {
		return d
	}
	low, high := meanOfRank(steps, rejected), meanOfRank(steps, means-1-rejected)
	// With ties, the test and the interval may disagree slightly, because the interval is that of distinct values. P
	// decides.
	switch {
	case d.P > 1-level:
		low, high = min(low, 0), max(high, 0)
	case center < 0:
		high = min(high, 0)
	default:
		low = max(low, 0)
	}
	d.Low, d.High = math.Exp(low), math.Exp(high)
	return d
}

// signedRankP returns the two-sided p-value of the signed-rank test of values.
func signedRankP(values []float64) float64 {
	sizes := make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	ranks, _ := midranks(sizes)
	scores := make([]int, len(values)) // twice the ranks, because ranks may be halves
	for i, v := range values {
		switch {
		case v > 0:
			scores[i] = int(2 * ranks[i])
		case v < 0:
			scores[i] = -int(2 * ranks[i])
		}
	}
	if len(scores) <= maxExactPairs {
		return exactSignedRankP(scores)
	}
	sum, squares := 0.0, 0.0
	for _, s := range scores {
		sum += float64(s)
		squares += float64(s) * float64(s)
	}
	if squares == 0 {
		return 1
	}
	const between = 2 // half the distance between two possible sums
	return min(1, twoSidedP(max(0, math.Abs(sum)-between)/math.Sqrt(squares)))
}

// exactSignedRankP returns the p-value of the test from the signed ranks of all pairs (scores). It is the fraction of
// all ways to assign signs to the scores for which the absolute value of their sum is at least as large as with the
// given signs. The distribution of the sum of the negative scores is computed by adding one score after the other (the
// shift algorithm of Streitberg and Röhmel, 1986).
func exactSignedRankP(scores []int) float64 {
	total, negative := 0, 0
	for _, s := range scores {
		total += max(s, -s)
		negative += max(0, -s)
	}
	chance := negativeSumChances(scores, total)
	p := 0.0
	for sum := range min(negative, total-negative) + 1 {
		p += 2 * chance[sum]
	}
	return min(1, p)
}

// negativeSumChances returns the probability of each possible sum of the negative scores, from 0 to total, if each
// score is negative with a probability of 1/2.
func negativeSumChances(scores []int, total int) []float64 {
	chance := make([]float64, total+1)
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
	return chance
}

// maxRejectedRankSum returns the largest sum of ranks of negative values, among n distinct values, that the two-sided
// test rejects at the level alpha, or -1 if it rejects none. This is also the number of means of any two values that
// are below the confidence interval, and the number of means above it.
func maxRejectedRankSum(n int, alpha float64) int {
	total := n * (n + 1) / 2
	if n > maxExactPairs {
		deviation := math.Sqrt(float64(total) * float64(2*n+1) / 12)
		sum := sort.Search(total/2, func(sum int) bool {
			return twoSidedP((float64(total)/2-float64(sum)-0.5)/deviation) > alpha
		})
		return sum - 1
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	below := 0.0
	for sum, chance := range negativeSumChances(ranks, total) {
		below += 2 * chance
		if below > alpha {
			return sum - 1
		}
	}
	return -1
}

// meanOfRank returns the element with index k (from 0) in the sorted list of the means of any two values, including
// each value with itself. The argument sorted holds the values. There may be too many means to list, so it finds the
// result by bisection.
func meanOfRank(sorted []float64, k int) float64 {
	low, high := sorted[0], sorted[len(sorted)-1]
	digits := (high - low) * 0x1p-40
	for high-low > digits {
		x := low + (high-low)/2
		if x == low || x == high { // no floating-point number is between them
			break
		}
		if countMeansUpTo(sorted, x) > k {
			high = x
		} else {
			low = x
		}
	}
	return high
}

// countMeansUpTo counts the pairs of sorted values, including each value with itself, whose mean is at most x.
func countMeansUpTo(sorted []float64, x float64) (count int) {
	j := len(sorted) - 1
	for i, v := range sorted {
		for j >= i && v+sorted[j] > 2*x {
			j--
		}
		if j < i {
			break
		}
		count += j - i + 1
	}
	return count
}
