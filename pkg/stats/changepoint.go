package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// segment is the fewest values on either side of a change.
const segment = 5

// MinSeries is how many values a series needs for a change to be found in it.
const MinSeries = 2 * segment

// Change is a place in a series from which on values are others than before.
type ChangePoint struct {
	At    int     // index of the first value after it
	P     float64 // the probability of a change as clear as this, or more so, anywhere in its part of the series, were there none
	Ratio float64 // of the values after to those before, from change to change
	Low   float64 // of its interval
	High  float64
}

// Changes finds the changes in a series of positive values, in order, and refuses at alpha that there are none. The values go
// by their ranks. The place is that of E-divisive; there, the ranks of both sides are compared as by Mann and Whitney, with
// the variance that their autocorrelation gives the sum, and the probability is that of the largest of all such comparisons
// (Miller and Siegmund, 1982). Either side is searched by itself first, whether the whole has a change or not, for what falls
// and recovers may show in a part alone: four fifths of alpha are for the place that divides the whole, the rest is divided
// among its sides in the same way. At least 5 values are on each side of a change.
//
// The intervals, at level, are those of Independent, widened for the autocorrelation.
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

// search finds the changes in a part of a series that begins at an index. Probabilities are multiplied by a weight, the inverse
// of the part of alpha that is for the place that divides it; for that of each side a tenth of this is left.
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

// chance is the probability of values, were nothing to change in them, to differ between both sides of any place as much as
// they do at this one.
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

// largest is the probability that the largest of standardised differences between both sides of any place is at least z, where
// at least a part of the values is on each side.
func largest(z, part float64) float64 {
	if z < 1 {
		return 1
	}
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return min(1, density*(4/z+(z-1/z)*2*math.Log((1-part)/part)))
}

// split finds the place that divides the values best, by the energy statistic of E-divisive (Matteson and James, 2014) of
// their ranks.
func split(ranks []float64) int {
	n := len(ranks)
	left, right := make([]float64, n+1), make([]float64, n+1) // sums of distances among the first k, and from k on
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

// distances sums those of ranks, whole or half, from all ranks before, with a binary indexed tree of how many there are up to
// each rank and what they add up to.
type distances struct {
	count, sum []float64 // by twice the rank
	n, total   float64
}

func newDistances(n int) *distances {
	return &distances{count: make([]float64, 2*n+1), sum: make([]float64, 2*n+1)}
}

// add returns the sum of the distances of a rank from those added before, and adds it.
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

// inflation is by how much the variance of a sum of the ranks is larger than it would be were they independent: their
// autocorrelation, without what the difference of both sides of a place makes of it, is taken to be that of an AR(1) process.
// A short series shows less of it than there is, by (1 + 4 r) / n (Marriott and Pope, 1954).
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
