package main

// overview returns the dashboard that shows each file system over time.
func overview() dashboard {
	const best = `max by (cluster, filesystem, label, api, sync, cache) (h5perf_throughput_bytes_per_second{` + median
	return newDashboard("h5perf-overview", "h5perf / Overview",
		"How file systems do over time, as HDF5 applications see them.", "now-60d",
		stat("Last run",
			"none", "Whether the last run of each series measured everything. A failed run has no figures.",
			q(`h5perf_run_success{`+groups+`}`, "{{filesystem}} {{label}}")).words("failed", "complete"),
		stat("Age of the last run", "s", "Time since the last run of each series ended, successful or not.",
			q(`time() - h5perf_run_completion_timestamp_seconds{`+groups+`}`,
				"{{filesystem}} {{label}}")).turning("red", 86400),
		stat("Cases with wrong bytes", "none",
			"Cases of the last run that read something other than what was written. Runs that verify nothing are not "+
				"here.",
			q(`sum by (cluster, filesystem, label) (h5perf_verification_errors{`+groups+`})`,
				"{{filesystem}} {{label}}")).turning("red", 1),
		stat("Samples that are not of the storage", "percentunit",
			"Part of the samples of the last run that have a mark, of each point the most frequent one: warm, short "+
				"or implausible. Such figures are those of memory or of the clock.",
			q(`sum by (cluster, filesystem, label) (max without (mark) `+
				`(h5perf_marked_samples{`+points+`, mark=~"warm|short|implausible"})) / `+
				`sum by (cluster, filesystem, label) (h5perf_samples{`+points+`})`,
				"{{filesystem}} {{label}}")).turning("orange", 0.01),
		series("Best write throughput", "Bps",
			"Highest median over transfer sizes and processes. sync tells when the data were made durable: none is "+
				"the speed of the page cache.",
			q(best+`, operation="write"})`, "{{filesystem}} {{label}} {{api}} sync={{sync}}")).fromZero(),
		series("Best read throughput", "Bps",
			"Highest median over transfer sizes and processes. cache tells where the data came from: warm is this "+
				"client's memory.",
			q(best+`, operation="read"})`, "{{filesystem}} {{label}} {{api}} cache={{cache}}")).fromZero(),
		series("Speed : reference", "percentunit",
			"Throughput at present : that of the reference that a person set, geometric mean over the transfer sizes "+
				"and processes of an API. An alert begins at 95 %, where the whole interval is below 100 %.",
			q(`h5perf_trend_group_reference_ratio{`+judged+`, api=~"$api", statistic="ratio"}`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")),
		series("Last lasting change", "percentunit",
			"Throughput after the last lasting change : before it, of each API in each direction; nothing where "+
				"nothing changed. An alert begins at 90 %.",
			q(`h5perf_trend_group_shift_ratio{`+judged+`, api=~"$api"}`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")),
		series("Fall that would be seen", "percentunit",
			"The smallest lasting fall of all series together that would be seen, as throughput after : before. "+
				"Nearer to 100 % is better; nothing where there are too few runs.",
			q(`h5perf_trend_group_visible_ratio{`+judged+`, operation=""}`, "{{filesystem}} {{label}}")),
		series("Duration of runs", "s", "From start to end of the last run.",
			q(`h5perf_run_duration_seconds{`+groups+`}`, "{{filesystem}} {{label}}")).fromZero(),
		series("Time to write, by phase", "s",
			"Median, mean over APIs, transfer sizes and processes. access holds the "+
				"transfers; open, sync and close come on top.",
			q(`avg by (cluster, filesystem, label, phase) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase!="transfer"})`,
				"{{filesystem}} {{label}} {{phase}}")).fromZero(),
		series("Longest of 99 % of data calls", "s",
			"99 % of the calls of a run took at most this, over all processes and transfer sizes; from runs that "+
				"time calls.",
			q(`histogram_quantile(0.99, sum by (cluster, filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
	)
}
