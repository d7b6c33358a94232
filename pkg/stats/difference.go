package stats

import (
	"math"
	"slices"
)

// Difference is what samples of a and of b, all of them positive, tell of the ratio of b to a.
type Difference struct {
	N         [2]int  // samples of a and of b
	Ratio     float64 // b : a; NaN without samples
	Low       float64 // of its interval; with too few samples 0
	High      float64 // of its interval; with too few samples +Inf
	P         float64 // the probability of a difference as large, either way, or larger, were there none
	SmallestP float64 // the smallest P that so many samples can have
	Outliers  [2]int  // samples of a and of b that the test takes for the median
}

// logs are the logarithms of the samples: a ratio is a difference of them.
func logs(samples []float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = math.Log(s)
	}
	return out
}

// middle is the median of what is sorted and not empty.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Middle is the median of the samples; NaN without any.
func Middle(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	return middle(slices.Sorted(slices.Values(samples)))
}

// twoSided is the probability that a standard normal variate is as far from 0 as z or farther.
func twoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
