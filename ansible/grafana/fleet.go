package main

// notJudged selects series whose last complete run is in no trend.
const notJudged = `(h5perf_run_success{` + groups + `} == 1) unless on (cluster, filesystem, label) ` +
	`(h5perf_trend_last_run_timestamp_seconds{` + groups + `} >= on (cluster, filesystem, label) ` +
	`h5perf_run_completion_timestamp_seconds{` + groups + `})`

// fleet returns the dashboard that shows all clusters and file systems side by side.
func fleet() dashboard {
	return newDashboard("h5perf-fleet", "h5perf / Fleet", "All clusters and file systems, side by side.", "now-30d",
		stat("Series", "none", "Number of series. A series is a cluster, a file system and a label.",
			q(`count(h5perf_run_success{`+groups+`})`, "")).size(4, 4),
		stat("Failed", "none", "Number of series in which the last run failed or was interrupted.",
			q(`count(h5perf_run_success{`+groups+`} == 0) or vector(0)`, "")).turning("red", 1).size(4, 4),
		stat("No run for a day", "none", "Number of series in which the last run ended more than a day ago.",
			q(`count(time() - h5perf_run_completion_timestamp_seconds{`+groups+`} > 86400) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Slower", "none",
			"Number of series with a lasting fall: a point or a group of points is below 90 % of its earlier "+
				"throughput, and nobody has set a reference since then. 'h5perf trend' shows when the fall began.",
			q(`count(count by (cluster, filesystem, label) (h5perf:slower:ratio{`+judged+`})) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Below reference", "none",
			"Number of series in which a point or a group of points is below 95 % of its reference, and the whole "+
				"interval is below 100 %.",
			q(`count(count by (cluster, filesystem, label) (h5perf:below_reference:ratio{`+judged+`})) or vector(0)`,
				"")).turning("red", 1).size(4, 4),
		stat("Not judged", "none",
			"Number of series in which no trend includes the last complete run. For these, a fall is not detected.",
			q(`count(`+notJudged+`) or vector(0)`, "")).turning("orange", 1).size(4, 4),
		bars("Write throughput by file system", "binBps",
			"Highest median over APIs, transfer sizes and processes. Compare only series with the same sync.",
			q(`max by (cluster, filesystem, label, sync) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="write"})`,
				"{{cluster}} {{filesystem}} {{label}}, sync={{sync}}")).size(12, 9),
		bars("Read throughput by file system", "binBps",
			"Highest median over APIs, transfer sizes and processes. Compare only series with the same cache.",
			q(`max by (cluster, filesystem, label, cache) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="read"})`,
				"{{cluster}} {{filesystem}} {{label}}, cache={{cache}}")).size(12, 9),
		series("Throughput relative to the reference", "percentunit",
			"Present throughput divided by the throughput of the reference: geometric mean over all points of a "+
				"series. The value stays below 100 % until the reference is set again.",
			q(`h5perf_trend_group_reference_ratio{`+judged+`, operation="", statistic="ratio"}`,
				"{{cluster}} {{filesystem}} {{label}}")),
		table("Last lasting changes", "percentunit",
			"Throughput after the last lasting change, divided by the throughput before it: for all points together, "+
				"for reads or writes, and for reads or writes of each API. Empty if nothing changed.",
			q(`h5perf_trend_group_shift_ratio{`+judged+`}`, ""), "After / before",
			"cluster", "filesystem", "label", "operation", "cache", "api"),
		table("References", "none", "The references of the series: who set them, and why.",
			q(`h5perf_trend_reference_info{`+groups+`}`, ""), "", "cluster", "filesystem", "label", "by", "note"),
		series("Failed runs", "none",
			"1 if the last run of a series failed or was interrupted; 0 if it measured everything.",
			q(`1 - h5perf_run_success{`+groups+`}`, "{{cluster}} {{filesystem}} {{label}}")).fromZero(),
		table("Software and conditions", "none", "Software and conditions of the last run of each series.",
			q(`h5perf_run_info{`+groups+`}`, ""), "", conditions...),
	)
}
