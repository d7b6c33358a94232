package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// assumedKurtosis is the excess kurtosis that PredictionTest assumes for logarithms of samples: that of the logistic
// distribution. A normal distribution has 0, and one with heavier tails has more.
const assumedKurtosis = 1.2

// samplesPerExtreme is the number of samples for each of which PredictionTest ignores one at each end of the samples,
// because it may be an outlier.
const samplesPerExtreme = 25

// PredictionTest tests whether a single sample differs from several other samples: whether it is outside the interval
// that these predict for a further sample. One of a and b has one sample, and the other has at least two. If both have
// only one sample, the variation is unknown, and there is neither a test nor an interval. All samples must be positive
// and independent of one another.
//
// This is the t test of Student (1908) of the logarithms, with one sample on one side. Tails may be a little heavier
// than those of a normal distribution: the degrees of freedom are those of Box (1953) for assumedKurtosis. If the
// samples have two modes, the interval of the t test may not reach the rarer one. So a sample that is among the several
// samples is never outside, except for the most extreme ones; its p-value is that of its rank (Wilks, 1941).
//
// The Ratio of the result is the geometric mean of b divided by the geometric mean of a. The interval contains all
// ratios that the test does not reject at the confidence level, which is at least 0.95 and below 1.
func PredictionTest(a, b []float64, level float64) TestedRatio {
	d := TestedRatio{N: [2]int{len(a), len(b)}, Ratio: math.NaN(), Low: 0, High: math.Inf(1), P: 1, SmallestP: 1}
	if len(a) == 0 || len(b) == 0 {
		return d
	}
	from, to := logarithms(a), logarithms(b)
	step := stat.Mean(to, nil) - stat.Mean(from, nil)
	d.Ratio = math.Exp(step)
	several, single := from, to[0]
	if len(to) > len(from) {
		several, single = to, from[0]
	}
	n := float64(len(several))
	if n < 2 {
		return d
	}
	d.SmallestP = 0
	deviation := stat.StdDev(several, nil) * math.Sqrt(1+1/n)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, (n-1)/(1+assumedKurtosis/2))}
	switch {
	case deviation > 0:
		d.P = 2 * student.CDF(-math.Abs(step)/deviation)
	case step != 0:
		d.P = 0
	}
	reach := student.Quantile((1+level)/2) * deviation
	slices.Sort(several)
	extremes := len(several) / samplesPerExtreme
	lowest, highest := several[extremes], several[len(several)-1-extremes]
	if lowest <= single && single <= highest {
		d.P = max(d.P, min(1, 2*float64(extremes+2)/(n+1)))
	}
	mean := stat.Mean(several, nil)
	below, above := max(reach, mean-lowest), max(reach, highest-mean) // reach of the prediction to both sides
	if len(to) == 1 {
		below, above = above, below
	}
	d.Low, d.High = math.Exp(step-below), math.Exp(step+above)
	return d
}
