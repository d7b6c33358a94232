package main

// notJudged selects series whose last complete run no trend has seen.
const notJudged = `(h5perf_run_success{` + groups + `} == 1) unless on (cluster, filesystem, label) ` +
	`(h5perf_trend_last_run_timestamp_seconds{` + groups + `} >= on (cluster, filesystem, label) ` +
	`h5perf_run_completion_timestamp_seconds{` + groups + `})`

// fleet returns the dashboard that shows all clusters and file systems side by side.
func fleet() dashboard {
	return newDashboard("h5perf-fleet", "h5perf / Fleet", "All clusters and file systems beside each other.", "now-30d",
		stat("Series", "none", "Series that are watched: a cluster, a file system and a label.",
			q(`count(h5perf_run_success{`+groups+`})`, "")).size(4, 4),
		stat("Failed", "none", "Series whose last run failed or was interrupted.",
			q(`count(h5perf_run_success{`+groups+`} == 0) or vector(0)`, "")).turning("red", 1).size(4, 4),
		stat("Without a run for a day", "none", "Series whose last run ended more than a day ago.",
			q(`count(time() - h5perf_run_completion_timestamp_seconds{`+groups+`} > 86400) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Fell, and stayed so", "none",
			"Series of which a point or a group fell below 90 % of what it was, and nobody set a reference since "+
				"then. 'h5perf trend' tells since when.",
			q(`count(count by (cluster, filesystem, label) (h5perf:slower:ratio{`+judged+`})) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Below their reference", "none",
			"Series of which a point or a group is shown to be below 95 % of the reference that a person set.",
			q(`count(count by (cluster, filesystem, label) (h5perf:below_reference:ratio{`+judged+`})) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Not judged", "none",
			"Series whose last complete run no trend has seen: that nothing fell is not known of them.",
			q(`count(`+notJudged+`) or vector(0)`, "")).turning("orange", 1).size(4, 4),
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
		series("Speed : reference", "percentunit",
			"Throughput at present : that of the reference that a person set, geometric mean over everything in a "+
				"series. What fell stays below until the reference is set anew.",
			q(`h5perf_trend_group_reference_ratio{`+judged+`, operation="", statistic="ratio"}`,
				"{{cluster}} {{filesystem}} {{label}}")),
		table("Last lasting changes", "percentunit",
			"Throughput after the last lasting change : before it, of all series together, of each direction, and of "+
				"each API in a direction. Empty where nothing changed.",
			q(`h5perf_trend_group_shift_ratio{`+judged+`}`, ""), "After : before",
			"cluster", "filesystem", "label", "operation", "cache", "api"),
		table("References", "none", "What the present is compared with: who set it, and why.",
			q(`h5perf_trend_reference_info{`+groups+`}`, ""), "", "cluster", "filesystem", "label", "by", "note"),
		series("Runs that failed", "none",
			"1 where the last run of a series failed or was interrupted, 0 where it measured everything.",
			q(`1 - h5perf_run_success{`+groups+`}`, "{{cluster}} {{filesystem}} {{label}}")).fromZero(),
		table("Software and conditions", "none", "What the last run of each series ran with.",
			q(`h5perf_run_info{`+groups+`}`, ""), "", conditions...),
	)
}
