package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Predicted tests whether one sample differs from several others, by the interval in which a further sample of the same
// kind as those is expected: the t test of Student (1908) of the logarithms, with one sample on one side. Either a or b
// has one sample, and the other has at least two; otherwise nothing is known of how much samples vary, and there is no
// test and no interval. All samples must be positive and independent of one another. Their logarithms are assumed to be
// normal; outliers among the several make the interval wider.
//
// Ratio is the ratio of the geometric means of b and of a. The interval holds all ratios that the test does not reject
// at the given confidence level, in (0, 1).
func Predicted(a, b []float64, level float64) TestedRatio {
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
