package stats

import "slices"

// MaxLatestNights is the maximum number of latest nights that Branch.CompareWithReference compares.
const MaxLatestNights = 14

// CompareWithReference compares the latest values of the branch with its values in the reference nights. The latest
// nights are those after the last change point and after the reference, and at most the last MaxLatestNights of them:
// after a lasting fall, only fallen values are compared. It returns false if no reference night has a value, if there
// are no latest nights, or if the branch has fewer than MinSeries nights, so that its variation is unknown.
//
// Ratio is the geometric mean of the latest values divided by that of the reference. Outliers are moved towards their
// level. The variation from night to night, and its autocorrelation, are estimated from the values of all nights in
// relation to their levels.
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
