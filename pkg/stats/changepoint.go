package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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
// The series is divided at one place, then each side is divided in the same way (binary segmentation). The
// logarithms of the values are compared. Those far from the median are taken as less far, so that a few
// outliers, however large, decide nothing, while the sizes of all others count:
//
//   - The place is the one where the means before and after differ most (CUSUM).
//   - The difference is divided by its standard error. That is the one of all values, or the one of a side's
//     own values where they vary more. Autocorrelation is assumed to be that of an AR(1) process.
//   - The p-value is that of the largest such statistic over all places (Miller and Siegmund, 1982).
//
// Each side is searched whether or not the whole has a change point, because a fall that recovers may be
// visible in a part only. Four fifths of alpha are spent on the place that divides the series, one tenth on
// each side, and so on within each side.
//
// The intervals are those of Independent, widened for autocorrelation.
func ChangePoints(values []float64, alpha, level float64) []ChangePoint {
	changes := searcher{alpha, usual}.search(logs(values), 0, 1.25)
	estimate(changes, values, level, usual)
	return changes
}

// estimate sets Ratio and its interval in change points of values. least is that of searcher.
func estimate(changes []ChangePoint, values []float64, level, least float64) {
	for i := range changes {
		c := &changes[i]
		from, to := 0, len(values)
		if i > 0 {
			from = changes[i-1].At
		}
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		r := max(coefficient(logs(values[from:to]), c.At-from), least)
		wide := math.Erf(math.Erfinv(level) * math.Sqrt((1+r)/(1-r)))
		d := Independent(values[from:c.At], values[c.At:to], wide)
		c.Ratio, c.Low, c.High = d.Ratio, d.Low, d.High
	}
}

// searcher searches a series for change points.
type searcher struct {
	alpha float64
	least float64 // the smallest coefficient of autocorrelation that is believed
}

// search returns the change points in a part of a series of logarithms. begin is the index of its first value
// in the series. A p-value is multiplied by weight before it is compared with alpha: 1.25 spends four fifths
// of alpha on the place that divides this part, and ten times the weight, one tenth of alpha, is left for each
// side.
func (s searcher) search(values []float64, begin int, weight float64) []ChangePoint {
	if len(values) < MinSeries {
		return nil
	}
	at := split(tamed(values))
	before, after := s.search(values[:at], begin, 10*weight), s.search(values[at:], begin+at, 10*weight)
	from, to := 0, len(values)
	if len(before) > 0 {
		from = before[len(before)-1].At - begin
	}
	if len(after) > 0 {
		to = after[0].At - begin
	}
	p := weight * s.chance(values[from:to], at-from)
	if p > s.alpha {
		return slices.Concat(before, after)
	}
	return slices.Concat(before, []ChangePoint{{At: begin + at, P: p}}, after)
}

const (
	// far is the distance from the median, in standard deviations, from which on a value counts as less far.
	far = 3
	// resolution is the smallest standard deviation of logarithms from night to night that is believed: 0.1 %.
	resolution = 0.001
	// usual is the smallest coefficient of autocorrelation that is believed. Short series show less than they
	// have, and nights of file systems resemble the night before.
	usual = 0.48
)

// tamed returns the logarithms with those that are far from the median moved towards it.
func tamed(values []float64) []float64 {
	center := middle(slices.Sorted(slices.Values(values)))
	limit := far * max(spread(values, center), resolution)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = min(max(v, center-limit), center+limit)
	}
	return out
}

// spread returns the standard deviation about a center, estimated by the median of the distances from it (MAD).
// The values are assumed to be normal.
func spread(values []float64, center float64) float64 {
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - center)
	}
	slices.Sort(away)
	return 1.4826 * middle(away)
}

// chance returns the p-value of a change at an index: the probability that logarithms without a change differ
// as much, or more, at any index.
//
// The difference is the smaller one of two: that of the means of all values, tamed together, and that of the sides,
// each tamed by itself. The first one is not misled by a side that has by chance more values of a rare mode than
// others, the second one counts outliers less where a change makes the values as a whole vary.
func (s searcher) chance(values []float64, at int) float64 {
	tame, rest := tamed(values), residuals(values, at)
	n, before, after := float64(len(values)), float64(at), float64(len(values)-at)
	together := stat.Mean(tame[at:], nil) - stat.Mean(tame[:at], nil)
	apart := Middle(values[at:]) + stat.Mean(rest[at:], nil) - Middle(values[:at]) - stat.Mean(rest[:at], nil)
	if together*apart <= 0 {
		return 1
	}
	one, other := squares(rest[:at]), squares(rest[at:])
	pooled := max((one+other)/(n-2), resolution*resolution)
	r := max(coefficient(values, at), s.least)
	variance := (max(one/(before-1), pooled)/before + max(other/(after-1), pooled)/after) * (1 + r) / (1 - r)
	t := min(math.Abs(together), math.Abs(apart)) / math.Sqrt(variance)
	student := distuv.StudentsT{Sigma: 1, Nu: n - 2}
	z := -distuv.UnitNormal.Quantile(max(student.CDF(-t), math.SmallestNonzeroFloat64))
	return largest(z, segment/n)
}

// residuals returns the differences of logarithms from the median of their side of an index. Those that are far away
// are taken as less far.
func residuals(values []float64, at int) []float64 {
	rest := slices.Clone(values)
	for _, side := range [][]float64{rest[:at], rest[at:]} {
		center := Middle(side)
		for i := range side {
			side[i] -= center
		}
	}
	limit := far * max(spread(rest, 0), resolution)
	for i, v := range rest {
		rest[i] = min(max(v, -limit), limit)
	}
	return rest
}

// squares returns the sum of the squared distances from the mean.
func squares(values []float64) (sum float64) {
	mean := stat.Mean(values, nil)
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
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

// split returns the index at which the means before and after differ most, in units of their standard error
// where nothing changes.
func split(values []float64) int {
	n, sum, all := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		all += v
	}
	highest, at := math.Inf(-1), segment
	for k, v := range values[:len(values)-segment] {
		sum += v
		before := float64(k + 1)
		if k+1 < segment {
			continue
		}
		away := sum - all*before/n
		if height := away * away / (before * (n - before)); height > highest {
			highest, at = height, k+1
		}
	}
	return at
}

// coefficient returns the autocorrelation of logarithms at lag 1, at most 0.95. The difference between the
// means before and after an index is removed before. In a short series, the estimate is too small by about
// (1+4r)/n (Marriott and Pope, 1954), which is added.
func coefficient(values []float64, at int) float64 {
	rest := residuals(values, at)
	r := lag(rest)
	return min(r+(1+4*r)/float64(len(rest)), 0.95)
}
