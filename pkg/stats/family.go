package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm corrects probabilities of a family of tests (Holm, 1979), in their order: refusing those of at most alpha after the
// correction refuses, with probability at least 1 - alpha, none of the tests in which there is nothing to be found, however
// they depend on each other.
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

// PairsNeeded is how many pairs Paired needs to refuse at alpha in a family of tests, if their difference is as clear as can
// be.
func PairsNeeded(tests int, alpha float64) int {
	n := 1
	for math.Ldexp(2, -n)*float64(tests) > alpha {
		n++
	}
	return n
}

// SamplesNeeded is how many samples on each side Independent needs to refuse at alpha in a family of tests, if their
// difference is as clear as can be.
func SamplesNeeded(tests int, alpha float64) int {
	n := 1
	for 2/math.Exp(choices(2*n, n))*float64(tests) > alpha {
		n++
	}
	return n
}
