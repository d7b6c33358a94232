package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Lately is how many of the last nights count as the present in Branch.Against, at most.
const Lately = 14

// Against compares the present of the branch with its values in the given nights, which are the reference. The present
// is the nights after the last change point and after the reference, and at most the last Lately of them: what fell
// stays fallen. It returns false if none of the nights has a value, none is left for the present, or the branch
// has fewer than MinSeries nights, so that it is not known how much it varies.
//
// Ratio is present : reference, of geometric means. The test is Student's, of the difference of the means of
// logarithms. Outliers count as less far, see Search. Values of all nights, each in relation to the median between two
// change points, tell how much nights vary, and how much they are like the night before; the variance of a mean of n
// nights allows for that (the sum of the autocovariances of an AR(1) process). Between the two means no covariance is
// assumed, which makes the test a little careful.
func (b *Branch) Against(reference []int, level float64) (d Difference, ok bool) {
	n := len(b.Values)
	if n < MinSeries || len(reference) == 0 {
		return d, false
	}
	rest, x := b.rests(), b.tamedParts()
	first := 0
	if k := len(b.Changes); k > 0 {
		first = b.Changes[k-1].At
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
	now = now[max(0, len(now)-Lately):]
	d.N = [2]int{len(before), len(now)}
	r := max(coefficient(rest, n/2), b.least)
	deviation := max(stat.StdDev(tamed(rest), nil), resolution)
	standardError := deviation * math.Sqrt(meanVariance(len(before), r)+meanVariance(len(now), r))
	difference := stat.Mean(now, nil) - stat.Mean(before, nil)
	student := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1 - len(b.Changes))}
	away := student.Quantile((1+level)/2) * standardError
	d.P = 2 * student.CDF(-math.Abs(difference)/standardError)
	d.Ratio, d.Low, d.High = math.Exp(difference), math.Exp(difference-away), math.Exp(difference+away)
	return d, true
}

// meanVariance returns the variance of the mean of n consecutive values of an AR(1) process of variance 1 and
// coefficient r, below 1.
func meanVariance(n int, r float64) float64 {
	k := float64(n)
	return ((1+r)/(1-r) - 2*r*(1-math.Pow(r, k))/(k*(1-r)*(1-r))) / k
}

// rests returns the logarithms of the values, each in relation to the median between two change points.
func (b *Branch) rests() []float64 {
	x := logs(b.Values)
	b.parts(func(from, to int) {
		center := Middle(x[from:to])
		for i := from; i < to; i++ {
			x[i] -= center
		}
	})
	return x
}

// tamedParts returns the logarithms of the values, with those that are far from the median between two change points
// moved towards it.
func (b *Branch) tamedParts() []float64 {
	x, rest := logs(b.Values), b.rests()
	limit := far * max(spread(rest, 0), resolution)
	for i, r := range rest {
		x[i] += min(max(r, -limit), limit) - r
	}
	return x
}

// parts calls a function with the indices of the first value and of the one after the last between two change points.
func (b *Branch) parts(do func(from, to int)) {
	from := 0
	for _, c := range b.Changes {
		do(from, c.At)
		from = c.At
	}
	do(from, len(b.Values))
}
