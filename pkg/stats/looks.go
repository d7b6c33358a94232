package stats

import "math"

// Look is a time at which pairs of samples are tested that are still being measured: when there are so many Pairs, at
// the significance level Alpha.
type Look struct {
	Pairs int
	Alpha float64
}

// Looks returns the looks at the given numbers of pairs, which ascend. If nothing differs, the probability that any of
// them shows a difference is at most alpha: it is spent as Lan and DeMets (1983) propose for looks like those of Pocock
// (1977), alpha·ln(1 + (e-1)·t) up to the part t of the pairs. Each look spends what the function gives for it, and the
// dependence of the looks is not used: the sum of their levels is alpha, and PairedTest needs no assumption.
//
// The same holds for the interval at the level 1 - Alpha of the look that ends the measurement: it contains the true
// ratio with a probability of at least 1 - alpha.
func Looks(alpha float64, pairs ...int) []Look {
	all, spent := make([]Look, len(pairs)), 0.0
	for i, n := range pairs {
		upToNow := alpha * math.Log1p((math.E-1)*float64(n)/float64(pairs[len(pairs)-1]))
		all[i] = Look{n, upToNow - spent}
		spent = upToNow
	}
	return all
}
