package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// far is the distance from the median, in standard deviations, from which on a value counts as less far.
	outlierDistance = 3
	// resolution is the smallest standard deviation of logarithms from night to night that is believed: 0.1 %.
	minDeviation = 0.001
	// usual is the smallest coefficient of autocorrelation that is believed.
	minAutocorrelation = 0.1
	// rare is the smallest part of outliers that is believed, and priorNights how many nights of a level tell as much
	// of outliers as what all series show.
	minOutliers, priorNights = 0.03, 25
	// noisy is how many nights tell as much of the noise of a level as all nights before it.
	priorNoiseNights = 20
	// month is how many nights show together how much one is like the night before. A series has at most four such
	// parts.
	partNights = 30
)

// noise is how values vary about their level. Values are assumed to be those of an AR(1) process. Now and then
// one is an outlier.
type noise struct {
	count     float64 // number of values of which it was estimated
	level     float64
	own       float64 // number of values of which level was estimated
	deviation float64 // standard deviation of what is new in a value: what the one before does not tell
	r         float64 // coefficient of autocorrelation
	spread    float64 // standard deviation about the level
	clip      float64 // distance beyond which a value is no stronger evidence
}

// prior is what is believed of the noise of series, as long as a level does not show more of its own.
type prior struct {
	r         float64 // coefficient of autocorrelation
	outliers  float64 // part of the values
	deviation float64 // of one series: see noise
}

// priorOfSeries returns what is believed of the noise of one of the series.
func (p prior) priorOfSeries(values []float64) prior {
	p.deviation = stepDeviation(values) * math.Sqrt(1+p.r)
	return p
}

// estimatePrior returns what series of logarithms show together: the median of their coefficients of autocorrelation,
// and how often a value is far from both of its neighbours, on one side. Changes would make a coefficient too large. So
// it is the mean of those of parts of the series, and in each part there may be one change, at the likeliest place.
// Half a standard error is added, because too small a coefficient means false alarms.
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

// estimateNoise returns the noise of consecutive values of one level. before is that of the level before, if there was
// one.
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
	n := noise{count: count, own: count, level: center + stat.Mean(tame, nil), r: from.r}
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
	// An outlier has this density, and another value at its most likely place that one.
	outliers += from.outliers * priorNights
	part := outliers / (count + priorNights)
	density := part * (0.3*3 + 1.5*outliers) / (3 + outliers)
	likely := (1 - part) / (n.deviation * math.Sqrt(2*math.Pi))
	freedom := max(n.count-1, 1)
	// A value at clip tells as much, by Student's t, as an outlier tells at most.
	n.clip = n.deviation * math.Sqrt(freedom*math.Expm1(2*max(math.Log(likely/density), 2)/(freedom+1)))
	return n
}

// changeEvidence returns the ratio of two likelihoods of the nights that follow those of a level: that they have
// another level, and that they have the same one. last is the last value of the level. The size of a change is assumed
// to be normal, with effect as its standard deviation, in standard deviations of the values: the Bayes factor of
// Student's t test (Gönen et al., 2005) of what is new in each night, its distance from what the night before lets
// expect. What is beyond clip counts as clip, so that one or two outliers are not enough.
//
// The autocorrelation is not known exactly either. With a small probability it is higher by more than a standard
// error.
func (n noise) changeEvidence(last float64, nights []float64) float64 {
	higher := n
	higher.r = min(n.r+margin*math.Sqrt((1-n.r*n.r)/n.count), 0.95)
	return 1 / ((1-marginProbability)/n.evidenceGivenR(last, nights) +
		marginProbability/higher.evidenceGivenR(last, nights))
}

const (
	// effect is the usual size of a change, in standard deviations of values about their level.
	usualEffect = 3
	// margin is by how many standard errors the coefficient of autocorrelation may be too small, with the probability
	// unsure.
	margin, marginProbability = 0.7, 0.1
)

