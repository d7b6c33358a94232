package history

import (
	"time"

	"h5perf/pkg/stats"
)

// BestLevelComparison compares the latest runs of a series, or of a group of series, with its best level before its
// last change point. It shows what the last change alone does not: how much was lost in several changes or slowly, and
// whether a loss was made good again.
type BestLevelComparison struct {
	Since time.Time `json:"since"` // start of the first run of the level
	Until time.Time `json:"until"` // start of its last run
	Runs  int       `json:"runs"`  // number of runs of the level
	LatestComparison
}

// compareWithBestLevel compares a series or group with its best earlier level, still without a verdict. It returns nil
// if there is no earlier level.
func (of seriesTree) compareWithBestLevel(b stats.Branch, nightly bool) (*BestLevelComparison, *branchWithReference) {
	nights := b.BestEarlierLevel()
	if nights == nil {
		return nil, nil
	}
	d := &BestLevelComparison{
		Since: of.runs[nights[0]].Started, Until: of.runs[nights[len(nights)-1]].Started, Runs: len(nights),
		LatestComparison: LatestComparison{Verdict: NotComparable},
	}
	return d, newBranchWithReference(&d.LatestComparison, b, nights, nightly)
}
