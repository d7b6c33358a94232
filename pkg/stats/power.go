package stats

import (
	"math"
	"slices"
	"sort"
)

// Power is what a search for change points can show in a series as noisy and as long as one that was searched. A
// change counts as shown if the probability is at least 0.9.
type Power struct {
	// DetectableFall is the smallest lasting fall that would be shown if it had begun in the most favourable night: 0.2
	// is one by 20 %. It is 1 if no fall would be.
	DetectableFall float64
	// Needed is the number of nights from which on a fall by AskedFall is shown that begins with the next night; 0 if
	// that takes more than maxNights.
	Needed int
}

const (
	// AskedFall is the lasting fall of which Power.Needed tells.
	AskedFall = 0.2
	// maxNights is the largest number of nights that Power.Needed may be.
	maxNights = 1000
)

// SearchPower returns what the search for change points could show in the branch: nothing if it was not searched.
func (b *Branch) SearchPower() Power {
	if b.evidenceLimit == nil {
		return Power{}
	}
	n := len(b.Values)
	known := estimateNoise(residuals(logarithms(b.Values), b.Changes), nil, b.prior.priorOfSeries(logarithms(b.Values)))
	known.r = min(known.r+math.Sqrt((1-known.r*known.r)/known.count), 0.95) // it may be higher than it seems
	// shown reports whether a fall of the logarithm is shown between so many nights before and after.
	shown := func(fall float64, before, after int) bool {
		known := known
		known.level, known.own, known.count = 0, float64(before), min(known.count, float64(before))
		// With a probability of 0.9, the nights before do not vary more, and the means differ by at least so much.
		known.deviation *= 1 + detectionMargin/math.Sqrt(2*float64(before))
		fall -= detectionMargin * known.spread * math.Sqrt(meanVariance(after, known.r)+meanVariance(before, known.r))
		nights := slices.Repeat([]float64{-fall}, after)
		return fall > 0 && known.changeEvidence(0, nights) >= b.evidenceLimit(before+after)
	}
	// The most favourable night is in the middle, or later if only the nights before show how much they vary.
	p := Power{DetectableFall: 1}
	for _, before := range []int{n / 2, 2 * n / 3, 3 * n / 4} {
		low, high := 0.0, 5.0
		if !shown(high, before, n-before) {
			continue
		}
		for range 20 {
			if fall := (low + high) / 2; shown(fall, before, n-before) {
				high = fall
			} else {
				low = fall
			}
		}
		p.DetectableFall = min(p.DetectableFall, 1-math.Exp(-high))
	}
	further := 1 + sort.Search(maxNights, func(k int) bool { return shown(-math.Log(1-AskedFall), n, 1+k) })
	if further <= maxNights {
		p.Needed = further
	}
	return p
}
