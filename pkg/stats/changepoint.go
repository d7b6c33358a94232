package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// segment is the smallest number of values before and after a change point.
const segment = 5

// MinSeries is the smallest number of values in which ChangePoints can find a change.
const MinSeries = 2 * segment

// ChangePoint is an index in a series from which on values differ from those before.
type ChangePoint struct {
	At    int     // index of the first value after the change
	P     float64 // p-value, corrected for the search over all places and parts of the series
	Ratio float64 // values after the change : values before it, between the neighbouring change points
	Low   float64 // bounds of the interval of Ratio
	High  float64
}

// ChangePoints returns the change points in a series of positive values, in ascending order. If the series
// has none, the probability that any is returned is at most alpha, in (0, 1). At least 5 values are before
// and after each of them. Ratio has an interval at the given confidence level, in (0, 1).
//
// Only the ranks of the values are used, so no distribution is assumed. The series is divided at one place,
// then each side is divided in the same way (binary segmentation):
//
//   - The place is the one that E-divisive chooses (Matteson and James, 2014), on ranks.
//   - The ranks before and after it are compared as by Mann and Whitney (1947). The variance of their sum
//     takes autocorrelation into account, which is assumed to be that of an AR(1) process.
//   - The p-value is that of the largest such statistic over all places (Miller and Siegmund, 1982).
//
// Each side is searched whether or not the whole has a change point, because a fall that recovers may be
// visible in a part only. Four fifths of alpha are spent on the place that divides the series, one tenth on
// each side, and so on within each side.
//
// The intervals are those of Independent, widened for autocorrelation.
func ChangePoints(values []float64, alpha, level float64) []ChangePoint {
	changes := search(values, 0, 1.25, alpha)
	for i := range changes {
		c := &changes[i]
		from, to := 0, len(values)
		if i > 0 {
			from = changes[i-1].At
		}
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		ranks, _ := midranks(values[from:to])
		wide := math.Erf(math.Erfinv(level) * math.Sqrt(inflation(ranks, c.At-from)))
		d := Independent(values[from:c.At], values[c.At:to], wide)
		c.Ratio, c.Low, c.High = d.Ratio, d.Low, d.High
	}
	return changes
}

// search returns the change points in a part of a series. begin is the index of its first value in the
// series. A p-value is multiplied by weight before it is compared with alpha: 1.25 spends four fifths of
// alpha on the place that divides this part, and ten times the weight, one tenth of alpha, is left for each
// side.
func search(values []float64, begin int, weight, alpha float64) []ChangePoint {
	if len(values) < MinSeries {
		return nil
	}
	ranks, ties := midranks(values)
	if len(ties) == 1 { // all values are the same
		return nil
	}
	at := split(ranks)
	before, after := search(values[:at], begin, 10*weight, alpha), search(values[at:], begin+at, 10*weight, alpha)
	from, to := 0, len(values)
	if len(before) > 0 {
		from = before[len(before)-1].At - begin
	}
	if len(after) > 0 {
		to = after[0].At - begin
	}
	p := weight * chance(values[from:to], at-from)
	if p > alpha {
		return slices.Concat(before, after)
	}
	return slices.Concat(before, []ChangePoint{{At: begin + at, P: p}}, after)
}

// chance returns the p-value of a change at an index: the probability that values without a change differ
// as much, or more, at any index.
func chance(values []float64, at int) float64 {
	ranks, ties := midranks(values)
	if len(ties) == 1 {
		return 1
	}
	n, before, sum, tied := float64(len(ranks)), float64(at), 0.0, 0.0
	for _, r := range ranks[:at] {
		sum += r
	}
	for _, t := range ties {
		tied += t * (t*t - 1)
	}
	variance := before * (n - before) / 12 * (n + 1 - tied/(n*(n-1)))
	z := (sum - before*(n+1)/2) / math.Sqrt(variance*inflation(ranks, at))
	return largest(math.Abs(z), segment/n)
}

// largest returns the probability that the largest absolute value of the standardised statistics over all
// places is at least z, if nothing changes. Places with less than the given part of the values on one side
// are not considered. With ε for part and φ for the standard normal density, the approximation of Miller
// and Siegmund (1982) is φ(z) (4/z + (z - 1/z) ln((1-ε)²/ε²)).
func largest(z, part float64) float64 {
	if z < 1 {
		return 1
	}
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return min(1, density*(4/z+(z-1/z)*2*math.Log((1-part)/part)))
}

// split returns the index that divides the ranks best: the largest energy statistic of E-divisive (Matteson
// and James, 2014) with exponent 1. It takes O(n log n) time.
func split(ranks []float64) int {
	n := len(ranks)
	left, right := make([]float64, n+1), make([]float64, n+1) // sums of distances within the first k, and from k on
	first, last := newDistances(n), newDistances(n)
	for k := range n {
		left[k+1] = left[k] + first.add(ranks[k])
		right[n-k-1] = right[n-k] + last.add(ranks[n-k-1])
	}
	best, at := math.Inf(-1), 0
	for k := segment; k <= n-segment; k++ {
		a, b := float64(k), float64(n-k)
		between := (left[n] - left[k] - right[k]) / (a * b)
		within := left[k]/(a*(a-1)/2) + right[k]/(b*(b-1)/2)
		if q := a * b / (a + b) * (2*between - within); q > best {
			best, at = q, k
		}
	}
	return at
}

// distances adds up distances between ranks. Ranks are multiples of 1/2. Two binary indexed trees (Fenwick,
// 1994) hold how many ranks there are up to each rank, and their sum.
type distances struct {
	count, sum []float64 // indexed by twice the rank
	n, total   float64
}

// newDistances returns an empty set of ranks from 1 to n.
func newDistances(n int) *distances {
	return &distances{count: make([]float64, 2*n+1), sum: make([]float64, 2*n+1)}
}

// add returns the sum of the distances of a rank from all that were added before, and adds it.
func (d *distances) add(rank float64) float64 {
	below, sum := 0.0, 0.0
	for i := int(2 * rank); i > 0; i -= i & -i {
		below += d.count[i]
		sum += d.sum[i]
	}
	far := rank*below - sum + (d.total - sum) - rank*(d.n-below)
	for i := int(2 * rank); i < len(d.count); i += i & -i {
		d.count[i]++
		d.sum[i] += rank
	}
	d.n++
	d.total += rank
	return far
}

// inflation returns the factor by which autocorrelation increases the variance of a sum of the ranks:
// (1+r)/(1-r) for an AR(1) process with coefficient r. The difference between the ranks before and after at
// is removed before r is estimated. In a short series, the estimate is too small by about (1+4r)/n
// (Marriott and Pope, 1954), which is added. r is limited to [0, 0.95].
func inflation(ranks []float64, at int) float64 {
	rest := slices.Clone(ranks)
	for _, side := range [][]float64{rest[:at], rest[at:]} {
		mean := stat.Mean(side, nil)
		for i := range side {
			side[i] -= mean
		}
	}
	r := lag(rest)
	r = min(max(r+(1+4*r)/float64(len(rest)), 0), 0.95)
	return (1 + r) / (1 - r)
}
