package main

// lastRun returns the dashboard that shows the last run before the end of the time range.
func lastRun() dashboard {
	const throughput = `h5perf_throughput_bytes_per_second{` + median
	return newDashboard("h5perf-last-run", "h5perf / Last run",
		"The run that was the last one at the end of the time range.", "now-1d",
		stat("Result", "none", "Whether the run measured everything.",
			q(`h5perf_run_success{`+groups+`}`, "{{filesystem}} {{label}}")).words("failed", "complete"),
		stat("Ended", "dateTimeAsIso", "When the run ended.",
			q(`1000 * h5perf_run_completion_timestamp_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Duration", "s", "From start to end of the run.",
			q(`h5perf_run_duration_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Cases with wrong bytes", "none", "Cases that read something other than what was written.",
			q(`sum by (cluster, filesystem, label) (h5perf_verification_errors{`+groups+`})`,
				"{{filesystem}} {{label}}")).turning("red", 1),
		table("Ran with", "none", "What the run ran with, and under which conditions.",
			q(`h5perf_run_info{`+groups+`}`, ""), "", conditions...).size(24, 7),
		bars("Write throughput", "Bps", "Median, with what the run does to make data durable.",
			q(throughput+`, operation="write"}`,
				"{{api}} {{transfer_bytes}} B × {{processes}} sync {{sync}} {{filesystem}} {{label}}")),
		bars("Read throughput", "Bps", "Median, with where the data came from: warm is this client's memory.",
			q(throughput+`, operation="read"}`,
				"{{api}} {{transfer_bytes}} B × {{processes}} {{cache}} {{filesystem}} {{label}}")),
		table("Points", "Bps", "Throughput of every point: median, the ends of its 95 % interval, the slowest and "+
			"the fastest sample.",
			q(`h5perf_throughput_bytes_per_second{`+rated+`}`, ""), "Throughput",
			"filesystem", "label", "api", "operation", "sync", "cache", "pattern", "mode", "layout", "transfer_bytes",
			"processes", "basis", "statistic").size(24, 12),
		bars("Time by phase", "s",
			"Median, mean over transfer sizes and processes. access holds the transfers.",
			q(`avg by (filesystem, label, api, operation, phase) `+
				`(h5perf_phase_duration_seconds{`+rated+`, phase!="transfer"})`,
				"{{api}} {{operation}} {{phase}} {{filesystem}} {{label}}")),
		bars("Data calls", "s", "Half of the calls, and 99 % of them, took at most this.",
			q(`histogram_quantile(0.5, sum by (filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"50 % {{api}} {{operation}} {{filesystem}} {{label}}"),
			q(`histogram_quantile(0.99, sum by (filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"99 % {{api}} {{operation}} {{filesystem}} {{label}}")),
		table("Marked samples", "none",
			"Samples with a mark, which tells why their figure may not be that of the storage. Empty without any.",
			q(`sum by (cluster, filesystem, label, api, operation, mark) (h5perf_marked_samples{`+points+`}) > 0`, ""),
			"Samples",
			"cluster", "filesystem", "label", "api", "operation", "mark"),
	)
}

// conditions are the labels of run_info that tables show.
var conditions = []string{
	"cluster", "filesystem", "label", "file_system_type", "version", "mpi", "hdf5", "kernel", "image",
	"nodes", "processes",
	"sync", "direct", "cold", "shift", "data", "profile", "basis",
}
