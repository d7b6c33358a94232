package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const (
	// memoryNights is the number of latest nights of a level from which its noise is estimated. The level itself is
	// that of the last levelNights of them, so that a season does not look like a change.
	memoryNights, levelNights = 90, 45
	// maxFreedom is the largest number of degrees of freedom of the noise.
	maxFreedom = 60
	// outlierLimit is the distance from the level, in standard deviations, beyond which a value is an outlier.
	outlierLimit = 3.5
	// priorAutocorrelation is the coefficient of autocorrelation that is assumed before there are values. It has the
	// weight of priorAutocorrelationNights nights.
	priorAutocorrelation, priorAutocorrelationNights = 0.15, 20
)

// noiseModel describes how values vary about their level from night to night. Values follow an AR(1) process whose
// innovations have Student's t distribution. Some values are outliers: they say nothing about the level.
type noiseModel struct {
	level       float64
	levelError  float64 // standard error of level
	deviation   float64 // scale of the innovations, which the previous values do not predict
	freedom     float64 // degrees of freedom of the innovations
	r           float64 // coefficient of autocorrelation
	rError      float64 // standard error of r
	spread      float64 // standard deviation about the level
	outliers    float64 // fraction of the values that are outliers
	numOutliers float64 // number of outliers among the values
	density     *outlierDensity
	count       int     // number of values from which level was estimated
	drift       float64 // standard deviation of what the level may have drifted since

	scale float64 // factor of the density of Student's distribution
}

// noisePrior holds what is known about the noise of a series before its own values are considered.
type noisePrior struct {
	r, rNights    float64 // coefficient of autocorrelation, and the number of nights that it is worth
	deviation     float64 // scale of the innovations; 0: not known
	freedom       float64 // number of nights that deviation is worth
	outliers      float64 // fraction of outliers
	outlierNights float64 // number of nights that outliers is worth
	density       *outlierDensity
}

// outlierDensity is the density of the distances of outliers from their level: a histogram of those that were seen, and
// a constant density which counts as baseOutliers outliers.
type outlierDensity struct {
	bins  [120]float64
	count float64
}

const (
	baseOutliers    = 3
	baseDensity     = 0.3 // of outliers, per unit of the logarithm
	outlierBinWidth = 0.05
)

// noOutliers is the density before any outlier was seen.
var noOutliers outlierDensity

// add adds the distance of an outlier from its level.
func (d *outlierDensity) add(distance float64) {
	at := distance/outlierBinWidth + float64(len(d.bins))/2
	for i := int(at) - 1; i <= int(at)+1; i++ {
		if i >= 0 && i < len(d.bins) {
			d.bins[i]++
		}
	}
	d.count++
}

// merge adds the distances of other outliers.
func (d *outlierDensity) merge(other *outlierDensity) {
	floats.Add(d.bins[:], other.bins[:])
	d.count += other.count
}

// at returns the density at a distance from the level.
func (d *outlierDensity) at(distance float64) float64 {
	i, seen := int(distance/outlierBinWidth+float64(len(d.bins))/2), 0.0
	if i >= 0 && i < len(d.bins) {
		seen = d.bins[i] / (3 * outlierBinWidth)
	}
	return (baseOutliers*baseDensity + seen) / (baseOutliers + d.count)
}

// estimateNoiseModel estimates the noise of consecutive values of one level. before is the noise of the previous level,
// or nil for the first level.
func estimateNoiseModel(values []float64, before *noiseModel, from noisePrior) noiseModel {
	values = values[max(0, len(values)-memoryNights):]
	count := float64(len(values))
	center, s := medianAndDeviation(values)
	switch {
	case len(values) >= recentNights:
	case before != nil && len(values) < MinSeries:
		s = before.spread
	case len(values) > 1: // the median absolute deviation of so few values can be very small by chance
		s = max(s, 0.7*stat.StdDev(values, nil))
	}
	limit := outlierLimit * max(s, from.deviation/2, minDeviation)
	away, inside := make([]float64, len(values)), make([]bool, len(values))
	sum, latest := 0.0, 0.0
	for i, v := range values {
		away[i], inside[i] = v-center, math.Abs(v-center) <= limit
		if inside[i] && i >= len(values)-levelNights {
			sum += away[i]
			latest++
		}
	}
	n := noiseModel{level: center + sum/max(latest, 1), count: min(len(values), levelNights)}
	n.setOutliers(away, inside, from)
	rPrior, rNights := from.r, from.rNights
	if before != nil {
		rPrior, rNights = before.r, max(rNights, min(float64(before.count), 60))
	}
	r := 0.0
	if len(values) > 2 {
		tame := make([]float64, len(values))
		for i, v := range away {
			tame[i] = min(max(v, -limit), limit)
		}
		r = unbiasedAutocorrelation(tame, 1)
	}
	n.r = min(max((rNights*rPrior+count*r)/(rNights+count), 0), 0.95)
	n.rError = math.Sqrt((1 - n.r*n.r) / (count + rNights/2))
	squares := make([]float64, 0, len(away))
	for i := 1; i < len(away); i++ {
		if inside[i] && inside[i-1] {
			e := away[i] - n.r*away[i-1]
			squares = append(squares, e*e)
		}
	}
	freedom := max(0, float64(len(squares)-1))
	sum = 0
	if freedom > 0 {
		sum = floats.Sum(squares) * freedom / float64(len(squares))
	}
	if recent := squares[max(0, len(squares)-recentNights):]; len(recent) == recentNights {
		if late := floats.Sum(recent) / recentNights; late > sum/max(freedom, 1) {
			freedom = min(freedom, recentNights)
			sum = freedom * late
		}
	}
	if from.freedom > 0 {
		sum += from.freedom * from.deviation * from.deviation
		freedom += from.freedom
	}
	if before != nil {
		weight := min(before.freedom, 20)
		sum += weight * before.deviation * before.deviation
		freedom += weight
	}
	n.setInnovations(max(math.Sqrt(sum/max(freedom, 1)), minDeviation), min(max(freedom, 1), maxFreedom))
	return n.withAutocorrelation(n.r)
}

