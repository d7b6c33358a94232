package command

import (
	"fmt"
	"time"

	"h5perf/pkg/history"
)

// bestLevelTime says when a series or group had its best level.
func bestLevelTime(best *history.BestLevelComparison) string {
	return "of " + best.Since.UTC().Format(time.DateOnly) + " to " + best.Until.UTC().Format(time.DateOnly)
}

// bestLevelLines returns, for groups and series, where they are now in comparison with their best levels, if the last
// change does not say it.
func bestLevelLines(t history.Trend) (lines []string) {
	for _, d := range t.DistinctBestLevels() {
		best, interval, same := d.Found, "", 0
		if best.Low != nil && best.High != nil {
			interval = " (" + formatPercent(*best.Low) + " to " + formatPercent(*best.High) + ")"
		}
		for _, covered := range d.Covered {
			if covered.Verdict == best.Verdict {
				same++
			}
		}
		lines = append(lines, fmt.Sprintf("%s: now %s%s against its best level, %s: %s%s",
			seriesOrGroupName(d.SeriesOrGroup), formatPercent(best.Ratio), interval, bestLevelTime(&best), best.Verdict,
			coveredText(same)))
	}
	return lines
}

// coveredText says for how many series of a group a finding stands.
func coveredText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the same for %d of its series", n)
}

// fallText describes a fall of a group or series.
func fallText(d history.Distinct[history.Fall]) string {
	fall, percent := d.Found, fmt.Sprintf("%.3g %%", 100*(1-d.Found.Ratio))
	var text string
	switch {
	case fall.Reference != nil:
		text = percent + " below the reference of " + formatMinute(fall.Reference.ReferenceTime)
	case fall.Best != nil:
		text = percent + " below its best level, " + bestLevelTime(fall.Best)
	case fall.Newest != nil:
		text = fmt.Sprintf("worse by %s in the newest run, of %s; the next run shows whether that lasts", percent,
			formatMinute(fall.Newest.Started))
	case fall.Change.Incident != nil:
		text = fmt.Sprintf("worse by %s in an ongoing incident of %s since %s", percent,
			runCountText(fall.Change.Incident.Runs), formatMinute(fall.Change.Since))
	default:
		text = fmt.Sprintf("worse by %s since %s", percent, formatMinute(fall.Change.Since))
	}
	return seriesOrGroupName(d.SeriesOrGroup) + ": " + text + coveredText(len(d.Covered))
}

// lastRunCell returns the table cell about the last run of a series: its value and, if the series has ended, when
// that was.
func lastRunCell(s history.Series) string {
	cell := s.FormatValue(s.Runs[len(s.Runs)-1].Median)
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
