package history

import (
	"slices"
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

// BestLevelTellsMore reports whether the comparison with the best level says more about a series or group than its
// last change does: there were several changes, or a gradual one.
func BestLevelTellsMore(found Findings, present Present) bool {
	return present.Best != nil && (len(found.ChangePoints) > 1 || found.ChangePoints[0].Gradual)
}

// DistinctBestLevels returns the comparisons of groups and series with their best levels, if they say more than the
// last change; see Distinct. Series that have ended are left out.
func (t Trend) DistinctBestLevels() []Distinct[BestLevelComparison] {
	find := func(of SeriesOrGroup) []BestLevelComparison {
		_, present := of.findings()
		if present.Best == nil || present.Ended != nil {
			return nil
		}
		return []BestLevelComparison{*present.Best}
	}
	all := findDistinct(t, find, BestLevelComparison.coversBestLevel)
	return slices.DeleteFunc(all, func(d Distinct[BestLevelComparison]) bool {
		return !BestLevelTellsMore(d.findings())
	})
}

// coversBestLevel reports whether the comparison of a group explains part, that of a series or smaller group in it.
// Either both have the same verdict and the ratio of part is explained, or part shows no difference from the group.
func (c BestLevelComparison) coversBestLevel(part BestLevelComparison) bool {
	switch part.Verdict {
	case Better, Worse:
		return c.Verdict == part.Verdict && coversRatio(c.Ratio, part.Ratio)
	case c.Verdict:
		return true
	}
	return part.Low == nil || part.High == nil || *part.Low <= c.Ratio && c.Ratio <= *part.High
}
