package main

// fleet returns the dashboard that shows all clusters and file systems side by side.
func fleet() dashboard {
	identity := [][2]string{{"cluster", "Cluster"}, {"filesystem", "File system"}, {"label", "Label"}}
	lowest := of("h5perf_trend_group_reference_ratio", fleetWide, `operation=""`, `statistic="ratio"`)
	night := `exp(avg by (` + byIdentity + `) (ln(` + toReference(fleetWide, direction{selector: `api!=""`}) + `)))`
	return newDashboard("h5perf-fleet", "h5perf / Fleet", "All clusters and file systems, side by side.", "now-30d",
		[]variable{datasource, job, clusters, results},
		verdict(fleetWide),
		series("Throughput over time, relative to the reference: the six lowest", percent,
			"Throughput, % of the reference: the geometric mean over all series of a run. The six file systems that "+
				"are lowest at the end of the time range. The dashed line is the reference.",
			q(inPercent(night)+` and on (`+byIdentity+`) bottomk(6, `+lowest+` @ end())`,
				"{{cluster}} {{filesystem}} {{label}}"),
		).ofFileSystems().dashed().upTo(110).empty("no reference: set one with 'h5perf reference set'"),
		headline(identity).size(12, 9),
		changes(fleetWide, identity...).size(24, 6),
		folded("References, software and conditions",
			table("References", "none", "Who set the references of the series, and why.",
				[]target{q(of("h5perf_trend_reference_info", fleetWide), "")},
				append(identity, [2]string{"by", "By"}, [2]string{"note", "Note"})...,
			).size(24, 6).empty("no references"),
			table("Software and conditions", "none", "Of the last run of each series.",
				[]target{q(of("h5perf_run_info", fleetWide), "")}, append(identity, conditions[:9]...)...),
		),
	).annotated(versions(fleetWide), lasting(fleetWide), incidents(fleetWide))
}

// headline returns the table of the throughputs of all series. What comes from memory has columns of its own.
func headline(identity [][2]string) panel {
	best := func(d direction) target {
		return q(inGiB(`max by (`+byIdentity+`) (`+highest(fleetWide, d)+`)`), "")
	}
	synced := direction{selector: writes.selector + `, sync!="none"`}
	unsynced := direction{selector: writes.selector + `, sync="none"`}
	columns := append(identity, [2]string{"Value #A", "Write"}, [2]string{"Value #B", "Read"},
		[2]string{"Value #C", "Write, not synced"}, [2]string{"Value #D", "Read from memory"})
	p := table("How fast", gib,
		"The last run of each series: the case with the highest median throughput. Writes that are not synced and "+
			"reads from memory show the speed of memory.",
		[]target{best(synced), best(reads), best(unsynced), best(warm)},
		columns...)
	for i, width := range []int{80, 110, 80, 100, 100, 140} {
		p = p.with(matcher{"byName", columns[i][1]}, wide(width))
	}
	return p
}
