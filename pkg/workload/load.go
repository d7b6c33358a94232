package workload

import (
	"math"
	"slices"
)

// Load is what a rule asks of all processes.
type Load struct {
	Bytes uint64 // of all processes together
	Least uint64 // bytes of the process that has the fewest
	Most  uint64 // bytes of the process that has the most
	// Runs is the largest number of runs of file bytes of a process. It is exact, but for rules Map and Random, where
	// it is a limit: runs that are neighbours by chance count as several. It is a limit with idle processes, too.
	Runs uint64
	// Pieces is the largest number of hyperslabs of a process that are one run each, AllPieces that of all processes,
	// of rules Map and Random. Runs that are neighbours by chance are several.
	Pieces, AllPieces uint64
	// Expected reports that Least and Most are expected values, not exact ones: rules Map, and Concat with normal
	// counts.
	Expected bool
	Cover    Cover
}

// Cover is how often processes touch the elements of a dataset.
type Cover int

// How often elements are touched.
const (
	CoverOnce     Cover = iota // each element exactly once
	CoverPart                  // some once, others never: a slice, a frame, a sample, or whatever the rule is
	CoverRepeated              // each by every process that takes part
	CoverNothing               // none
)

// String returns the words for documents.
func (c Cover) String() string { return [...]string{"once", "part", "repeated", "nothing"}[c] }

// extremes returns the expected least and most of the sums of n numbers, one for each process. The numbers have this
// mean, standard deviation and skewness. It uses Blom's approximation of the expected extremes of normal numbers
// (G. Blom, Statistical estimates and transformed beta-variables, 1958), and the first term of Cornish and Fisher for
// the skewness.
func extremes(n, mean, deviation, skewness float64, ranks uint64) (least, most uint64) {
	p := (float64(ranks) - 0.375) / (float64(ranks) + 0.25)
	z := math.Sqrt2 * math.Erfinv(2*p-1)
	middle, wide, skewed := n*mean, z*deviation*math.Sqrt(n), skewness*deviation*(z*z-1)/6
	if ranks == 1 {
		wide, skewed = 0, 0
	}
	return uint64(max(0, middle-wide+skewed)), uint64(max(0, middle+wide+skewed))
}

// among sets least, most and runs from those of some processes. Processes that do not exist do not count.
func (l *Load) among(ranks uint64, part func(rank uint64) (elements, runs uint64), some ...uint64) {
	l.Least = math.MaxUint64
	slices.Sort(some)
	for _, rank := range slices.Compact(some) {
		if rank < ranks {
			elements, runs := part(rank)
			l.Least, l.Most, l.Runs = min(l.Least, elements), max(l.Most, elements), max(l.Runs, runs)
		}
	}
}
