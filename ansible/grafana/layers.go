package main

// layers returns the dashboard that shows what each layer above the file system costs.
func layers() dashboard {
	const ratio = `h5perf_layer_efficiency_ratio{` + rated
	over := func(operation string) panel {
		return series("Speed of a layer : the one below, "+operation, "percentunit",
			"Median throughput of an API : that of the API below it in the same case, mean over transfer sizes and "+
				"processes. 100 % is a layer that costs nothing.",
			q(`avg by (cluster, filesystem, label, api, over) (`+ratio+`, operation="`+operation+`"})`,
				"{{filesystem}} {{label}} {{api}} over {{over}}"))
	}
	bySize := func(operation string) panel {
		return bars("By transfer size, "+operation, "percentunit",
			"The same at the end of the time range, for each transfer size: what a layer costs per call shows at "+
				"small ones.",
			q(`avg by (filesystem, label, api, over, transfer_bytes) (`+ratio+`, operation="`+operation+`"})`,
				"{{api}} over {{over}} {{transfer_bytes}} B {{filesystem}} {{label}}"))
	}
	return newDashboard("h5perf-layers", "h5perf / Layers",
		"What MPI-IO and HDF5 cost above the file system.", "now-60d",
		over("write"), over("read"), bySize("write"), bySize("read"),
		series("Throughput of each API, write", "Bps", "Highest median over transfer sizes and processes.",
			q(`max by (cluster, filesystem, label, api) `+
				`(h5perf_throughput_bytes_per_second{`+median+`, operation="write"})`,
				"{{filesystem}} {{label}} {{api}}")).fromZero(),
		series("Outside of the transfers, write", "s",
			"Time for datasets beyond their transfers: metadata, and a library's own work. "+
				"Mean over transfer sizes and processes.",
			q(`avg by (cluster, filesystem, label, api) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase="access"}) - `+
				`avg by (cluster, filesystem, label, api) `+
				`(h5perf_phase_duration_seconds{`+rated+`, operation="write", phase="transfer"})`,
				"{{filesystem}} {{label}} {{api}}")),
		series("Opening files", "s",
			"Time to open files, mean over transfer sizes and processes.",
			q(`avg by (cluster, filesystem, label, api, operation) `+
				`(h5perf_phase_duration_seconds{`+rated+`, phase="open"})`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
		series("Median data call", "s", "Half of the calls of an API took at most this; from runs that time calls.",
			q(`histogram_quantile(0.5, sum by (cluster, filesystem, label, api, operation, le) `+
				`(h5perf_operation_duration_seconds_bucket{`+points+`}))`,
				"{{filesystem}} {{label}} {{api}} {{operation}}")).fromZero(),
	)
}
