package history

import (
	"slices"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// maxMissedRuns is the number of the newest runs of an identity in which a series may be missing without having ended.
const maxMissedRuns = 9

// numberRuns numbers the runs of each identity in the order in which they started, over all of its trees.
func (f *forest) numberRuns() {
	started := map[result.Identity][]time.Time{}
	for _, of := range f.trees {
		for _, r := range of.runs {
			started[of.identity] = append(started[of.identity], r.Started)
		}
	}
	for _, all := range started {
		slices.SortFunc(all, time.Time.Compare)
	}
	for i := range f.trees {
		of := &f.trees[i]
		all := started[of.identity]
		for _, r := range of.runs {
			number, _ := slices.BinarySearchFunc(all, r.Started, time.Time.Compare)
			of.numbers = append(of.numbers, number)
		}
		of.lastNumber = len(all) - 1
	}
}

// lastRunIfEnded returns the start of the last run of a series or group that has ended: more than maxMissedRuns newer
// runs of its identity do not have it, and more than ever before between two of its runs. Otherwise it returns nil.
func (of seriesTree) lastRunIfEnded(b stats.Branch) *time.Time {
	usual := maxMissedRuns
	for i, night := range b.Nights[1:] {
		usual = max(usual, of.numbers[night]-of.numbers[b.Nights[i]]-1)
	}
	last := b.Nights[len(b.Nights)-1]
	if of.lastNumber-of.numbers[last] <= usual {
		return nil
	}
	return &of.runs[last].Started
}
