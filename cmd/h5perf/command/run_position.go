package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/stats"
)

// daysOfAbsence is the number of days without a run, while others ran, from which on they are told.
const daysOfAbsence = 2

// newestLines returns a line about the newest run of each cluster, file system and label, and a line that explains
// them.
func newestLines(t history.Trend) (lines []string) {
	compared := false
	var newest time.Time
	for _, r := range t.Newest {
		if r.Started.After(newest) {
			newest = r.Started
		}
	}
	for _, r := range t.Newest {
		others := fmt.Sprintf("the last %s before it", runCountText(r.Runs))
		switch {
		case r.ReferenceTime != nil:
			others = fmt.Sprintf("the %s of the reference", runCountText(r.Runs))
		case r.SmallReference:
			others += ", because the reference has fewer than 2 other runs with its conditions"
		}
		if r.OtherLevels {
			others += ", of each series only those after its last lasting change and before its incident"
		}
		if r.MissingRuns > 0 {
			others = fmt.Sprintf("%s before it, which are too few: %d more needed", runCountText(r.Runs), r.MissingRuns)
		} else {
			compared = true
		}
		run := "Newest run of " + identityName(r) + ", of " + formatMinute(r.Started)
		if days := int(newest.Sub(r.Started).Hours() / 24); days >= daysOfAbsence {
			run += fmt.Sprintf(" (%d days before the newest run of all)", days)
		}
		lines = append(lines, positionLine(run, others, r))
	}
	if compared {
		lines = append(lines, onlyOneRun)
	}
	return lines
}

// comparedPositionLines returns a line about each run of NEW that is compared with several runs of OLD. If there is
// only one run on either side, it adds a line about what that can show.
func comparedPositionLines(c history.Comparison) (lines []string) {
	for _, r := range c.Positions {
		lines = append(lines, positionLine("Run of "+identityName(r)+", of "+formatMinute(r.Started),
			fmt.Sprintf("the %s of %s", runCountText(r.Runs), c.Names[0]), r))
	}
	if slices.ContainsFunc(testedDifferences(c),
		func(d *history.TestedDifference) bool { return d.Test == history.TestByPrediction }) {
		lines = append(lines, onlyOneRun)
	}
	return lines
}

func identityName(r history.RunPosition) string {
	return strings.Join([]string{r.Identity.Cluster, r.Identity.Filesystem, r.Identity.Label}, ", ")
}

// onlyOneRun says what the comparison of a single run can show.
const onlyOneRun = "A single run can show that it is not like the others. It cannot show whether the file system " +
	"changed or only this run was disturbed: later runs show that. The probabilities assume that a run says little " +
	"about the next one."

// positionLine describes where a run lies within other runs.
func positionLine(run, others string, r history.RunPosition) string {
	line := fmt.Sprintf("%s, compared with %s", run, others)
	var parts []string
	if all := r.All; all != nil {
		parts = append(parts, fmt.Sprintf("All %d points: %s; a run this far off comes by chance in %s of cases",
			all.NumPoints, positionText(*all, oneMoreRun), chanceText(all.P)))
	}
	switch w := r.Worst; {
	case w == nil && r.All != nil:
		parts = append(parts, "No point is lower")
	case w == nil && r.MissingRuns == 0:
		parts = append(parts, "None of its points was measured by them")
	case w == nil:
	case w.NumPoints == 1:
		parts = append(parts, fmt.Sprintf("%s: %s; a run this far off comes by chance in %s of cases",
			pointName(w.Place, w.Conditions), positionText(w.PointPosition, oneMoreRun), chanceText(w.P)))
	default:
		parts = append(parts, fmt.Sprintf("Worst of %d points: %s: %s; any point this far off comes by chance in %s "+
			"of cases", w.NumPoints, pointName(w.Place, w.Conditions), positionText(w.PointPosition, oneMoreOfPoint),
			chanceText(w.P)))
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ". ")
	}
	return line + "."
}

// What is in a range: one more of the other runs, or a single point of it where the verdict is about several points.
const (
	oneMoreRun     = "one more run"
	oneMoreOfPoint = "this point alone in one more run"
)

// positionText returns the verdict about a value of a run, its difference from the other runs, and the range in which
// one more of the other runs is expected. what says what is in this range.
func positionText(p history.PointPosition, what string) string {
	verdict := string(p.Verdict)
	switch {
	case p.Verdict == history.NoDifference && p.Lowest:
		verdict = "lower than in all of them"
	case p.Verdict == history.NoDifference && p.Highest:
		verdict = "higher than in all of them"
	}
	return fmt.Sprintf("%s: %s (%s: %s to %s with %g %%)", verdict, formatPercent(p.Ratio), what,
		formatPercent(p.ExpectedLow), formatPercent(p.ExpectedHigh), 100*stats.Level)
}

// chanceText formats a probability in per cent.
func chanceText(p float64) string {
	if p < 0.0001 {
		return "less than 0.01 %"
	}
	if p > 0.1 {
		return fmt.Sprintf("%.0f %%", 100*p)
	}
	return fmt.Sprintf("%.2g %%", 100*p)
}

// showMoreLines names what could show a difference, if the comparison tested differences and showed none.
func showMoreLines(c history.Comparison) []string {
	tested := testedDifferences(c)
	if len(tested) == 0 || slices.ContainsFunc(tested,
		func(d *history.TestedDifference) bool { return d.CorrectedP <= 1-stats.Level }) {
		return nil
	}
	switch tested[0].Test {
	case history.TestByPairs:
		return []string{"More iterations (-i) can show smaller differences."}
	case history.TestByPrediction:
		return []string{fmt.Sprintf("h5perf trend also finds smaller changes, if they last. It needs a tree of at "+
			"least %d runs.", stats.MinSeries)}
	}
	return []string{"More runs on each side can show smaller differences. Two settings that are measured in turns by " +
		"h5perf ab need less time for the same."}
}