// evidenceGivenR is evidence with the autocorrelation known.
func (n noise) evidenceGivenR(last float64, nights []float64) float64 {
	var information, weight, sum, square float64
	for i, v := range nights {
		// A change shows in full in the first night, and less what the night before has told of it in the others.
		expected, share := n.r*min(max(last-n.level, -n.clip), n.clip), 1-n.r
		if i == 0 {
			share = 1
		}
		away := min(max(v-n.level-expected, -n.clip), n.clip)
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
	deviation := math.Sqrt(variance * (information + weight*weight/n.own))
	t, freedom := sum/deviation, max(n.count-1, 1)+float64(len(nights)-1)
	reach := information * n.spread / deviation // how far t is moved by a change of one standard deviation
	g := usualEffect * usualEffect * reach * reach
	return math.Exp((freedom+1)/2*(math.Log1p(t*t/freedom)-math.Log1p(t*t/(freedom*(1+g))))) / math.Sqrt(1+g)
}

// variation is how values vary about the levels of a series, in all of it.
type variation struct {
	deviation float64 // standard deviation about the level
	r         float64 // coefficient of autocorrelation
	freedom   float64 // degrees of freedom
}

// estimateVariation returns how logarithms vary about their levels.
func estimateVariation(values []float64, changes []ChangePoint) variation {
	rest := limitOutliers(residuals(values, changes))
	freedom := float64(len(rest) - 1 - len(changes))
	r := max(minAutocorrelation, unbiasedAutocorrelation(rest, 1+len(changes)))
	return variation{max(math.Sqrt(sumOfSquares(rest)/freedom), minDeviation), r, freedom}
}

// compareMeans compares the means of logarithms of consecutive nights at one level with those at another one, by
// Student's t test. The variance of a mean of n nights is that of an AR(1) process. Between the two means no covariance
// is assumed, which makes the test a little careful.
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

// meanVariance returns the variance of the mean of n consecutive values of an AR(1) process of variance 1 and
// coefficient r, below 1.
func meanVariance(n int, r float64) float64 {
	k := float64(n)
	return ((1+r)/(1-r) - 2*r*(1-math.Pow(r, k))/(k*(1-r)*(1-r))) / k
}

// limitOutliers returns the logarithms with those that are far from the median moved towards it.
func limitOutliers(values []float64) []float64 {
	center := SampleMedian(values)
	limit := outlierDistance * max(robustDeviation(values, center), minDeviation)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = min(max(v, center-limit), center+limit)
	}
	return out
}

// limitOutliersOfLevels returns logarithms, with those that are far from their level moved towards it.
func limitOutliersOfLevels(values []float64, changes []ChangePoint) []float64 {
	x, rest := slices.Clone(values), residuals(values, changes)
	limit := outlierDistance * max(robustDeviation(rest, 0), minDeviation)
	for i, r := range rest {
		x[i] += min(max(r, -limit), limit) - r
	}
	return x
}

// residuals returns logarithms, each in relation to the median of its level, or to the line that fits a slow change
// best.
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
		if i > 0 && changes[i-1].Slow {
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

// robustDeviation returns the standard deviation about a center, estimated by the median of the distances from it
// (MAD). The values are assumed to be normal.
func robustDeviation(values []float64, center float64) float64 {
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - center)
	}
	slices.Sort(away)
	return 1.4826 * sortedMedian(away)
}

// sumOfSquares returns the sum of the squared distances from the mean.
func sumOfSquares(values []float64) (sum float64) {
	mean := stat.Mean(values, nil)
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// unbiasedAutocorrelation returns the coefficient of autocorrelation at lag 1 of values about so many levels, at most
// 0.95. In a short series with one level, the estimate is too small by about (1+4r)/n (Marriott and Pope, 1954), which
// is added, and half as much for each further level.
func unbiasedAutocorrelation(values []float64, levels int) float64 {
	r := lagOneCorrelation(values)
	return min(r+(1+4*r)/float64(len(values))*float64(1+levels)/2, 0.95)
}

// stepDeviation returns the standard deviation of values, estimated by the differences of consecutive ones (Huber's
// proposal 2, 1964, in one step). A lasting change is in few of the differences. The values are assumed to be normal
// and independent.
func stepDeviation(values []float64) float64 {
	differences := make([]float64, len(values)-1)
	for i := range differences {
		differences[i] = values[i+1] - values[i]
	}
	const limit, share = 1.5, 0.7785 // share of the variance of a normal distribution that is left if it ends at limit
	scale, sum := max(robustDeviation(differences, 0), minDeviation), 0.0
	for _, d := range differences {
		d = min(max(d/scale, -limit), limit)
		sum += d * d
	}
	return max(scale*math.Sqrt(sum/float64(len(differences))/share/2), minDeviation)
}
