package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Drift is the probability of samples, in the order in which they were taken, to rise or fall as steadily as these do, or more
// so, if their order meant nothing: of the correlation of their ranks with their places (Spearman), which is taken as normal
// with variance 1 / (n - 1). It is 1 with fewer than 6 samples or all of them equal.
func Drift(samples []float64) float64 {
	if len(samples) < 6 {
		return 1
	}
	ranks, ties := midranks(samples)
	if len(ties) == 1 {
		return 1
	}
	places := make([]float64, len(samples))
	for i := range places {
		places[i] = float64(i)
	}
	return twoSided(stat.Correlation(ranks, places, nil) * math.Sqrt(float64(len(samples)-1)))
}

// Autocorrelation is how much a sample is like the one taken before it: the coefficient of correlation of their ranks, 0 with
// fewer than 3 samples or all of them equal.
func Autocorrelation(samples []float64) float64 {
	if len(samples) < 3 {
		return 0
	}
	ranks, _ := midranks(samples)
	return lag(ranks)
}

// lag is the coefficient of autocorrelation of values with the ones before.
func lag(values []float64) float64 {
	mean := stat.Mean(values, nil)
	product, square := 0.0, 0.0
	for i, v := range values {
		square += (v - mean) * (v - mean)
		if i > 0 {
			product += (v - mean) * (values[i-1] - mean)
		}
	}
	if square == 0 {
		return 0
	}
	return product / square
}

// midranks are the ranks, from 1, of the values, equal ones sharing their mean, and how many share each rank.
func midranks(values []float64) (ranks, ties []float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks = make([]float64, len(values))
	for first := 0; first < len(order); {
		next := first + 1
		for next < len(order) && values[order[next]] == values[order[first]] {
			next++
		}
		for _, i := range order[first:next] {
			ranks[i] = float64(first+1+next) / 2
		}
		ties = append(ties, float64(next-first))
		first = next
	}
	return ranks, ties
}
