package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinIndependenceSamples is the number of samples from which on an interval of Median takes their dependence into
// account well enough: with a coefficient of autocorrelation of 0.8, 89 to 91 % of the intervals contained the median
// in simulations of 25 and of 30 samples. From fewer samples, the coefficient is hardly known.
const MinIndependenceSamples = 25

// minCorrelatedSamples is the smallest number of samples per set from which the coefficient of autocorrelation is
// estimated. Fewer samples are assumed to be independent: the error of the estimate would cost a comparison of two sets
// of 6 a quarter of the differences that it shows.
const minCorrelatedSamples = 10

// isAutocorrelated reports whether samples, in the order of measurement, depend on one another: whether the correlation
// between the ranks of consecutive samples is too large for independent samples. The standard error of the coefficient
// is 1/√n for independent samples (Bartlett, 1946); the limit is the upper 1 % of the normal distribution.
func isAutocorrelated(samples []float64) bool {
	ranks, _ := midranks(samples)
	return lagOneCorrelation(ranks) > 2.33/math.Sqrt(float64(len(samples)))
}

// rankAutocorrelation estimates the coefficient of autocorrelation of sets of samples about their medians, from the
// ranks of all together, which outliers influence little. Each set is in the order of measurement. The result is at
// least 0: if samples alternate between high and low, intervals become no narrower.
func rankAutocorrelation(sets ...[]float64) float64 {
	var away []float64
	for _, samples := range sets {
		center := SampleMedian(samples)
		for _, s := range samples {
			away = append(away, s-center)
		}
	}
	ranks, ties := midranks(away)
	if len(away) < minCorrelatedSamples*len(sets) || len(ties) == 1 {
		return 0
	}
	return max(0, unbiasedAutocorrelation(ranks, len(sets)))
}

// medianVarianceFactor returns by which factor the variance of the median of n consecutive values of a normal AR(1)
// process with coefficient r is larger than that of independent values. It is that of the number of values below the
// true median. Whether two values k apart are below it correlates by 2/π·arcsin(r^k) (Sheppard, 1899).
func medianVarianceFactor(n int, r float64) float64 {
	factor, power := 1.0, r
	for k := 1; k < n && power > 1e-4; k++ {
		factor += 2 * (1 - float64(k)/float64(n)) * 2 / math.Pi * math.Asin(power)
		power *= r
	}
	return factor
}

// levelForDependentMedian returns the level at which an interval of the median of independent samples is as wide as one
// of these samples at the given level: the standard deviation of the number of samples below the median is larger by
// the square root of medianVarianceFactor. n divided by this factor is the effective number of samples (Bayley and
// Hammersley, 1946). Since so few samples estimate the factor, the quantile is that of Student's distribution.
func levelForDependentMedian(samples []float64, level float64) float64 {
	n := len(samples)
	factor := medianVarianceFactor(n, rankAutocorrelation(samples))
	if factor == 1 {
		return level
	}
	student := distuv.StudentsT{Sigma: 1, Nu: max(1, float64(n)/factor-1)}
	return 1 - twoSidedP(student.Quantile((1+level)/2)*math.Sqrt(factor))
}

// meansVarianceFactor returns by which factor the variance of the difference between the means of n1 and of n2
// consecutive values of an AR(1) process with coefficient r is larger than that of independent values.
func meansVarianceFactor(n1, n2 int, r float64) float64 {
	return (meanVariance(n1, r) + meanVariance(n2, r)) / (1/float64(n1) + 1/float64(n2))
}

// widenedP returns the two-sided p-value of a test whose statistic has a variance that is larger by a factor, because
// samples depend on one another. p is the p-value for independent samples.
func widenedP(p, factor float64) float64 {
	if factor == 1 || p <= 0 {
		return p
	}
	return twoSidedP(distuv.UnitNormal.Quantile(p/2) / math.Sqrt(factor))
}
