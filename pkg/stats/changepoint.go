package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	// minLevelNights is the smallest number of nights that form a level. A shorter change is an incident, not a lasting
	// change.
	minLevelNights = 5

	// minFirstLevelNights is the smallest number of nights before the first change. These nights show how much values
	// vary.
	minFirstLevelNights = 7

	// maxIncidentNights is the largest number of nights of an incident. A longer change is a lasting change.
	maxIncidentNights = 5

	// nightsPerYear is the maximum number of latest nights of a level that are searched.
	nightsPerYear = 365

	// MinSeries is the smallest number of values for which a series is searched.
	MinSeries = 10
)

// ChangePoint is an index in a series at which the values become larger or smaller than before, for a long time.
type ChangePoint struct {
	At      int     // index of the first value after the change
	Gradual bool    // the change is gradual: it begins at At
	P       float64 // p-value, corrected for the search over all positions and nights
	Ratio   float64 // level after the change, or at the end of a gradual one, divided by the level before it
	Low     float64 // bounds of the interval of Ratio
	High    float64

	last int // index of the last step of a gradual change; otherwise equal to At
}

// Incident is a change of the values that lasts for at most maxIncidentNights nights. It is over, or it is too new to be
// called a lasting change.
type Incident struct {
	First, Last int     // indices of its first and last value
	Ongoing     bool    // it includes the newest value
	P           float64 // p-value, corrected like that of a ChangePoint
	Ratio       float64 // level in the incident divided by the level before it
	Low         float64 // bounds of the interval of Ratio
	High        float64
}

// seriesLevel is a part of a series, between two change points, in which the values vary about the same level.
type seriesLevel struct {
	nights   []int     // indices of its values, without incidents
	values   []float64 // logarithms
	before   *noise    // noise of the level before
	prior    prior
	noises   []noise // the element at index k is the noise of the first k values
	evidence float64 // evidence for the change with which the level began
}

// noiseOfFirst estimates the noise (random variation) of the first count values of the level.
func (l *seriesLevel) noiseOfFirst(count int) noise {
	for k := len(l.noises); k <= count; k++ {
		n := noise{}
		if k >= l.minBeforeChange() {
			n = estimateNoise(l.values[max(0, k-nightsPerYear):k], l.before, l.prior)
		}
		l.noises = append(l.noises, n)
	}
	return l.noises[count]
}

// minBeforeChange returns the smallest number of values that the level must have before a change. It is larger for the
// first level of a series, whose values must show how much they vary.
func (l *seriesLevel) minBeforeChange() int {
	if l.before == nil {
		return minFirstLevelNights
	}
	return 1
}

// newestChange considers a change at each position in the level. It returns the most likely position, and the sum of
// the evidence over all positions.
func (l *seriesLevel) newestChange() (at int, evidence float64) {
	highest, count := 0.0, len(l.values)
	for last, k := count, count-1; k >= max(l.minBeforeChange(), count-nightsPerYear); last, k = k, k-1-(count-k)/5 {
		e := l.noiseOfFirst(k).changeEvidence(l.values[k-1], l.values[k:])
		evidence += e * float64(last-k)
		if e > highest {
			highest, at = e, k
		}
	}
	return at, evidence
}

// findLevels returns the levels of a series of logarithms. It adds one value (the run of one night) at a time, like a
// person who looks at the series each morning. At each step, every position since the last change is a candidate for
// the next change. If nothing changes, the expected sum of the evidence for all candidates is the number of values so
// far. So the probability that the sum reaches limit within n values is at most n/limit (Shiryaev, 1963; Roberts, 1966;
// Pollak, 1985). If it reaches limit, a new level begins. A level that lasts only a few nights is an incident, not a
// lasting change, and is removed again.
func findLevels(values []float64, limit float64, from prior) []seriesLevel {
	resumed := 0 // first night after the last incident
	all := []seriesLevel{{prior: from.priorOfSeries(values)}}
	for night := 0; night < len(values); night++ {
		now := &all[len(all)-1]
		now.nights, now.values = append(now.nights, night), append(now.values, values[night])
		at, evidence := now.newestChange()
		if evidence < limit {
			continue
		}
		if begin := now.nights[at]; len(all) > 1 && at < minLevelNights && begin > resumed {
			all = all[:len(all)-1]
			night, resumed = begin-1, begin
			continue
		}
		noise := now.noiseOfFirst(at)
		next := seriesLevel{
			nights: slices.Clone(now.nights[at:]), values: slices.Clone(now.values[at:]), before: &noise,
			prior: all[0].prior, evidence: evidence,
		}
		now.nights, now.values, now.noises = now.nights[:at], now.values[:at], now.noises[:at+1]
		all = append(all, next)
	}
	return all
}

