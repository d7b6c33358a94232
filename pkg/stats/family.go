package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm returns the p-values of a family of tests, corrected by the method of Holm (1979), in the order
// given. If all tests with a corrected p-value of at most alpha are rejected, the probability of rejecting
// any true null hypothesis is at most alpha. The tests may depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	corrected, highest := make([]float64, len(p)), 0.0
	for k, i := range order {
		highest = max(highest, min(1, float64(len(p)-k)*p[i]))
		corrected[i] = highest
	}
	return corrected
}

// HolmLevels returns the significance level at which Holm's method decides about each test of a family, in the order
// given: alpha divided by the number of tests that are not rejected before it. Tests that are not rejected have the
// level of the first of them. So an interval of each test at this level holds the null hypothesis if, and only if, the
// test is not rejected.
func HolmLevels(p []float64, alpha float64) []float64 {
	rejected := 0
	for _, corrected := range Holm(p) {
		if corrected <= alpha {
			rejected++
		}
	}
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	levels := make([]float64, len(p))
	for k, i := range order {
		levels[i] = alpha / float64(len(p)-min(k, rejected))
	}
	return levels
}

// PairsNeeded returns how many pairs Paired needs at least to reject at alpha in a family of tests that is
// corrected by Holm.
func PairsNeeded(tests int, alpha float64) int {
	n := 1
	for math.Ldexp(2, -n)*float64(tests) > alpha {
		n++
	}
	return n
}

// SamplesNeeded returns how many samples Independent needs at least in each set to reject at alpha in a
// family of tests that is corrected by Holm.
func SamplesNeeded(tests int, alpha float64) int {
	n := 1
	for 2/math.Exp(logBinomial(2*n, n))*float64(tests) > alpha {
		n++
	}
	return n
}
