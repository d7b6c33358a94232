package main

// layers returns the dashboard that shows what each layer above the file system costs.
func layers() dashboard {
	const ratio = `h5perf_layer_efficiency_ratio{` + rated
	over := func(operation string) panel {
		return series("Throughput relative to the layer below, "+operation, "percentunit",
			"Median throughput of an API divided by that of the API below it in the same case: mean over transfer "+
				"sizes and processes. 100 %: the layer costs nothing.",
			q(`avg by (cluster, filesystem, label, api, over) (`+ratio+`, operation="`+operation+`"})`,
				"{{filesystem}} {{label}} {{api}} over {{over}}"))
	}
	bySize := func(operation string) panel {
		return bars("By transfer size, "+operation, "percentunit",
			"Throughput relative to the layer below at the end of the time range, for each transfer size and each "+
				"workload. Small sizes show the cost of a layer per call.",
			q(`avg by (filesystem, label, api, over, transfer_bytes, workload) (`+ratio+`, operation="`+operation+`"})`,
				"{{api}} over {{over}} {{what}} {{filesystem}} {{label}}"))
	}
	return newDashboard("h5perf-layers", "h5perf / Layers",
		"Cost of MPI-IO and HDF5 on top of POSIX.", "now-60d",
		over("write"), over("read"), bySize("write"), bySize("read"),
		series("Throughput of each API, write", "binBps", "Highest median over transfer sizes and processes.",
			q(`max by (cluster, filesystem, label, api) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="write"})`,
				"{{filesystem}} {{label}} {{api}}")).fromZero(),
		series("Time outside the transfers, write", "s",
			"Time of access minus time of the transfers: metadata, and the work of the library. "+
				"Mean over transfer sizes and processes.",
			q(`avg by (cluster, filesystem, label, api) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase="access"}) - `+
				`avg by (cluster, filesystem, label, api) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase="transfer"})`,
				"{{filesystem}} {{label}} {{api}}")),
		series("Time to open files", "s",
			"Mean over transfer sizes and processes.",
			q(`avg by (cluster, filesystem, label, api, operation) `+
				`(h5perf_phase_duration_seconds{`+rated+`, phase="open"})`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
		series("Latency of data calls, 50 %", "s",
			"50 % of the calls of an API took at most this time. Needs runs with --latency.",
			q(`histogram_quantile(0.5, sum by (cluster, filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
	)
}