// medianAndDeviation returns the median of values and their robustDeviation about it.
func medianAndDeviation(values []float64) (center, deviation float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	center = sortedMedian(sorted)
	away := make([]float64, 0, len(sorted))
	for low, high := 0, len(sorted)-1; low <= high; { // the distance is largest at one of the ends
		if below, above := center-sorted[low], sorted[high]-center; below > above {
			away = append(away, below)
			low++
		} else {
			away = append(away, above)
			high--
		}
	}
	return center, 1.4826 * sortedMedian(away)
}

// recentNights is the number of latest nights that count alone if they vary more than those before them.
const recentNights = 20

// setOutliers sets the fraction of outliers and their density. away holds the distances of values from their center, of
// which those that are not inside are outliers.
func (n *noiseModel) setOutliers(away []float64, inside []bool, from noisePrior) {
	n.density = cmp.Or(from.density, &noOutliers)
	for i, distance := range away {
		if !inside[i] {
			if n.numOutliers == 0 {
				own := *n.density
				n.density = &own
			}
			n.density.add(distance)
			n.numOutliers++
		}
	}
	n.outliers = (n.numOutliers + from.outliers*from.outlierNights) / (float64(len(away)) + from.outlierNights)
}

// setInnovations sets the scale of the innovations and their degrees of freedom, a whole number.
func (n *noiseModel) setInnovations(deviation, freedom float64) {
	freedom = math.Round(freedom)
	n.deviation, n.freedom = deviation, freedom
	above, _ := math.Lgamma((freedom + 1) / 2)
	below, _ := math.Lgamma(freedom / 2)
	n.scale = math.Exp(above-below) / math.Sqrt(freedom*math.Pi) / deviation
}

// withAutocorrelation returns the noise with another coefficient of autocorrelation.
func (n noiseModel) withAutocorrelation(r float64) noiseModel {
	n.r = r
	n.spread = n.deviation / math.Sqrt(1-r*r)
	n.levelError = math.Hypot(n.spread*math.Sqrt(meanVariance(n.count, r)), n.drift)
	return n
}

// innovationDensity returns the density of the difference of a value from its prediction. stretch is a factor of the
// scale.
func (n *noiseModel) innovationDensity(difference, stretch float64) float64 {
	z := difference / (n.deviation * stretch)
	return n.scale / stretch * halfPower(1/(1+z*z/n.freedom), int(n.freedom)+1)
}

// halfPower returns x to the power of half of n.
func halfPower(x float64, n int) float64 {
	out := 1.0
	if n%2 == 1 {
		out = math.Sqrt(x)
	}
	for n /= 2; n > 0; n /= 2 {
		if n%2 == 1 {
			out *= x
		}
		x *= x
	}
	return out
}

// valueDensity returns the density of a value of a level. previous is the distance of the value before from its level,
// and outlier is the density of the value as an outlier.
func (n *noiseModel) valueDensity(value, previous, level, stretch, outlier float64) float64 {
	if math.Abs(previous) > outlierLimit*n.spread*stretch {
		previous = 0
	}
	return (1-n.outliers)*n.innovationDensity(value-level-n.r*previous, stretch) + outlier
}

// outlierDensities returns the densities of values as outliers, times the fraction of outliers.
func (n *noiseModel) outlierDensities(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = n.outliers * n.density.at(v-n.level)
	}
	return out
}

// likelihood returns the logarithm of the density of values of a level. previous is the distance of the value before
// them from its level.
func (n *noiseModel) likelihood(values, outliers []float64, previous, level, stretch float64) float64 {
	sum, product := 0.0, 1.0
	for i, v := range values {
		product *= n.valueDensity(v, previous, level, stretch, outliers[i])
		if product < 1e-200 || product > 1e200 {
			sum, product = sum+math.Log(product), 1
		}
		previous = v - level
	}
	return sum + math.Log(product)
}

