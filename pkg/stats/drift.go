package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// DriftP returns the p-value of a drift in samples, which are in the order of measurement. It is the probability that
// the ranks and the order of samples correlate at least as strongly as here if the order has no influence (Spearman,
// 1904). The correlation coefficient is assumed to be normal with variance 1/(n-1). The result is 1 for fewer than 6
// samples, or if all are equal.
func DriftP(samples []float64) float64 {
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
	return twoSidedP(stat.Correlation(ranks, places, nil) * math.Sqrt(float64(len(samples)-1)))
}

// lagOneCorrelation returns the correlation coefficient between each value and the next one (autocorrelation at lag 1),
// or 0 if all values are equal.
func lagOneCorrelation(values []float64) float64 {
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

// midranks returns the rank of each value, from 1, and the size of each group of equal values, in ascending order of
// the values. Equal values share the mean of their ranks.
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
