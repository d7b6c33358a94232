package main

// fleet returns the dashboard that shows all clusters and file systems side by side.
func fleet() dashboard {
	return newDashboard("h5perf-fleet", "h5perf / Fleet", "All clusters and file systems beside each other.", "now-30d",
		stat("Series", "none", "Series that are watched: a cluster, a file system and a label.",
			q(`count(h5perf_run_success{`+groups+`})`, "")),
		stat("Failed", "none", "Series whose last run failed or was interrupted.",
			q(`count(h5perf_run_success{`+groups+`} == 0) or vector(0)`, "")).turning("red", 1),
		stat("Without a run for a day", "none", "Series whose last run ended more than a day ago.",
			q(`count(time() - h5perf_run_completion_timestamp_seconds{`+groups+`} > 86400) or vector(0)`,
				"")).turning("red", 1),
		stat("Slower than their own past", "none",
			"APIs and directions of all series that are below 90 % of their own past, by the rules of h5perf.",
			q(`count(h5perf:throughput:ratio{`+rated+`} < 0.9) or vector(0)`, "")).turning("red", 1),
		bars("Write throughput by file system", "Bps",
			"Highest median over APIs, transfer sizes and processes. Compare only what has the same sync.",
			q(`max by (cluster, filesystem, label, sync) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="write"})`,
				"{{cluster}} {{filesystem}} {{label}}, sync {{sync}}")).size(12, 9),
		bars("Read throughput by file system", "Bps",
			"Highest median over APIs, transfer sizes and processes. Compare only what has the same cache.",
			q(`max by (cluster, filesystem, label, cache) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="read"})`,
				"{{cluster}} {{filesystem}} {{label}}, {{cache}}")).size(12, 9),
		series("Speed : own past", "percentunit",
			"Median throughput : its median over the 14 days before the last one, geometric mean over everything in "+
				"a series.",
			q(`exp(avg by (cluster, filesystem, label) (ln(h5perf:throughput:ratio{`+rated+`})))`,
				"{{cluster}} {{filesystem}} {{label}}")),
		series("Runs that failed", "none",
			"1 where the last run of a series failed or was interrupted, 0 where it measured everything.",
			q(`1 - h5perf_run_success{`+groups+`}`, "{{cluster}} {{filesystem}} {{label}}")).fromZero(),
		table("Software and conditions", "none", "What the last run of each series ran with.",
			q(`h5perf_run_info{`+groups+`}`, ""), "", conditions...),
	)
}
