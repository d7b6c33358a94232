package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	// minLevelNights is the smallest number of nights that form a level. A shorter change is an incident, not a lasting
	// change.
	minLevelNights = 5

	// minFirstLevelNights is the smallest number of nights before the first change. These nights show how much values
	// vary.
	minFirstLevelNights = MinSeries - 1

	// maxIncidentNights is the largest number of nights of an incident. A longer change is a lasting change.
	maxIncidentNights = 5

	// nightsPerYear is the maximum number of latest nights of a level that are searched.
	nightsPerYear = 365

	// MinSeries is the smallest number of values for which a series is searched.
	MinSeries = 10

	// MinNightlySeries is the same for a search that is repeated every night, which must be right for a year.
	MinNightlySeries = 14
)

// ChangePoint is an index in a series at which the values become larger or smaller than before, for a long time.
type ChangePoint struct {
	At      int     // index of the first value after the change
	Gradual bool    // the change is gradual: it begins at At
	P       float64 // p-value, corrected for the search over all positions and nights
	Ratio   float64 // level after the change, or at the end of a gradual one, divided by the level before it
	Low     float64 // bounds of the interval of Ratio
	High    float64

	last int // index of the last step of a gradual change; otherwise equal to At
}

// Incident is a change of the values that lasts for at most maxIncidentNights nights. It is over, or it is too new to
// be called a lasting change.
type Incident struct {
	First, Last int     // indices of its first and last value
	Ongoing     bool    // it includes the newest value
	P           float64 // p-value, corrected like that of a ChangePoint
	Ratio       float64 // level in the incident divided by the level before it
	Low         float64 // bounds of the interval of Ratio
	High        float64
}

// placeChange improves the place of a change, which was found at the index told. It returns the index near told at
// which the means before and after it differ most, in units of their standard error. from is the index of the change
// before, or 0, and end is that of the change after, or the number of values.
func placeChange(values []float64, from, told, end int) int {
	low := from + 1
	if from == 0 {
		low = minLevelNights
	}
	from, end = max(from, told-nightsPerYear), min(end, told+nightsPerYear)
	x := limitBeyondLevels(values[from:told], values[told:end])
	at, highest := told, math.Inf(-1)
	for k := max(from+1, low, told-minLevelNights); k < min(end, told+minLevelNights+1); k++ {
		one, other := x[:k-from], x[k-from:]
		n, m := float64(len(one)), float64(len(other))
		away := stat.Mean(one, nil) - stat.Mean(other, nil)
		if height := away * away * n * m / (n + m); height > highest {
			at, highest = k, height
		}
	}
	return at
}

// limitBeyondLevels returns the values before and after a change. Outliers below both levels, or above both, are moved
// towards them.
func limitBeyondLevels(before, after []float64) []float64 {
	one, other := SampleMedian(before), SampleMedian(after)
	reach := outlierDistance * max(robustDeviation(before, one), robustDeviation(after, other), minDeviation)
	out := slices.Concat(before, after)
	for i, v := range out {
		out[i] = min(max(v, min(one, other)-reach), max(one, other)+reach)
	}
	return out
}

// joinGradualChanges joins consecutive changes in the same direction to one gradual change if a straight slope fits the
// values better than steps, by the information criterion of Schwarz (1978).
func joinGradualChanges(changes []ChangePoint, values []float64) (out []ChangePoint) {
	bounds := []int{0}
	for _, c := range changes {
		bounds = append(bounds, c.At)
	}
	bounds = append(bounds, len(values))
	x := limitOutliersOfLevels(values, changes)
	falls := func(i int) bool {
		return SampleMedian(x[bounds[i]:bounds[i+1]]) > SampleMedian(x[bounds[i+1]:bounds[i+2]])
	}
	for i, next := 0, 0; i < len(changes); i = next {
		steps := sumOfSquares(x[bounds[i]:bounds[i+1]])
		for next < len(changes) && falls(next) == falls(i) {
			next++
			steps += sumOfSquares(x[bounds[next]:bounds[next+1]])
		}
		from, n := bounds[i], float64(bounds[next+1]-bounds[i])
		begin, slope := fitSlope(x[from:bounds[next+1]])
		if n*math.Log(steps/slope) < float64(4-2*(next-i)-1)*math.Log(n) {
			out = append(out, changes[i:next]...)
			continue
		}
		slow := slices.MinFunc(changes[i:next], func(a, b ChangePoint) int { return cmp.Compare(a.P, b.P) })
		slow.At, slow.Gradual, slow.last = min(from+begin, bounds[i+1]), true, bounds[next]
		out = append(out, slow)
	}
	return out
}

// fitSlope fits a curve to the values: a constant level, then a straight slope, then another constant level. It returns
// the index at which the slope of the best fit begins, and the sum of the squared residuals of this fit.
func fitSlope(values []float64) (begin int, least float64) {
	least = math.Inf(1)
	step, n := max(1, len(values)/40), float64(len(values))
	mean, all := stat.Mean(values, nil), sumOfSquares(values)
	for from := minLevelNights; from < len(values)-minLevelNights; from += step {
		for to := len(values); to > from+minLevelNights; to -= step {
			var sum, square, product float64
			for i, v := range values {
				x := float64(min(max(i, from), to) - from)
				sum += x
				square += x * x
				product += x * (v - mean)
			}
			if rest := all - product*product/(square-sum*sum/n); rest < least {
				begin, least = from, rest
			}
		}
	}
	return begin, max(least, minDeviation*minDeviation)
}

// estimateRatios sets the ratio of each change point, and its interval. values are logarithms.
func estimateRatios(changes []ChangePoint, values []float64, level float64) {
	x, known := limitOutliersOfLevels(values, changes), estimateVariation(values, changes)
	for i := range changes {
		c := &changes[i]
		from, to, settled := 0, len(x), c.At
		if i > 0 {
			from = changes[i-1].last
		}
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		if c.Gradual {
			settled = max(c.last, to-MaxLatestNights)
		}
		d := known.compareMeans(x[from:c.At], x[settled:to], level)
		c.Ratio, c.Low, c.High = d.Ratio, d.Low, d.High
	}
}
