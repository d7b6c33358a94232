package main

// overview returns the dashboard that shows whether a file system became slower.
func overview() dashboard {
	return newDashboard("h5perf-overview", "h5perf / Overview",
		"Is a file system slower than its reference, since when, and what else changed? "+colorsOfAPIs, "now-60d",
		[]variable{datasource, job, cluster, filesystem, label, results},
		verdict(one).size(24, 4),
		relative(writes), relative(reads),
		changes(one).size(24, 5),
		best(writes), best(reads),
		folded("More",
			best(warm).size(10, 9),
			series("Duration of runs", "suffix:min", "From start to end of the run.",
				q(of("h5perf_run_duration_seconds", one)+` / 60`, "{{filesystem}}")).ofFileSystems().size(10, 9),
			stat("Smallest visible fall", percent,
				"The smallest lasting fall of all points together that the trend can detect.",
				q(inPercent(`(1 - `+of("h5perf_trend_group_visible_ratio", one, `operation=""`)+`)`), "")).
				turning("red", 100*(1-slower)).empty("too few runs").size(4, 9),
		),
	).annotated(marks(one)...)
}
