package main

// lastRun shows the run that was the last at the end of the time range.
func lastRun() dashboard {
	const throughput = `h5perf_throughput_bytes_per_second{` + median
	return newDashboard("h5perf-last-run", "h5perf / Last run", "The run that was the last one at the end of the time range.", "now-1d",
		stat("Result", "none", "Whether the run measured everything.",
			q(`h5perf_run_success{`+groups+`}`, "{{filesystem}} {{label}}")).words("failed", "complete"),
		stat("Ended", "dateTimeAsIso", "When the run ended.",
			q(`1000 * h5perf_run_completion_timestamp_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Duration", "s", "From start to end of the run.",
			q(`h5perf_run_duration_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Cases with wrong bytes", "none", "Cases that read something other than what was written.",
			q(`sum by (cluster, filesystem, label) (h5perf_verification_errors{`+groups+`})`, "{{filesystem}} {{label}}")).turning("red", 1),
		table("Ran with", "none", "What the run ran with, and under which conditions.", "", q(`h5perf_run_info{`+groups+`}`, ""), "Value"),
		bars("Write throughput", "Bps", "Median, with what the run does to make data durable.",
			q(throughput+`, operation="write"}`, "{{filesystem}} {{label}} {{api}} {{transfer_bytes}} B × {{processes}}, sync {{sync}}")),
		bars("Read throughput", "Bps", "Median, with where the data came from: warm is this client's memory.",
			q(throughput+`, operation="read"}`, "{{filesystem}} {{label}} {{api}} {{transfer_bytes}} B × {{processes}}, {{cache}}")),
		table("Samples", "Bps", "Throughput of every point: median, the ends of its 95 % interval, the slowest and the fastest sample.", "Throughput",
			q(`h5perf_throughput_bytes_per_second{`+points+`}`, "")).size(24, 12),
		bars("Time by phase", "s", "Median of the slowest process, mean over transfer sizes and processes. access holds the transfers.",
			q(`avg by (filesystem, label, api, operation, phase) (h5perf_phase_duration_seconds{`+points+`, phase!="transfer"})`, "{{filesystem}} {{label}} {{api}} {{operation}} {{phase}}")),
		bars("Data calls", "s", "Half of the calls, and 99 % of them, took at most this.",
			q(`histogram_quantile(0.5, sum by (filesystem, label, api, operation, le) (h5perf_operation_duration_seconds_bucket{`+points+`}))`, "{{filesystem}} {{label}} {{api}} {{operation}} 50 %"),
			q(`histogram_quantile(0.99, sum by (filesystem, label, api, operation, le) (h5perf_operation_duration_seconds_bucket{`+points+`}))`, "{{filesystem}} {{label}} {{api}} {{operation}} 99 %")),
		table("Marked samples", "none", "Samples whose figure is not that of the storage, by the reason.", "Samples",
			q(`sum by (cluster, filesystem, label, api, operation, mark) (h5perf_marked_samples{`+points+`})`, "")),
	)
}
