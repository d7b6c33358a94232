package stats

import "slices"

// MaxLatestNights is the maximum number of latest nights that Branch.CompareWithReference compares.
const MaxLatestNights = 14

// CompareWithReference compares the latest values of a series or group with its values in the reference nights. The
// latest values are those after the last change point and after the reference, and at most the last MaxLatestNights. So
// after a lasting fall, only values after the fall are compared. It returns false if there is no value in a reference
// night, if there are no latest values, or if there are fewer than MinSeries values, which are too few to estimate
// their variation.
//
// The Ratio of the result is the geometric mean of the latest values divided by that of the reference values. Outliers
// are first moved towards their level. The variation from night to night, and its autocorrelation, are estimated from
// the values of all nights in relation to their levels.
func (b *Branch) CompareWithReference(reference []int, level float64) (d TestedRatio, ok bool) {
	n := len(b.Values)
	if n < MinSeries || len(reference) == 0 {
		return d, false
	}
	x := limitOutliersOfLevels(logarithms(b.Values), b.Changes)
	first := 0
	if k := len(b.Changes); k > 0 {
		first = b.Changes[k-1].last
	}
	var before, now []float64
	for i, night := range b.Nights {
		switch {
		case slices.Contains(reference, night):
			before = append(before, x[i])
		case i >= first && night > slices.Max(reference):
			now = append(now, x[i])
		}
	}
	if len(before) == 0 || len(now) == 0 {
		return d, false
	}
	return estimateVariation(logarithms(b.Values), b.Changes).compareMeans(before,
		now[max(0, len(now)-MaxLatestNights):], level), true
}

// minBestLevelNights is the smallest number of nights of a level that BestEarlierLevel returns.
const minBestLevelNights = 6

// BestEarlierLevel returns the nights of the highest level before the last change point, for CompareWithReference. A
// level is the values between two change points, without the slope of a gradual change. Levels with fewer than
// minBestLevelNights values are ignored. The result is nil if there is no such level.
//
// The highest of several levels is higher by chance, too. This matters little, because change points separate only
// levels that differ by much more than chance.
func (b *Branch) BestEarlierLevel() (nights []int) {
	first, highest := 0, 0.0
	for _, c := range b.Changes {
		if values := b.Values[first:c.At]; len(values) >= minBestLevelNights && SampleMedian(values) > highest {
			highest, nights = SampleMedian(values), b.Nights[first:c.At]
		}
		first = c.last
	}
	return nights
}
