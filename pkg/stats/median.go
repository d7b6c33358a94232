// Package stats is the statistics of samples of a benchmark: summaries, intervals, tests, change points. It is pure.
//
// Samples of a benchmark are not normal, so everything here goes by ranks and order statistics.
package stats

// Estimate is what samples tell of the median of what they are drawn from.
type Estimate struct {
	N        int
	Median   float64
	Low      float64 // of the interval; with too few samples -Inf
	High     float64 // of the interval; with too few samples +Inf
	Coverage float64 // of the interval: the probability that it holds the median, at least what was asked for where that is possible
}
