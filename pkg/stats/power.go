package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Power is what a search for change points can show in a series as noisy and as long as one that was searched. A change
// counts as shown if the probability is at least 0.9.
type Power struct {
	// Visible is the smallest lasting fall that would be shown if it had begun in the most favourable night: 0.2 is one
	// by 20 %. It is 1 if no fall would be.
	Visible float64
	// Needed is the number of nights from which on a fall by Asked is shown that begins with the next night; 0 if that
	// takes more than mostNights.
	Needed int
}

const (
	// Asked is the lasting fall of which Power.Needed tells.
	Asked = 0.2
	// mostNights is the largest number of nights that Power.Needed may be.
	mostNights = 1000
)

// Power returns what the search for change points could show in the branch: nothing if it was not searched.
func (b *Branch) Power() Power {
	if b.budget == nil {
		return Power{}
	}
	x, alpha := b.rests(), b.budget
	r := max(coefficient(x, len(x)/2), b.least)
	deviation := max(stat.StdDev(tamed(x), nil), resolution)
	// shown returns the difference of logarithms that is shown between so many nights before and after.
	shown := func(before, after int) float64 {
		n := before + after
		away := critical(n, alpha(n)) + beyond
		away *= math.Sqrt((1 + r) / (1 - r) * (1/float64(before) + 1/float64(after)))
		if away > reach(before, after) {
			return math.Inf(1)
		}
		return away * deviation
	}
	n := len(x)
	p := Power{Visible: 1 - math.Exp(-shown(n/2, n-n/2))}
	further := sort.Search(mostNights-segment+1, func(k int) bool { return 1-math.Exp(-shown(n, segment+k)) <= Asked })
	if further += segment; further <= mostNights {
		p.Needed = further
	}
	return p
}

// reach returns how far the mean of the smaller side can be from that of the larger one, in standard deviations, after
// values that are far from the median are taken as less far. Values are assumed to be normal, and those of the smaller
// side to be far away.
func reach(before, after int) float64 {
	larger := float64(max(before, after))
	half := float64(before+after) / 2 / larger // the part of the larger side on one side of the median of all
	if half >= 1 {
		return math.Inf(1)
	}
	normal := distuv.UnitNormal
	center := normal.Quantile(1 - half)
	low, high := 0.0, 40.0
	for range 50 { // the median distance from center
		if s := (low + high) / 2; normal.CDF(center+s)-normal.CDF(center-s) < half {
			low = s
		} else {
			high = s
		}
	}
	return -center + far*1.4826*high
}

// critical returns the value that Student's t of n values must exceed for a change point at alpha.
func critical(n int, alpha float64) float64 {
	low, high := 1.0, 40.0 // between these largest falls from 1 to 0
	for range 50 {
		z := (low + high) / 2
		if 1.25*largest(z, segment/float64(n)) > alpha {
			low = z
		} else {
			high = z
		}
	}
	tail := max(distuv.UnitNormal.CDF(-high), math.SmallestNonzeroFloat64)
	return -distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}.Quantile(tail)
}
