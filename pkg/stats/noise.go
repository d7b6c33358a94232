package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// outlierDistance is the distance from the median, in standard deviations, to which larger distances are reduced.
	outlierDistance = 3
	// minDeviation is the smallest standard deviation of logarithms from night to night that is assumed: 0.1 %.
	minDeviation = 0.001
	// minAutocorrelation is the smallest coefficient of autocorrelation that is assumed.
	minAutocorrelation = 0.1
)

// variation describes how much the values of a series vary about their levels.
type variation struct {
	deviation float64 // standard deviation about the level
	r         float64 // coefficient of autocorrelation
	freedom   float64 // degrees of freedom
}

// estimateVariation estimates how logarithms vary about their levels.
func estimateVariation(values []float64, changes []ChangePoint) variation {
	rest := limitOutliers(residuals(values, changes))
	freedom := float64(len(rest) - 1 - len(changes))
	r := max(minAutocorrelation, unbiasedAutocorrelation(rest, 1+len(changes)))
	return variation{max(math.Sqrt(sumOfSquares(rest)/freedom), minDeviation), r, freedom}
}

// compareMeans compares the means of two lists of logarithms by Student's t test. Each list holds consecutive values at
// one level. The variance of a mean of n values is that of an AR(1) process. The covariance between the two means is
// assumed to be 0, which makes the test slightly conservative.
func (v variation) compareMeans(before, after []float64, level float64) TestedRatio {
	standardError := v.deviation * math.Sqrt(meanVariance(len(before), v.r)+meanVariance(len(after), v.r))
	difference := stat.Mean(after, nil) - stat.Mean(before, nil)
	student := distuv.StudentsT{Sigma: 1, Nu: v.freedom}
	away := student.Quantile((1+level)/2) * standardError
	return TestedRatio{
		N: [2]int{len(before), len(after)}, Ratio: math.Exp(difference), Low: math.Exp(difference - away),
		High: math.Exp(difference + away), P: 2 * student.CDF(-math.Abs(difference)/standardError),
	}
}

// meanVariance returns the variance of the mean of n consecutive values of an AR(1) process with variance 1 and
// coefficient r < 1.
func meanVariance(n int, r float64) float64 {
	k := float64(n)
	return ((1+r)/(1-r) - 2*r*(1-math.Pow(r, k))/(k*(1-r)*(1-r))) / k
}

// limitOutliers returns a copy of the logarithms in which values that are too far from the median are moved towards it.
func limitOutliers(values []float64) []float64 {
	center := SampleMedian(values)
	limit := outlierDistance * max(robustDeviation(values, center), minDeviation)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = min(max(v, center-limit), center+limit)
	}
	return out
}

// limitOutliersOfLevels returns a copy of the logarithms in which values that are too far from the level of their part
// of the series are moved towards this level.
func limitOutliersOfLevels(values []float64, changes []ChangePoint) []float64 {
	x, rest := slices.Clone(values), residuals(values, changes)
	limit := outlierDistance * max(robustDeviation(rest, 0), minDeviation)
	for i, r := range rest {
		x[i] += min(max(r, -limit), limit) - r
	}
	return x
}

// residuals returns the differences of logarithms from the median of the values at the same level, or, in a gradual
// change, from the best straight line.
func residuals(values []float64, changes []ChangePoint) []float64 {
	x := slices.Clone(values)
	for i := range len(changes) + 1 {
		from, to := 0, len(x)
		if i > 0 {
			from = changes[i-1].At
		}
		if i < len(changes) {
			to = changes[i].At
		}
		part := x[from:to]
		if i > 0 && changes[i-1].Gradual {
			nights := make([]float64, len(part))
			for k := range nights {
				nights[k] = float64(k)
			}
			_, slope := stat.LinearRegression(nights, part, nil, false)
			for k := range part {
				part[k] -= slope * nights[k]
			}
		}
		center := SampleMedian(part)
		for k := range part {
			part[k] -= center
		}
	}
	return x
}

// robustDeviation returns the standard deviation about the value center, estimated from the median absolute deviation
// (MAD). The values are assumed to be normal.
func robustDeviation(values []float64, center float64) float64 {
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - center)
	}
	slices.Sort(away)
	return 1.4826 * sortedMedian(away)
}

// sumOfSquares returns the sum of the squared differences of the values from their mean.
func sumOfSquares(values []float64) (sum float64) {
	mean := stat.Mean(values, nil)
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// unbiasedAutocorrelation returns the coefficient of autocorrelation of values at lag 1, at most 0.95. levels is the
// number of levels about which the values vary. In a short series with one level, the usual estimate is too small by
// about (1+4r)/n (Marriott and Pope, 1954). So this bias is added, and half of it for each further level.
func unbiasedAutocorrelation(values []float64, levels int) float64 {
	r := lagOneCorrelation(values)
	return min(r+(1+4*r)/float64(len(values))*float64(1+levels)/2, 0.95)
}

// stepDeviation returns the standard deviation of values, estimated from the differences of consecutive values (Huber's
// proposal 2, 1964, in one step). A lasting change affects few of these differences. The values are assumed to be
// normal and independent.
func stepDeviation(values []float64) float64 {
	differences := make([]float64, len(values)-1)
	for i := range differences {
		differences[i] = values[i+1] - values[i]
	}
	const limit, share = 1.5, 0.7785 // share of the variance of a normal distribution left after a cut at limit
	scale, sum := max(robustDeviation(differences, 0), minDeviation), 0.0
	for _, d := range differences {
		d = min(max(d/scale, -limit), limit)
		sum += d * d
	}
	return max(scale*math.Sqrt(sum/float64(len(differences))/share/2), minDeviation)
}
