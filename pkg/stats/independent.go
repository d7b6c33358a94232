package stats

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// exactRanks is up to how many samples on each side the interval goes by the exact distribution of U.
const exactRanks = 20

// Independent tests whether b differs from a, where samples do not depend on one another, by the test of Mann and Whitney.
//
// Ratio is the median of the ratios of each sample of b to each of a (Hodges and Lehmann). The interval is of all ratios that
// the test does not refuse at level.
func Independent(a, b []float64, level float64) Difference {
	d := Difference{N: [2]int{len(a), len(b)}, Ratio: math.NaN(), Low: 0, High: math.Inf(1), P: 1, SmallestP: 1}
	if len(a) == 0 || len(b) == 0 {
		return d
	}
	d.SmallestP = min(1, 2/math.Exp(choices(len(a)+len(b), len(a))))
	from, to := slices.Sorted(slices.Values(logs(a))), slices.Sorted(slices.Values(logs(b)))
	d.P = benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(from), &benchmath.DefaultThresholds),
		benchmath.NewSample(slices.Clone(to), &benchmath.DefaultThresholds),
	).P
	steps := len(from) * len(to)
	d.Ratio = math.Exp((step(from, to, (steps-1)/2) + step(from, to, steps/2)) / 2)
	if u := refused(len(from), len(to), 1-level); u >= 0 {
		d.Low, d.High = math.Exp(step(from, to, u)), math.Exp(step(from, to, steps-1-u))
	}
	return d
}

// choices is the logarithm of the number of ways to choose k of n.
func choices(n, k int) float64 {
	lgamma := func(n int) float64 { l, _ := math.Lgamma(float64(n + 1)); return l }
	return lgamma(n) - lgamma(k) - lgamma(n-k)
}

// refused is the largest U that the test refuses at alpha, -1 where it refuses none. As many differences lie below the
// interval, so it begins at the difference of this rank, from 0.
func refused(n1, n2 int, alpha float64) int {
	mean := float64(n1) * float64(n2) / 2
	variance := mean * float64(n1+n2+1) / 6
	below := func(u int) float64 {
		return twoSided((float64(u)+0.5-mean)/math.Sqrt(variance)) / 2
	}
	if max(n1, n2) <= exactRanks {
		exact := stats.UDist{N1: n1, N2: n2}
		below = func(u int) float64 { return exact.CDF(float64(u)) }
	}
	u := sort.Search(n1*n2/2, func(u int) bool { return 2*below(u) > alpha })
	return u - 1
}

// step is the difference of rank k, from 0, among those of each of to and each of from; both are sorted. The differences
// are too many to list: how many are at most x is counted, for an x just below and one just above where the rank would be if
// the differences lay evenly between those that are known to enclose it, or, where that left most of them, in the middle.
func step(from, to []float64, k int) float64 {
	const beside = 1.0 / 32
	low, high := to[0]-from[len(from)-1], to[len(to)-1]-from[0]
	below, all := 0, len(from)*len(to) // the ranks of low and high
	digits, side, shrunk := (high-low)*0x1p-36, -beside, 0.0
	for high-low > digits {
		part := 0.5
		if shrunk < 0.75 {
			part = min(max((float64(k-below)+0.5)/float64(all-below)+side, beside), 1-beside)
		}
		x := low + (high-low)*part
		if x == low || x == high { // there are no numbers between
			break
		}
		if count := atMost(from, to, x); count > k {
			high, all, shrunk = x, count, part
		} else {
			low, below, shrunk = x, count, 1-part
		}
		side = -side
	}
	return high
}

// atMost is how many differences of each of to and each of from are at most x; both are sorted.
func atMost(from, to []float64, x float64) (count int) {
	j := 0
	for _, t := range to {
		for j < len(from) && t-from[j] > x {
			j++
		}
		count += len(from) - j
	}
	return count
}
