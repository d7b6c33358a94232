package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestedRatio is the result of a test that decides whether b differs from a, two sets of positive samples.
type TestedRatio struct {
	N         [2]int  // number of samples in a and in b
	Ratio     float64 // estimate of b divided by a; NaN without samples
	Low       float64 // lower bound of the interval of Ratio; 0 with too few samples
	High      float64 // upper bound of the interval of Ratio; +Inf with too few samples
	P         float64 // two-sided p-value
	SmallestP float64 // the smallest possible P for this number of samples
}

// DetectableFall returns the smallest fall from a to b that the test at this confidence level would have shown with a
// probability of 0.9, if the samples were as many and varied as much. A fall of 0.2 means 20 %. The result is 1 if no
// fall would have been shown.
//
// It assumes that a fall is shown if its estimate is about as far from 1 as Low and High are from Ratio, and that the
// estimate is log-normal.
func (d TestedRatio) DetectableFall(level float64) float64 {
	if d.Low <= 0 || math.IsInf(d.High, 1) {
		return 1
	}
	half := math.Log(d.High/d.Low) / 2
	deviation := half / distuv.UnitNormal.Quantile((1+level)/2)
	return 1 - math.Exp(-half-detectionMargin*deviation)
}

// detectionMargin is the 0.9 quantile of the standard normal distribution. If the true difference is larger by so many
// standard deviations than the smallest estimate that is shown, it is shown with a probability of 0.9.
const detectionMargin = 1.2816

// logarithms returns the logarithms of the samples, because the logarithm of a ratio is a difference of logarithms.
func logarithms(samples []float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = math.Log(s)
	}
	return out
}

// sortedMedian returns the median of sorted values. There must be at least one value.
func sortedMedian(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// SampleMedian returns the median of the samples, or NaN if there are none.
func SampleMedian(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	return sortedMedian(slices.Sorted(slices.Values(samples)))
}

// twoSidedP returns the probability that the absolute value of a standard normal variate is at least |z|.
func twoSidedP(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
