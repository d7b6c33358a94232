package plan

import "h5perf/pkg/stats"

// counts are the numbers of a run of the parallel tool that its options give.
type counts struct {
	iterations int // of a case, at least
	files      int // of an iteration
	datasets   int // of a file
}

// countsOf returns the numbers that are given, or their defaults.
func countsOf(o Options) (counts, error) {
	iterations, err := iterationsOf(o.Iterations, o.Conditions)
	if err != nil {
		return counts{}, err
	}
	files, err := count("-F", "files", o.Files, 1)
	if err != nil {
		return counts{}, err
	}
	datasets, err := count("-d", "datasets per file", o.Datasets, 1)
	return counts{iterations, files, datasets}, err
}

// defaultOpen is the number of iterations at least, where the run finds how many there are: fewer have no interval.
var defaultOpen = stats.MinSamples(stats.Level)

// iterationsOf returns the given number of iterations, or its default.
func iterationsOf(given *int, c Conditions) (int, error) {
	least := 1
	if c.open() {
		least = defaultOpen
		if c.MaxIterations != nil && c.RepeatUntil == nil {
			least = max(1, min(least, *c.MaxIterations))
		}
	}
	return count("-i", "iterations", given, least)
}
