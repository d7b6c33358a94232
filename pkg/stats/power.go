package stats

import (
	"math"
	"slices"
	"sort"
)

// Power says how large a change must be so that a search for change points finds it with a probability of at least 0.9,
// in a series that varies as much and is as long as the searched series.
type Power struct {
	// DetectableFall is the smallest lasting fall that would be shown if it began in the most favourable night; 0.2
	// means 20 %. It is 1 if no fall would be shown.
	DetectableFall float64
	// NightsNeeded is the number of further nights after which a fall by ReferenceFall that begins with the next night
	// is shown; 0 if that takes more than horizonNights.
	NightsNeeded int
}

const (
	// ReferenceFall is the lasting fall to which Power.NightsNeeded refers.
	ReferenceFall = 0.2
)

// SearchPower returns how large a change must be so that the search finds it in this series or group. It returns the
// zero value if the series or group was not searched. The fall is one in relation to the series around it; see Search.
func (b *Branch) SearchPower() Power {
	if b.monitor == nil {
		return Power{}
	}
	known, ok := b.monitor.estimate(b.prior)
	if !ok {
		return Power{}
	}
	n, least := min(len(b.monitor.level), memoryNights), b.monitor.least
	if b.monitor.before != nil {
		least = 2 // the level before shows how much values vary
	}
	known.r, known.level = min(known.r+known.rError, 0.95), 0 // one standard error more, to be careful
	known.spread = known.deviation / math.Sqrt(1-known.r*known.r)
	// shown reports whether a fall of the logarithm is shown, with these numbers of nights before and after it.
	shown := func(fall float64, before, after int) bool {
		known := known
		known.levelError = known.spread * math.Sqrt(meanVariance(before, known.r))
		// With a probability of 0.9, the nights before do not vary more than this, and the means differ by at least the
		// remaining fall.
		known.setInnovations(known.deviation*(1+detectionMargin/math.Sqrt(2*float64(before))),
			min(known.freedom, float64(before)))
		fall -= detectionMargin * known.spread * math.Sqrt(meanVariance(after, known.r)+meanVariance(before, known.r))
		return fall > 0 && known.evidenceOfShift(0, slices.Repeat([]float64{-fall}, after)) >= b.monitor.limit
	}
	// The most favourable night is in the middle, or later, because only the nights before it show how much they vary.
	p := Power{DetectableFall: 1}
	const largest = 5.0
	smallest := largest // fall of the logarithm
	for _, before := range []int{n / 2, 2 * n / 3, 3 * n / 4} {
		after := min(n-before, horizonNights)
		if before < least || !shown(smallest, before, after) {
			continue // no smaller fall is shown
		}
		low, high := 0.0, largest
		for range 14 {
			if fall := (low + high) / 2; shown(fall, before, after) {
				high = fall
			} else {
				low = fall
			}
		}
		smallest = min(smallest, high)
		p.DetectableFall = min(p.DetectableFall, 1-math.Exp(-high))
	}
	if n < least {
		return p
	}
	further := 1 + sort.Search(horizonNights, func(k int) bool { return shown(-math.Log(1-ReferenceFall), n, 1+k) })
	if further <= horizonNights {
		p.NightsNeeded = further
	}
	return p
}
