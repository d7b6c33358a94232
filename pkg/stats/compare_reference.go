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
