package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	// minOutliers is the smallest fraction of outliers that is assumed. priorNights is the number of nights of a level
	// that have the same weight as all series in the estimate of this fraction.
	minOutliers, priorNights = 0.03, 25
	// priorNoiseNights is the number of nights that have the same weight as all nights before the level in the estimate
	// of its noise.
	priorNoiseNights = 20
	// partNights is the number of nights in a part of a series from which the autocorrelation is estimated. A series
	// has at most four such parts.
	partNights = 30
)

// noise describes how values vary about their level. Values are assumed to follow an AR(1) process with occasional
// outliers.
type noise struct {
	count        float64 // number of values from which the noise was estimated
	level        float64
	levelCount   float64 // number of values from which level was estimated
	deviation    float64 // standard deviation of the innovations, which the previous values do not predict
	r            float64 // coefficient of autocorrelation
	spread       float64 // standard deviation about the level
	clipDistance float64 // distance beyond which a value is no stronger evidence
}

// prior holds assumptions about the noise of a series. They are used until a level has enough values from which its
// noise can be estimated.
type prior struct {
	r         float64 // coefficient of autocorrelation
	outliers  float64 // fraction of the values that are outliers
	deviation float64 // of one series; see noise
}

// priorOfSeries returns a copy of p with the standard deviation of one series, estimated from its values.
func (p prior) priorOfSeries(values []float64) prior {
	p.deviation = stepDeviation(values) * math.Sqrt(1+p.r)
	return p
}

// estimatePrior estimates two numbers from all series, given as logarithms: the median of their coefficients of
// autocorrelation, and the fraction of outliers, values far above or far below both neighbours. A change of level would
// make the coefficient of a series too large. So it is computed as the mean over parts of the series, in each of which
// one change is allowed. Half a standard error is added, because a coefficient that is too small causes false alarms.
func estimatePrior(series [][]float64) prior {
	var all []float64
	outliers := 0.0
	for _, x := range series {
		months := min(max(1, len(x)/partNights), 4)
		r := 0.0
		for i := range months {
			part := x[i*len(x)/months : (i+1)*len(x)/months]
			r += unbiasedAutocorrelation(limitOutliers(residuals(part,
				[]ChangePoint{{At: likeliestSplit(limitOutliers(part))}})), 2) / float64(months)
		}
		all = append(all, max(minAutocorrelation, r+math.Sqrt((1-r*r)/float64(len(x)))/2))
		limit := 2.5 * stepDeviation(x) * math.Sqrt2
		for k := 1; k+1 < len(x); k++ {
			if math.Abs(x[k]-x[k-1]) > limit && math.Abs(x[k]-x[k+1]) > limit && (x[k] > x[k-1]) == (x[k] > x[k+1]) {
				outliers += 1 / float64(len(x)) / float64(len(series))
			}
		}
	}
	return prior{r: SampleMedian(all), outliers: max(minOutliers, outliers)}
}

