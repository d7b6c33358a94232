package main

// overview returns the dashboard that shows whether file systems became slower.
func overview() dashboard {
	const either = `job=~"$job", cluster="$cluster", label="$label"`
	return newDashboard("h5perf-overview", "h5perf / Overview",
		"Are two file systems slower than their references, since when, and what else changed? The first one is blue, "+
			"the second one orange. POSIX is solid and dark, MPI-IO dashed, HDF5 dotted and bright.", "now-60d",
		[]variable{datasource, job, cluster, filesystem, label, second, results},
		stats("Relative to the reference", "percentunit",
			"Latest throughput of all points together, divided by that of the reference.",
			func(series string) string {
				return `max by (filesystem) (` + of("h5perf_trend_group_reference_ratio", series,
					`operation=""`, `statistic="ratio"`) + `)`
			}).atLeast(belowReference).empty("no reference"),
		stats("Last change", "dateTimeFromNow",
			"When the last lasting change, or the ongoing incident, of a point or a group of points began. The table "+
				"shows what changed.",
			func(series string) string {
				return `1000 * max by (filesystem) (` +
					of("h5perf_trend_change_timestamp_seconds", series, `kind="lasting"`) + ` or ` +
					of("h5perf_trend_incident_timestamp_seconds", series) + ` or ` +
					of("h5perf_trend_group_incident_timestamp_seconds", series) + `)`
			}).plain().empty("no change"),
		stats("Smallest visible fall", "percentunit",
			"The smallest lasting fall of all points together that the trend can detect.",
			func(series string) string {
				return `1 - max by (filesystem) (` +
					of("h5perf_trend_group_visible_ratio", series, `operation=""`) + `)`
			}).turning("orange", 1-slower).empty("too few runs"),
		stats("Last run", "none",
			"Complete: the last run measured everything. Failed: it failed or was interrupted, and has no figures.",
			func(series string) string { return of("h5perf_run_success", series) }).words("failed", "complete"),
		stats("Age of the last run", "s", "Time since the last run ended, successful or not.",
			func(series string) string {
				return `time() - ` + of("h5perf_run_completion_timestamp_seconds", series)
			}).turning("red", 86400),
		stats("Marked samples", "percentunit",
			"Fraction of the samples of the last run that are marked as warm, short or implausible. If the samples of "+
				"a point have different marks, only the most frequent mark is counted.",
			func(series string) string {
				return `sum by (filesystem) (max without (mark) (` +
					of("h5perf_marked_samples", series, `mark=~"warm|short|implausible"`) +
					`)) / sum by (filesystem) (` + of("h5perf_samples", series) + `)`
			}).turning("orange", 0.01),
		relative(writes), relative(reads),
		changes(either, [2]string{"filesystem", "File system"}).size(24, 6),
		best(writes), best(reads),
		best(warm),
		series("Duration of runs", "s", "From start to end of the run.",
			both(func(series string) string {
				return of("h5perf_run_duration_seconds", series)
			})...).hued().fromZero(),
	).annotated(versions(either), accepted(either), failed(either), lasting(either), incidents(either))
}
