package stats

import "slices"

// MaxPresentNights is how many of the last nights count as the present in Branch.CompareWithReference, at most.
const MaxPresentNights = 14

// CompareWithReference compares the present of the branch with its values in the given nights, which are the reference.
// The present is the nights after the last change point and after the reference, and at most the last MaxPresentNights
// of them: what fell stays fallen. It returns false if none of the nights has a value, none is left for the present, or
// the branch has fewer than MinSeries nights, so that it is not known how much it varies.
//
// Ratio is present : reference, of geometric means. Values far from their level count as less far. Values of all
// nights, each in relation to its level, tell how much nights vary, and how much they are like the night before.
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
		now[max(0, len(now)-MaxPresentNights):], level), true
}
