package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm corrects the p-values of a family of tests by the method of Holm (1979). The result has the order of p. If all
// tests with a corrected p-value of at most alpha are rejected, the probability to reject any true null hypothesis is
// at most alpha. The tests may depend on each other.
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

// HolmLevels returns the significance level that Holm's method uses for each test of a family, in the order of p. The
// method goes through the tests in ascending order of p-values. The level of a test is alpha divided by the number of
// tests that are not rejected yet. All tests that are not rejected at the end have the same level. So the confidence
// interval of a test at its level contains the null hypothesis if, and only if, the test is not rejected.
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

// PairsNeeded returns the smallest number of pairs with which PairedTest can reject at the level alpha. tests is the
// number of tests in a family that Holm corrects.
func PairsNeeded(tests int, alpha float64) int {
	n := 1
	for math.Ldexp(2, -n)*float64(tests) > alpha {
		n++
	}
	return n
}

// SamplesNeeded returns the smallest number of samples in each set with which IndependentTest can reject at the level
// alpha. tests is the number of tests in a family that Holm corrects.
func SamplesNeeded(tests int, alpha float64) int {
	n := 1
	for 2/math.Exp(logBinomial(2*n, n))*float64(tests) > alpha {
		n++
	}
	return n
}
