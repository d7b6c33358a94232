package stats

import (
	"math"
)

const (
	// outlier is how many times the median distance from the median a sample is away from it to be an outlier: 3 standard
	// deviations, were the samples normal.
	outlier = 4.5
	// most is the part of the samples that can be outliers. More of them are another mode, and count.
	most = 0.2
	// exactPairs is up to how many pairs all ways to swap them are counted, and levels what the differences are rounded to
	// for that: parts of the largest. The test of the rounded differences is exact too.
	exactPairs = 40
	levels     = 256
)

// Paired tests whether b differs from a, where a[i] and b[i] were measured right after one another and a coin told which of
// them first. If nothing differs, each pair could as well have been measured the other way round: P is the part of all ways to
// swap pairs that give a sum of the logarithms of the ratios as far from 0 as the one seen (sign-flip test). That is exact
// whatever the distribution is and however samples depend on those before them, as only the order in each pair, which is
// random, matters. Above 40 pairs the sum is taken to be normal.
//
// A sample that is an outlier among all of both sets counts as their median: swapping does not change which ones these are, so
// the test stays exact.
//
// Ratio is the median of the ratios of the pairs. The interval is of all ratios that the same test does not refuse at level;
// above 40 pairs it is that of the median. Both have the same length.
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
	if step.Finite() && n <= exactPairs {
		refuses := func(shift float64) bool {
			p, _ := flip(from, to, shift)
			return p <= 1-level
		}
		reach := step.Max - step.Min + 1e-9
		low, high = edge(step.Median, step.Median-reach, refuses), edge(step.Median, step.Median+reach, refuses)
	}
	switch { // what is not refused may be no interval, as outliers differ from shift to shift; at 0 it goes by P
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

// edge bisects for where a test begins to reject, from where it does not towards where it does.
func edge(from, to float64, refuses func(float64) bool) float64 {
	for range 24 {
		if at := (from + to) / 2; refuses(at) {
			to = at
		} else {
			from = at
		}
	}
	return to
}

// flip is the sign-flip test of pairs of logarithms, with the second ones shifted back, and the number of outliers of both.
func flip(from, to []float64, shift float64) (p float64, outliers [2]int) {
	n := len(from)
	pool := make([]float64, 2*n)
	for i := range n {
		pool[i], pool[n+i] = from[i], to[i]-shift
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

// temper puts the median in place of each outlier, unless there are too many for that, and returns how many there were in
// either half.
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

// swaps is the part of all ways to choose the signs of the scores whose sum is as far from 0 as that of the scores, or
// farther. The distribution of the sum of the negative ones grows by one score at a time (the shift algorithm of Streitberg
// and Röhmel, 1986).
func swaps(scores []int) float64 {
	total, negative := 0, 0
	for _, s := range scores {
		total += max(s, -s)
		negative += max(0, -s)
	}
	chance := make([]float64, total+1) // of each sum of the negative ones
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
