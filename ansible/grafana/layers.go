package main

// layers returns the dashboard that shows which layer costs what.
func layers() dashboard {
	const either = `job=~"$job", cluster="$cluster", label="$label"`
	outside := func(d direction) panel {
		return lines("Time outside the transfers, "+d.title, "s",
			"Time on which the throughput rests, minus time of the transfers: metadata, making data durable, and the "+
				"work of the library. Mean over transfer sizes and processes.", "", func(series string) string {
				return `avg by (cluster, filesystem, label, api) (` +
					of("h5perf_visible_seconds", series, d.selector) +
					`) - avg by (cluster, filesystem, label, api) (` +
					of("h5perf_class_duration_seconds", series, d.selector, `class="transfer"`) + `)`
			}).fromZero()
	}
	open := func(d direction) panel {
		return lines("Time to open files, "+d.title, "s", "Mean over transfer sizes and processes.", "",
			func(series string) string {
				return `avg by (cluster, filesystem, label, api) (` +
					of("h5perf_class_duration_seconds", series, d.selector, `class="file open"`) + `)`
			}).fromZero()
	}
	slowest := func(d direction) panel {
		return lines("Latency of data calls, 99 %, "+d.title, "s",
			"99 % of the calls of a run took at most this time, over all processes and transfer sizes. Needs runs "+
				"with --latency.", "", func(series string) string {
				return `histogram_quantile(0.99, sum by (cluster, filesystem, label, api, le) (` +
					of("h5perf_operation_duration_seconds_bucket", series, d.selector) + `))`
			}).fromZero().empty("no latencies: measure with --latency")
	}
	return newDashboard("h5perf-layers", "h5perf / Layers",
		"Which layer costs what, and since when? If all APIs fall together, the cause is the file system. If one "+
			"falls alone, the cause is its software. The first file system is blue, the second one orange. POSIX is "+
			"solid and dark, MPI-IO dashed, HDF5 dotted and bright.", "now-60d",
		[]variable{datasource, job, cluster, filesystem, label, second, results},
		layer(writes), layer(reads), best(writes), best(reads), outside(writes), outside(reads),
		open(writes), open(reads), slowest(writes), slowest(direction{"read", `operation="read"`}), layer(warm),
		best(warm),
	).annotated(versions(either), accepted(either), failed(either), lasting(either), incidents(either))
}
