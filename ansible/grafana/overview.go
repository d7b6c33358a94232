package main

// overview returns the dashboard that shows each file system over time.
func overview() dashboard {
	const best = `max by (cluster, filesystem, label, api, sync, cache) (h5perf_throughput_bytes_per_second{` + median
	return newDashboard("h5perf-overview", "h5perf / Overview",
		"Performance of file systems over time, as HDF5 applications see it.", "now-60d",
		stat("Last run", "none",
			"Complete: the last run of the series measured everything. Failed: it failed or was interrupted, and has "+
				"no figures.",
			q(`h5perf_run_success{`+groups+`}`, "{{filesystem}} {{label}}")).words("failed", "complete"),
		stat("Age of the last run", "s", "Time since the last run of each series ended, successful or not.",
			q(`time() - h5perf_run_completion_timestamp_seconds{`+groups+`}`,
				"{{filesystem}} {{label}}")).turning("red", 86400),
		stat("Cases with wrong data", "none",
			"Number of cases of the last run that read wrong data. Only runs that verify data are shown.",
			q(`sum by (cluster, filesystem, label) (h5perf_verification_errors{`+groups+`})`,
				"{{filesystem}} {{label}}")).turning("red", 1),
		stat("Samples that do not show the storage", "percentunit",
			"Fraction of the samples of the last run that are marked as warm, short or implausible. If the samples of "+
				"a point have different marks, only the most frequent mark is counted. Such figures show the speed of "+
				"memory, or the resolution of the clock.",
			q(`sum by (cluster, filesystem, label) (max without (mark) `+
				`(h5perf_marked_samples{`+points+`, mark=~"warm|short|implausible"})) / `+
				`sum by (cluster, filesystem, label) (h5perf_samples{`+points+`})`,
				"{{filesystem}} {{label}}")).turning("orange", 0.01),
		series("Best write throughput", "binBps",
			"Highest median over transfer sizes and processes. sync: when the data became durable. sync=none shows "+
				"the speed of the page cache.",
			q(best+`, operation="write"})`, "{{filesystem}} {{label}} {{api}} sync={{sync}}")).fromZero(),
		series("Best read throughput", "binBps",
			"Highest median over transfer sizes and processes. cache: warm means that the data came from the memory "+
				"of the client.",
			q(best+`, operation="read"})`, "{{filesystem}} {{label}} {{api}} cache={{cache}}")).fromZero(),
		series("Throughput relative to the reference", "percentunit",
			"Present throughput divided by the throughput of the reference: geometric mean over the transfer sizes "+
				"and processes of an API. An alert begins below 95 % if the whole interval is below 100 %.",
			q(`h5perf_trend_group_reference_ratio{`+judged+`, api=~"$api", statistic="ratio"}`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")),
		series("Last lasting change", "percentunit",
			"Throughput after the last lasting change, divided by the throughput before it, for reads and writes of "+
				"each API. Empty if nothing changed. An alert begins below 90 %.",
			q(`h5perf_trend_group_shift_ratio{`+judged+`, api=~"$api"}`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")),
		series("Smallest fall that can be detected", "percentunit",
			"The smallest lasting fall that the trend can detect over all points together: throughput after it "+
				"divided by throughput before it. Nearer to 100 % is better. Empty if there are too few runs.",
			q(`h5perf_trend_group_visible_ratio{`+judged+`, operation=""}`, "{{filesystem}} {{label}}")),
		series("Duration of runs", "s", "From start to end of the run.",
			q(`h5perf_run_duration_seconds{`+groups+`}`, "{{filesystem}} {{label}}")).fromZero(),
		series("Time to write, by phase", "s",
			"Median of the samples, mean over APIs, transfer sizes and processes. access includes the transfers. "+
				"The whole time is open + access + sync + close.",
			q(`avg by (cluster, filesystem, label, phase) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase!="transfer"})`,
				"{{filesystem}} {{label}} {{phase}}")).fromZero(),
		series("Latency of data calls, 99 %", "s",
			"99 % of the calls of a run took at most this time, over all processes and transfer sizes. Needs runs "+
				"with --latency.",
			q(`histogram_quantile(0.99, sum by (cluster, filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
	)
}
