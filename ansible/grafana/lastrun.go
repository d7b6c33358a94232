package main

// lastRun returns the dashboard that shows the last run before the end of the time range.
func lastRun() dashboard {
	const throughput = `h5perf_throughput_bytes_per_second{` + median
	return newDashboard("h5perf-last-run", "h5perf / Last run",
		"The last run before the end of the time range.", "now-1d",
		stat("Result", "none", "Complete: the run measured everything. Failed: it failed or was interrupted.",
			q(`h5perf_run_success{`+groups+`}`, "{{filesystem}} {{label}}")).words("failed", "complete"),
		stat("Ended", "dateTimeAsIso", "Time at which the run ended.",
			q(`1000 * h5perf_run_completion_timestamp_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Duration", "s", "From start to end of the run.",
			q(`h5perf_run_duration_seconds{`+groups+`}`, "{{filesystem}} {{label}}")),
		stat("Cases with wrong data", "none", "Number of cases that read wrong data.",
			q(`sum by (cluster, filesystem, label) (h5perf_verification_errors{`+groups+`})`,
				"{{filesystem}} {{label}}")).turning("red", 1),
		table("Software and conditions", "none", "Software and conditions of the run.",
			q(`h5perf_run_info{`+groups+`}`, ""), "", conditions...).size(24, 7),
		bars("Write throughput", "binBps", "Median throughput. sync: when the run synced the data.",
			q(throughput+`, operation="write"}`,
				"{{api}} {{what}} × {{processes}} sync={{sync}} {{filesystem}} {{label}}")),
		bars("Read throughput", "binBps", "Median throughput. cache: warm means that the data came from the memory of "+
			"the client.",
			q(throughput+`, operation="read"}`,
				"{{api}} {{what}} × {{processes}} cache={{cache}} {{filesystem}} {{label}}")),
		table("Points", "binBps", "Throughput of every point: median, lower and upper end of its 95 % interval, "+
			"slowest (min) and fastest (max) sample.",
			q(`h5perf_throughput_bytes_per_second{`+rated+`}`, ""), "Throughput",
			"filesystem", "label", "api", "operation", "sync", "cache", "pattern", "mode", "layout", "transfer_bytes",
			"workload", "processes", "basis", "statistic").size(24, 12),
		bars("Time by phase", "s",
			"Median of the samples, mean over transfer sizes and processes. access includes the transfers.",
			q(`avg by (filesystem, label, api, operation, phase) `+
				`(h5perf_phase_duration_seconds{`+rated+`, phase!="transfer"})`,
				"{{api}} {{operation}} {{phase}} {{filesystem}} {{label}}")),
		bars("Latency of data calls", "s", "Two times for each API and operation: 50 % of the calls took at "+
			"most the first, and 99 % at most the second. Needs runs with "+
			"--latency.",
			q(`histogram_quantile(0.5, sum by (filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"50 % {{api}} {{operation}} {{filesystem}} {{label}}"),
			q(`histogram_quantile(0.99, sum by (filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"99 % {{api}} {{operation}} {{filesystem}} {{label}}")),
		table("Marked samples", "none",
			"Number of samples with a mark. A mark gives a reason why the figure may not show the speed of the "+
				"storage. Empty if no sample has a mark.",
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
