package history

import (
	"math"
	"slices"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Reference is the reference of an identity: runs with which later runs are compared. It lists which of these runs the
// trend includes, and which are missing.
type Reference struct {
	Identity result.Identity `json:"identity"`
	Time     time.Time       `json:"time"` // when the reference was set
	Author   string          `json:"by"`   // user and host
	Note     string          `json:"note"`
	Runs     []string        `json:"run_ids"`
	Missing  []string        `json:"missing_run_ids,omitempty"` // runs that are not in the tree, or not used
}

// ReferenceComparison compares the latest runs of a series, or of a group of series, with its reference.
type ReferenceComparison struct {
	ReferenceTime time.Time `json:"set"`  // when the reference was set
	Runs          int       `json:"runs"` // number of runs of the series that belong to the reference
	LatestComparison
}

// LatestComparison is the result of a comparison of the latest runs of a series, or of a group of series, with earlier
// runs; see stats.Branch.CompareWithReference.
type LatestComparison struct {
	LatestRuns int     `json:"now_runs"` // number of the latest runs that are compared
	Ratio      float64 `json:"ratio"`    // throughput of the latest runs divided by that of the earlier runs
	// confidence level of the interval. It is corrected for all series and groups together, as the verdict is (Holm).
	Level      float64  `json:"level,omitempty"`
	Low        *float64 `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few runs
	High       *float64 `json:"high_ratio,omitempty"` // upper bound of the interval
	CorrectedP *float64 `json:"corrected_p,omitempty"`
	Verdict    Verdict  `json:"verdict"` // not comparable if there are fewer than 10 runs
}

// branchWithReference is a series, or a group of series, whose latest runs can be compared with a reference or with its
// best earlier level.
type branchWithReference struct {
	distance      *LatestComparison
	branch        stats.Branch
	referenceRuns []int   // nights of the reference, or of the level
	share         float64 // share of the error budget: 1, or less if the tree is searched every night
}

// referenceRuns returns the indices of the runs of a tree that belong to its reference, and the time when the reference
// was set.
func (of seriesTree) referenceRuns(references []PinnedReference) (nights []int, set time.Time) {
	for _, p := range references {
		if p.Identity != of.identity {
			continue
		}
		for _, id := range p.Runs {
			if night, there := of.indexOfRun[id]; there {
				nights = append(nights, night)
			}
		}
		set = p.Time
	}
	return nights, set
}

// lastReferenceStart returns the start time of the last reference run in which the series or group has a value. It
// returns the zero time if there is no such run.
func (of seriesTree) lastReferenceStart(b stats.Branch, nights []int) (last time.Time) {
	for _, night := range b.Nights {
		if slices.Contains(nights, night) {
			last = of.runs[night].Started
		}
	}
	return last
}

// compareWithReference compares a series or group with its reference, still without a verdict. nights holds the indices
// of the reference runs. It returns nil if the series has no value in a reference run, or none in a later run.
func (of seriesTree) compareWithReference(b stats.Branch, nights []int, set time.Time,
	nightly bool,
) (*ReferenceComparison, *branchWithReference) {
	var before, now []float64
	for i, night := range b.Nights {
		if slices.Contains(nights, night) {
			before = append(before, b.Values[i])
		} else if len(nights) > 0 && night > slices.Max(nights) {
			now = append(now, b.Values[i])
		}
	}
	if len(before) == 0 || len(now) == 0 {
		return nil, nil
	}
	now = now[max(0, len(now)-stats.MaxLatestNights):]
	d := &ReferenceComparison{
		ReferenceTime: set, Runs: len(before),
		LatestComparison: LatestComparison{
			LatestRuns: len(now), Ratio: stats.SampleMedian(now) / stats.SampleMedian(before), Verdict: NotComparable,
		},
	}
	return d, newBranchWithReference(&d.LatestComparison, b, nights, nightly)
}

// newBranchWithReference returns a series or group whose comparison with earlier runs is judged later. nightly is
// TrendOptions.Nightly.
func newBranchWithReference(d *LatestComparison, b stats.Branch, nights []int, nightly bool) *branchWithReference {
	r := &branchWithReference{distance: d, branch: b, referenceRuns: nights, share: 1}
	if nightly {
		r.share = stats.NewNightlyBudget(1).ForSingleTest(len(b.Values))
	}
	return r
}

// judgeReferences sets the intervals and verdicts of all comparisons with a reference or with a best earlier level. The
// p-values are corrected together.
func judgeReferences(all []*branchWithReference, level float64) {
	var judged []*branchWithReference
	var p []float64
	for _, r := range all {
		if d, ok := r.branch.CompareWithReference(r.referenceRuns, level); ok {
			judged, p = append(judged, r), append(p, min(1, d.P/r.share))
		}
	}
	levels := stats.HolmLevels(p, 1-level)
	for i, corrected := range stats.Holm(p) {
		r := judged[i]
		out := r.distance
		out.Level = 1 - levels[i]*r.share
		d, _ := r.branch.CompareWithReference(r.referenceRuns, out.Level)
		out.Ratio, out.LatestRuns, out.CorrectedP = d.Ratio, d.N[1], new(corrected)
		out.Low, out.High = finiteBounds(d.Low, d.High)
		switch {
		case corrected > 1-level || math.IsNaN(corrected):
			out.Verdict = NoDifference
		case d.Ratio > 1:
			out.Verdict = Better
		default:
			out.Verdict = Worse
		}
	}
}

// usedReferences returns the references to which the runs in the trees belong. References of other identities are left
// out.
func (f *forest) usedReferences(pinned []PinnedReference) (all []Reference) {
	for _, p := range pinned {
		out := Reference{Identity: p.Identity, Time: p.Time, Author: p.Author, Note: p.Note, Runs: p.Runs}
		used := false
		for _, id := range p.Runs {
			there := false
			for _, t := range f.trees {
				if t.identity == p.Identity {
					_, has := t.indexOfRun[id]
					used, there = true, there || has
				}
			}
			if !there {
				out.Missing = append(out.Missing, id)
			}
		}
		if used {
			all = append(all, out)
		}
	}
	return all
}

// ReferenceLevel returns the throughput of the series in the runs of a reference, in bytes per second. It is the median
// over these runs, each with its median. found is false if the series contains none of them.
func (s Series) ReferenceLevel(r Reference) (level float64, found bool) {
	if r.Identity != s.Identity {
		return 0, false
	}
	var medians []float64
	for _, run := range s.Runs {
		if slices.Contains(r.Runs, run.RunID) {
			medians = append(medians, run.Median)
		}
	}
	return stats.SampleMedian(medians), medians != nil
}
