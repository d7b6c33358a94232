package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// PredictionTest tests whether a single sample differs from several other samples: whether it is outside the interval
// that these predict for a further sample. This is the t test of Student (1908) of the logarithms, with one sample on
// one side. One of a and b has one sample, and the other has at least two. If both have only one sample, the variation
// is unknown, and there is neither a test nor an interval. All samples must be positive and independent of one another.
// Their logarithms are assumed to be normal. Outliers among the several samples make the interval wider.
//
// The Ratio of the result is the geometric mean of b divided by the geometric mean of a. The interval contains all
// ratios that the test does not reject at the confidence level, which is in (0, 1).
func PredictionTest(a, b []float64, level float64) TestedRatio {
	d := TestedRatio{N: [2]int{len(a), len(b)}, Ratio: math.NaN(), Low: 0, High: math.Inf(1), P: 1, SmallestP: 1}
	if len(a) == 0 || len(b) == 0 {
		return d
	}
	from, to := logarithms(a), logarithms(b)
	step := stat.Mean(to, nil) - stat.Mean(from, nil)
	d.Ratio = math.Exp(step)
	several := from
	if len(to) > len(from) {
		several = to
	}
	n := float64(len(several))
	if n < 2 {
		return d
	}
	d.SmallestP = 0
	deviation := stat.StdDev(several, nil) * math.Sqrt(1+1/n)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	switch {
	case deviation > 0:
		d.P = 2 * student.CDF(-math.Abs(step)/deviation)
	case step != 0:
		d.P = 0
	}
	reach := student.Quantile((1+level)/2) * deviation
	d.Low, d.High = math.Exp(step-reach), math.Exp(step+reach)
	return d
}