// searchLogarithms returns the change points of a series, given the logarithms of its values. chance is the probability
// that the evidence reaches limit although nothing changes. The p-value of a change is chance × limit divided by the
// evidence for it, see findLevels. The intervals of ratios are not set yet.
func searchLogarithms(values []float64, limit, chance float64, from prior) []ChangePoint {
	all := findLevels(values, limit, from)
	changes := make([]ChangePoint, 0, len(all)-1)
	for i := range all[1:] {
		before, after := &all[i], &all[i+1]
		count := len(before.values)
		known := before.noiseOfFirst(count)
		lasting := known.changeEvidence(before.values[count-1], after.values[:min(len(after.values), nightsPerYear)])
		changes = append(changes, ChangePoint{
			At: placeChange(values, *before, *after), P: min(1, chance*limit/max(after.evidence, lasting)),
		})
		changes[i].last = changes[i].At
	}
	return joinGradualChanges(changes, values)
}

// placeChange improves the position of a change. It returns the index at which the means before and after it differ
// most, in units of their standard error. It searches near the index that was most likely when the change was found.
func placeChange(values []float64, before, after seriesLevel) int {
	told, end := after.nights[0], after.nights[len(after.nights)-1]+1
	from := max(before.nights[0], told-nightsPerYear)
	end = min(end, told+nightsPerYear)
	x := limitOutliers(values[from:end])
	at, highest := told, math.Inf(-1)
	low := before.nights[0] + 1
	if before.before == nil {
		low = minLevelNights
	}
	for k := max(from+1, low, told-minLevelNights); k < min(end, told+minLevelNights+1); k++ {
		one, other := x[:k-from], x[k-from:]
		n, m := float64(len(one)), float64(len(other))
		away := stat.Mean(one, nil) - stat.Mean(other, nil)
		if height := away * away * n * m / (n + m); height > highest {
			at, highest = k, height
		}
	}
	return at
}

// likeliestSplit returns the index at which the means before and after it differ most, in units of their standard
// error. Each side has at least minLevelNights values.
func likeliestSplit(values []float64) (at int) {
	n, sum, all := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		all += v
	}
	highest := math.Inf(-1)
	for k, v := range values[:len(values)-minLevelNights] {
		sum += v
		before := float64(k + 1)
		away := sum - all*before/n
		if height := away * away / (before * (n - before)); k+1 >= minLevelNights && height > highest {
			highest, at = height, k+1
		}
	}
	return at
}

// joinGradualChanges joins consecutive changes in the same direction to one gradual change if a straight slope fits the
// values better than steps, by the information criterion of Schwarz (1978).
func joinGradualChanges(changes []ChangePoint, values []float64) (out []ChangePoint) {
	bounds := []int{0}
	for _, c := range changes {
		bounds = append(bounds, c.At)
	}
	bounds = append(bounds, len(values))
	x := limitOutliersOfLevels(values, changes)
	falls := func(i int) bool {
		return SampleMedian(x[bounds[i]:bounds[i+1]]) > SampleMedian(x[bounds[i+1]:bounds[i+2]])
	}
	for i, next := 0, 0; i < len(changes); i = next {
		steps := sumOfSquares(x[bounds[i]:bounds[i+1]])
		for next < len(changes) && falls(next) == falls(i) {
			next++
			steps += sumOfSquares(x[bounds[next]:bounds[next+1]])
		}
		from, n := bounds[i], float64(bounds[next+1]-bounds[i])
		begin, slope := fitSlope(x[from:bounds[next+1]])
		if next == i+1 || n*math.Log(steps/slope) < float64(4-2*(next-i)-1)*math.Log(n) {
			out = append(out, changes[i:next]...)
			continue
		}
		slow := slices.MinFunc(changes[i:next], func(a, b ChangePoint) int { return cmp.Compare(a.P, b.P) })
		slow.At, slow.Gradual, slow.last = from+begin, true, bounds[next]
		out = append(out, slow)
	}
	return out
}

// fitSlope fits a curve to the values: a constant level, then a straight slope, then another constant level. It returns
// the index at which the slope of the best fit begins, and the sum of the squared residuals of this fit.
func fitSlope(values []float64) (begin int, least float64) {
	least = math.Inf(1)
	step, n := max(1, len(values)/40), float64(len(values))
	mean, all := stat.Mean(values, nil), sumOfSquares(values)
	for from := minLevelNights; from < len(values)-minLevelNights; from += step {
		for to := len(values); to > from+minLevelNights; to -= step {
			var sum, square, product float64
			for i, v := range values {
				x := float64(min(max(i, from), to) - from)
				sum += x
				square += x * x
				product += x * (v - mean)
			}
			if rest := all - product*product/(square-sum*sum/n); rest < least {
				begin, least = from, rest
			}
		}
	}
	return begin, max(least, minDeviation*minDeviation)
}

// estimateRatios sets the ratio of each change point, and its interval. values are logarithms.
func estimateRatios(changes []ChangePoint, values []float64, level float64) {
	x, known := limitOutliersOfLevels(values, changes), estimateVariation(values, changes)
	for i := range changes {
		c := &changes[i]
		from, to, settled := 0, len(x), c.At
		if i > 0 {
			from = changes[i-1].last
		}
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		if c.Gradual {
			settled = max(c.last, to-MaxLatestNights)
		}
		d := known.compareMeans(x[from:c.At], x[settled:to], level)
		c.Ratio, c.Low, c.High = d.Ratio, d.Low, d.High
	}
}