// Weights of the hypotheses about autocorrelation and size.
var (
	rSteps                    = []float64{0, 1.2, 2.4}
	rWeights                  = []float64{0.6, 0.3, 0.1}
	shiftSteps                = []float64{-3.2, -2.4, -1.6, -0.8, 0, 0.8, 1.6, 2.4, 3.2}
	stretches, stretchWeights = []float64{1, 3}, []float64{0.7, 0.3}
)

// likelihoodOfSame returns the logarithm of the density of values whose level is the present one, which is known with
// an error. It integrates over this level: about its estimate, and about the most likely one given a center of the
// values. Where the values are far away, the first is right, and else the second.
func (n *noiseModel) likelihoodOfSame(values, outliers []float64, before, center float64) float64 {
	m := float64(len(values))
	known, seen := 1/(n.levelError*n.levelError), (1+(m-1)*(1-n.r)*(1-n.r))/(n.deviation*n.deviation)
	highest := math.Inf(-1)
	for _, about := range [][2]float64{
		{n.level, n.levelError}, {(n.level*known + center*seen) / (known + seen), 1 / math.Sqrt(known+seen)},
	} {
		logs := make([]float64, 0, len(sameSteps))
		for _, step := range sameSteps {
			level := about[0] + step*about[1]
			z := (level - n.level) / n.levelError
			logs = append(logs, n.likelihood(values, outliers, before-level, level, 1)-z*z/2)
		}
		highest = max(highest, floats.LogSumExp(logs)+math.Log(sameSpacing*about[1]/n.levelError/math.Sqrt(2*math.Pi)))
	}
	return highest
}

// widenedFor returns the noise with the variation of the values about their center, if it is larger. Otherwise noise
// that grows would look like a change.
func (n *noiseModel) widenedFor(values []float64, center float64) *noiseModel {
	rest := 0.0
	for _, v := range values {
		away := min(math.Abs(v-center), outlierLimit*n.spread)
		rest += away * away
	}
	variance := n.deviation * n.deviation
	wider := (widenedNights*variance + rest*(1-n.r*n.r)) / (widenedNights + float64(len(values)) - 1)
	if wider <= variance {
		return n
	}
	out := *n
	out.setInnovations(math.Sqrt(wider), n.freedom)
	return &out
}

// widenedNights is the number of nights that the noise before a change is worth against that after it.
const widenedNights = 3

// The levels that likelihoodOfSame adds up, in standard deviations.
var sameSteps = []float64{-2.7, -1.8, -0.9, 0, 0.9, 1.8, 2.7}

const sameSpacing = 0.9

// shiftDensity returns the prior density of the size of a change, a difference of logarithms: half of it is normal with
// a standard deviation of typicalShift times that of the values, half of it is uniform from -80 % to +100 %.
func (n *noiseModel) shiftDensity(shift float64) float64 {
	z := shift / (typicalShift * n.spread)
	d := 0.5 * z * z * math.Exp(-z*z/2) / (typicalShift * n.spread * math.Sqrt(2*math.Pi))
	if shift > -1.6 && shift < 0.7 {
		d += 0.5 / 2.3
	}
	return d + 0.001
}

const typicalShift = 2.5

// Values whose mean is away from the level by less than clearDistance standard errors are not looked at closely: the
// evidence in them is about unclearEvidence, and never enough.
const clearDistance, unclearEvidence = 2.6, 0.3

// evidenceOfShift returns the Bayes factor of two hypotheses about values that follow a level: that their level is
// another one, or that it is the same. before is the value before them.
func (n *noiseModel) evidenceOfShift(before float64, values []float64) float64 {
	m := float64(len(values))
	information := 1 + (m-1)*(1-n.r)*(1-n.r)
	standardError := math.Sqrt(n.deviation*n.deviation/information + n.levelError*n.levelError)
	sum := 0.0
	for _, v := range values {
		sum += min(max(v-n.level, -3*n.spread), 3*n.spread)
	}
	if math.Abs(sum/m) < clearDistance*standardError {
		return unclearEvidence
	}
	center := SampleMedian(values)
	z := math.Abs(center-n.level) / standardError
	n = n.widenedFor(values, center)
	outliers := n.outlierDensities(values)
	same, other := make([]float64, len(rSteps)), make([]float64, len(rSteps))
	logs := make([]float64, 0, 64)
	for i, step := range rSteps {
		n := n.withAutocorrelation(min(n.r+step*n.rError, 0.95))
		same[i] = math.Log(rWeights[i]) + n.likelihoodOfSame(values, outliers, before, center)
		logs = logs[:0]
		information := 1 + (m-1)*(1-n.r)*(1-n.r)
		for k, stretch := range stretches {
			weight := stretchWeights[k]
			if stretch > 1 && z < 6 {
				continue
			}
			width := stretch * n.deviation / math.Sqrt(information)
			for _, step := range shiftSteps {
				level := center + step*width
				logs = append(logs, math.Log(weight*n.shiftDensity(level-n.level)*0.8*width)+
					n.likelihood(values, outliers, before-n.level, level, stretch))
			}
		}
		other[i] = math.Log(rWeights[i]) + floats.LogSumExp(logs)
	}
	return math.Exp(min(floats.LogSumExp(other)-floats.LogSumExp(same), 300))
}