// estimateNoise estimates the noise of consecutive values of one level. before is the noise of the previous level, or
// nil for the first level.
func estimateNoise(values []float64, before *noise, from prior) noise {
	center := SampleMedian(values)
	limit := outlierDistance * max(robustDeviation(values, center), minDeviation)
	if before != nil && len(values) < MinSeries {
		limit = outlierDistance * before.spread
	}
	tame, outliers := make([]float64, len(values)), 0.0
	for i, v := range values {
		tame[i] = min(max(v-center, -limit), limit)
		if math.Abs(v-center) > 1.15*limit {
			outliers++
		}
	}
	count := float64(len(values))
	n := noise{count: count, levelCount: count, level: center + stat.Mean(tame, nil), r: from.r}
	if len(values) >= 2*priorNoiseNights {
		n.r = max(from.r, unbiasedAutocorrelation(tame, 1))
	}
	variance := 0.0
	if len(values) > 1 {
		news := make([]float64, len(tame)-1)
		for i := range news {
			news[i] = tame[i+1] - n.r*tame[i]
		}
		variance = floats.Dot(news, news) / (count - 1)
		if recent := news[max(0, len(news)-priorNoiseNights):]; len(recent) == priorNoiseNights {
			variance = max(variance, 0.8*floats.Dot(recent, recent)/priorNoiseNights)
		}
	}
	if before != nil {
		weight := min(before.count, priorNoiseNights)
		variance = (weight*before.deviation*before.deviation + (count-1)*variance) / (weight + count - 1)
		n.count += weight
		n.r = max(n.r, (weight*before.r+count*n.r)/(weight+count))
	}
	n.deviation = max(math.Sqrt(variance), 0.9*from.deviation, minDeviation)
	n.spread = n.deviation / math.Sqrt(1-n.r*n.r)
	// This is the density of an outlier, followed by that of another value at its most likely position.
	outliers += from.outliers * priorNights
	part := outliers / (count + priorNights)
	density := part * (0.3*3 + 1.5*outliers) / (3 + outliers)
	likely := (1 - part) / (n.deviation * math.Sqrt(2*math.Pi))
	freedom := max(n.count-1, 1)
	// With Student's t, a value at clip is as strong evidence as an outlier can be.
	n.clipDistance = n.deviation * math.Sqrt(freedom*math.Expm1(2*max(math.Log(likely/density), 2)/(freedom+1)))
	return n
}

// changeEvidence returns the likelihood ratio of two hypotheses about the values in nights, which follow a level: that
// their level is another one, or that it is the same. last is the value before them. The size of a change is assumed to
// be normal, with the standard deviation typicalChange in units of the standard deviation of the values. The result is
// the Bayes factor of Student's t test (Gönen et al., 2005) of the innovations: the difference of each value from its
// prediction by the previous value. Differences larger than clipDistance are reduced to it, so that one or two outliers
// are not enough evidence.
//
// The autocorrelation is not known exactly either. With the probability marginProbability it is assumed to be higher by
// autocorrelationMargin standard errors.
func (n noise) changeEvidence(last float64, nights []float64) float64 {
	higher := n
	higher.r = min(n.r+autocorrelationMargin*math.Sqrt((1-n.r*n.r)/n.count), 0.95)
	return 1 / ((1-marginProbability)/n.evidenceGivenR(last, nights) +
		marginProbability/higher.evidenceGivenR(last, nights))
}

const (
	// typicalChange is the usual size of a change, in standard deviations of values about their level.
	typicalChange = 3
	// autocorrelationMargin is the number of standard errors by which the coefficient of autocorrelation may be too
	// small, with the probability marginProbability.
	autocorrelationMargin, marginProbability = 0.7, 0.1
)

// evidenceGivenR does the same as changeEvidence, but for an exactly known coefficient of autocorrelation, n.r.
func (n noise) evidenceGivenR(last float64, nights []float64) float64 {
	var information, weight, sum, square float64
	for i, v := range nights {
		// The first night shows the whole change. In later nights, the part that the previous night predicts is
		// missing.
		expected, share := n.r*min(max(last-n.level, -n.clipDistance), n.clipDistance), 1-n.r
		if i == 0 {
			share = 1
		}
		away := min(max(v-n.level-expected, -n.clipDistance), n.clipDistance)
		information += share * share
		weight += share
		sum += share * away
		square += away * away
		last = v
	}
	variance := n.deviation * n.deviation
	if later := float64(len(nights) - 1); later > 0 {
		rest := square - sum*sum/information
		variance = max(variance, (n.count*variance+rest)/(n.count+later))
		if later >= 2*minLevelNights {
			variance = max(variance, rest/later)
		}
	}
	deviation := math.Sqrt(variance * (information + weight*weight/n.levelCount))
	t, freedom := sum/deviation, max(n.count-1, 1)+float64(len(nights)-1)
	reach := information * n.spread / deviation // how far a change of one standard deviation moves t
	g := typicalChange * typicalChange * reach * reach
	return math.Exp((freedom+1)/2*(math.Log1p(t*t/freedom)-math.Log1p(t*t/(freedom*(1+g))))) / math.Sqrt(1+g)
}

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
