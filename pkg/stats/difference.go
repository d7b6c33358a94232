package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestedRatio is the result of testing whether b differs from a, two sets of positive samples. Independent
// and Paired return it.
type TestedRatio struct {
	N         [2]int  // number of samples of a and of b
	Ratio     float64 // estimate of b : a; NaN without samples
	Low       float64 // lower bound of the interval of Ratio; 0 with too few samples
	High      float64 // upper bound of the interval of Ratio; +Inf with too few samples
	P         float64 // two-sided p-value
	SmallestP float64 // the smallest P that is possible for this number of samples
}

// DetectableFall returns the smallest fall that a test at the same confidence level as d would have shown, with a
// probability of 0.9, in samples that are as many and as noisy: 0.2 is one by 20 %. It is 1 if none would have been.
//
// Low and High are then at about the same distance from Ratio as the estimate of a fall must be from 1 to be shown. The
// estimate is assumed to be log-normal.
func (d TestedRatio) DetectableFall(level float64) float64 {
	if d.Low <= 0 || math.IsInf(d.High, 1) {
		return 1
	}
	half := math.Log(d.High/d.Low) / 2
	deviation := half / distuv.UnitNormal.Quantile((1+level)/2)
	return 1 - math.Exp(-half-detectionMargin*deviation)
}

// detectionMargin is how many standard deviations what is shown with a probability of 0.9 lies beyond what is just
// shown.
const detectionMargin = 1.2816

// logarithms returns the logarithms of the samples. A ratio of samples is a difference of logarithms.
func logarithms(samples []float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = math.Log(s)
	}
	return out
}

// sortedMedian returns the median of sorted values. There must be at least one.
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
