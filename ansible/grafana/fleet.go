package main

// notJudged selects series whose last complete run is in no trend.
const notJudged = `(h5perf_run_success{` + fleetWide + `} == 1) unless on (cluster, filesystem, label) ` +
	`(h5perf_trend_last_run_timestamp_seconds{` + fleetWide + `} >= on (cluster, filesystem, label) ` +
	`h5perf_run_completion_timestamp_seconds{` + fleetWide + `})`

// fleet returns the dashboard that shows all clusters and file systems side by side.
func fleet() dashboard {
	count := func(title, description, expression, color string) panel {
		return stat(title, "none", description, q(`count(`+expression+`) or vector(0)`, "")).turning(color, 1)
	}
	ratio := of("h5perf_trend_group_reference_ratio", fleetWide, `operation=""`, `statistic="ratio"`)
	night := `exp(avg by (cluster, filesystem, label) (ln(` +
		toReference(fleetWide, direction{selector: `api!=""`}) + `)))`
	return newDashboard("h5perf-fleet", "h5perf / Fleet", "All clusters and file systems, side by side.", "now-30d",
		[]variable{datasource, job, clusters, results},
		stat("Series", "none", "Number of series. A series is a cluster, a file system and a label.",
			q(`count(`+of("h5perf_run_success", fleetWide)+`)`, "")),
		count("Failed", "Number of series in which the last run failed or was interrupted.",
			of("h5perf_run_success", fleetWide)+` == 0`, "red"),
		count("No run for a day", "Number of series in which the last run ended more than a day ago.",
			`time() - `+of("h5perf_run_completion_timestamp_seconds", fleetWide)+` > 86400`, "red"),
		count("Slower", "Number of series with a lasting fall or an ongoing incident: a point or a group of points is "+
			"below 90 % of its earlier throughput, and nobody has set a reference since then.",
			`count by (cluster, filesystem, label) (`+of("h5perf:slower:ratio", fleetWide)+` or `+
				of("h5perf:incident:ratio", fleetWide)+`)`, "red"),
		count("Below reference", "Number of series in which a point or a group of points is below 95 % of its "+
			"reference, and the whole interval is below 100 %.",
			`count by (cluster, filesystem, label) (`+of("h5perf:below_reference:ratio", fleetWide)+`)`, "red"),
		count("Not judged", "Number of series in which no trend includes the last complete run. For these, a fall is "+
			"not detected.", notJudged, "orange"),
		systems(ratio),
		changes(fleetWide, [2]string{"cluster", "Cluster"}, [2]string{"filesystem", "File system"},
			[2]string{"label", "Label"}),
		series("Relative to the reference: the six lowest", "percentunit",
			"Throughput of each run, divided by that of the reference: geometric mean over all points. The six series "+
				"that are lowest at the end of the time range. Green line: the reference. Red line: an alert begins "+
				"below 95 %.",
			q(night+` and on (cluster, filesystem, label) bottomk(6, `+ratio+` @ end())`,
				"{{cluster}} {{filesystem}} {{label}}"),
		).byName().marked(new(belowReference)).around(0.9, 1.05),
		table("References", "none", "Who set the references of the series, and why.",
			[]target{q(of("h5perf_trend_reference_info", fleetWide), "")}, [2]string{"cluster", "Cluster"},
			[2]string{"filesystem", "File system"}, [2]string{"label", "Label"}, [2]string{"by", "By"},
			[2]string{"note", "Note"}).size(12, 9).empty("no references"),
		table("Software and conditions", "none", "Of the last run of each series.",
			[]target{q(of("h5perf_run_info", fleetWide), "")}, append([][2]string{
				{"cluster", "Cluster"}, {"filesystem", "File system"}, {"label", "Label"},
			}, conditions[:9]...)...),
	).annotated(versions(fleetWide), lasting(fleetWide), incidents(fleetWide))
}

// systems returns the table of all series. What comes from memory has columns of its own. ratio is the distance from
// the reference.
func systems(ratio string) panel {
	const by = `max by (cluster, filesystem, label) (`
	best := func(d direction) target { return q(by+throughput(fleetWide, d)+`)`, "") }
	synced := direction{selector: writes.selector + `, sync!="none"`}
	unsynced := direction{selector: writes.selector + `, sync="none"`}
	columns := [][2]string{
		{"cluster", "Cluster"},
		{"filesystem", "File system"},
		{"label", "Label"},
		{"Value #A", "Last run"},
		{"Value #B", "Age"},
		{"Value #C", "To reference"},
		{"Value #D", "Write"},
		{"Value #E", "Read"},
		{"Value #F", "Write, not synced"},
		{"Value #G", "Read from memory"},
	}
	p := table("File systems", "binBps",
		"The last run of each series. Throughput: the highest median over APIs, transfer sizes and processes. Writes "+
			"that are not synced and reads from memory show the speed of memory, and have no bars.",
		[]target{
			q(by+of("h5perf_run_success", fleetWide)+`)`, ""),
			q(`time() - `+by+of("h5perf_run_completion_timestamp_seconds", fleetWide)+`)`, ""),
			q(by+ratio+`)`, ""),
			best(synced), best(reads), best(unsynced), best(warm),
		},
		columns...)
	column := func(name string) matcher { return matcher{"byName", name} }
	text := property{"custom.cellOptions", map[string]string{"type": "color-text"}}
	limits := func(steps ...step) []property {
		return []property{{"thresholds", thresholds{"absolute", steps}}, {"color", color{Mode: "thresholds"}}, text}
	}
	day, least := 86400.0, belowReference
	p = p.with(column("Last run"), property{"mappings", wordsFor("failed", "complete")}, text).
		with(column("Age"), append(limits(step{Color: "green"}, step{"red", &day}), property{"unit", "s"})...).
		with(column("To reference"),
			append(limits(step{Color: "red"}, step{"green", &least}), property{"unit", "percentunit"})...)
	for i, width := range []int{110, 130, 100, 90, 100, 110, 280, 280} {
		p = p.with(column(columns[i][1]), wide(width))
	}
	p = p.with(column("Write"), bars(color{"fixed", "dark-blue"})...).
		with(column("Read"), bars(color{"fixed", "blue"})...)
	overviewOf := "/d/h5perf-overview?${datasource:queryparam}&${job:queryparam}&" +
		"${results:queryparam}&var-cluster=${__data.fields[\"Cluster\"]:percentencode}" +
		"&var-filesystem=${__data.fields[\"File system\"]:percentencode}" +
		"&var-label=${__data.fields[\"Label\"]:percentencode}"
	return p.with(column("File system"), property{"links", []dataLink{{"Overview of the file system", overviewOf}}}).
		fromZero().size(24, 8)
}
