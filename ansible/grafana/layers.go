package main

// layers returns the dashboard that shows which layer costs what.
func layers() dashboard {
	class := func(series, selector, name string) string {
		return `avg by (` + byIdentity + `, api) (` +
			of("h5perf_class_duration_seconds", series, selector, `class="`+name+`"`) + `)`
	}
	outside := func(d direction) panel {
		return lines("Time outside the transfers, "+d.title, milli,
			"Time on which the throughput rests, minus time of the transfers: metadata, making data durable, and the "+
				"work of the library. Mean over transfer sizes and processes.", "", func(series string) string {
				return `1000 * (avg by (` + byIdentity + `, api) (` + of("h5perf_visible_seconds", series, d.selector) +
					`) - ` + class(series, d.selector, "transfer") + `)`
			})
	}
	open := func(d direction) panel {
		return lines("Time to open files, "+d.title, milli, "Mean over transfer sizes and processes.", "",
			func(series string) string { return `1000 * ` + class(series, d.selector, "file open") })
	}
	slowest := func(d direction) panel {
		return lines("Latency of data calls, 99 %, "+d.title, milli,
			"99 % of the calls of a run took at most this time, over all processes and transfer sizes. Needs runs "+
				"with --latency.", "", func(series string) string {
				return `1000 * histogram_quantile(0.99, sum by (` + byIdentity + `, api, le) (` +
					of("h5perf_operation_duration_seconds_bucket", series, d.selector) + `))`
			}).empty("no latencies: measure with --latency")
	}
	return newDashboard("h5perf-layers", "h5perf / Layers",
		"What does each layer cost, and since when? If all APIs fall together, the cause is the file system. If one "+
			"falls alone, the cause is its software. "+colorsOfAPIs, "now-60d",
		[]variable{datasource, job, cluster, filesystem, label, results},
		layer(writes), layer(reads), slowest(writes), slowest(direction{"read", `operation="read"`}),
		folded("More", outside(writes), outside(reads), open(writes), open(reads), layer(warm)),
	).annotated(marks(one)...)
}
