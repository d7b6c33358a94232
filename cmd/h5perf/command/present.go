package command

import (
	"fmt"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/units"
)

// tellsMore reports whether the comparison with the best level says more than the last change does: whether there were
// several changes, or a gradual one.
func tellsMore(best *history.BestLevelComparison, changes []history.ChangePoint) bool {
	return best != nil && (len(changes) > 1 || changes[0].Gradual)
}

// bestLevelTime says when a series or group had its best level.
func bestLevelTime(best *history.BestLevelComparison) string {
	return "of " + best.Since.UTC().Format(time.DateOnly) + " to " + best.Until.UTC().Format(time.DateOnly)
}

// bestLevelLines returns, for each series and group, where it is now in comparison with its best level, if the last
// change does not say it.
func bestLevelLines(t history.Trend) (lines []string) {
	add := func(name string, present history.Present, changes []history.ChangePoint) {
		best := present.Best
		if !tellsMore(best, changes) {
			return
		}
		interval := ""
		if best.Low != nil && best.High != nil {
			interval = " (" + formatPercent(*best.Low) + " to " + formatPercent(*best.High) + ")"
		}
		lines = append(lines, fmt.Sprintf("%s: now %s%s against its best level, %s: %s", name,
			formatPercent(best.Ratio), interval, bestLevelTime(best), best.Verdict))
	}
	for _, g := range t.Groups {
		add(groupName(g), g.Present, g.ChangePoints)
	}
	for _, s := range t.Series {
		add(seriesName(s), s.Present, s.ChangePoints)
	}
	return lines
}

// lastRunCell returns the table cell about the last run of a series: its throughput and, if the series has ended, when
// that was.
func lastRunCell(s history.Series) string {
	cell := units.FormatRate(s.Runs[len(s.Runs)-1].Median)
	if s.Ended != nil {
		cell += ", ended: " + endedText(s.Ended)
	}
	return cell
}

// endedText returns when a series or group that has ended was last measured, or "" if it has not ended.
func endedText(last *time.Time) string {
	if last == nil {
		return ""
	}
	return "last run " + last.UTC().Format(time.DateOnly)
}
