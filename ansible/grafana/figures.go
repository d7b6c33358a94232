package main

// Limits of the alert rules: of the throughput relative to the reference, and of that after a lasting fall, or in an
// incident, relative to that before it.
const (
	belowReference = 0.95
	slower         = 0.9
)

// throughput returns the selector of the medians of throughputs.
func throughput(series string, d direction) string {
	return of("h5perf_throughput_bytes_per_second", series, d.selector, `statistic="median"`)
}

// toReference returns an expression: the throughput of each point, divided by that of its reference.
func toReference(series string, d direction) string {
	return throughput(series, d) + ` / ignoring (statistic, part) ` +
		of("h5perf_trend_reference_bytes_per_second", series, d.selector)
}

// relative returns the panel of throughputs relative to the reference.
func relative(d direction) panel {
	return lines("Relative to the reference, "+d.title, "percentunit",
		"Throughput of each run, divided by that of the reference: geometric mean over transfer sizes and processes. "+
			"Green line: the reference. Red line: an alert begins below 95 %, if the trend is sure of it.", "",
		func(series string) string {
			return `exp(avg by (cluster, filesystem, label, api) (ln(` + toReference(series, d) + `)))`
		}).marked(new(belowReference)).around(0.9, 1.05).empty("no reference: set one with 'h5perf reference set'")
}

// best returns the panel of throughputs.
func best(d direction) panel {
	return lines("Throughput, "+d.title, "binBps",
		"Median of each run, of the transfer size and number of processes with the highest one.", "{{note}}",
		func(series string) string {
			return noted(`max by (cluster, filesystem, label, api, sync, cache) (` + throughput(series, d) + `)`)
		}).fromZero().empty("no figures: " + d.title)
}

// changes returns the table of the changes that a trend found. It leads to the documents.
func changes(series string, columns ...[2]string) panel {
	p := table("Lasting changes and incidents", "none",
		"What became faster or slower, since when, by how much, and what else differs since then. An incident is a "+
			"change of one to five runs. Red: slower by 10 % or more. A change of everything is not repeated for its "+
			"parts. The document is that of the first run after the change.",
		[]target{q(`sort_desc(1000 * `+of("h5perf_trend_change_timestamp_seconds", series)+`)`, "")},
		append(append([][2]string{{"Value", "Since"}, {"kind", "Kind"}, {"change", "By"}}, columns...),
			[2]string{"of", "Changed"}, [2]string{"differs", "Differs since then"},
			[2]string{"document", "Document"})...)
	column := func(name string) matcher { return matcher{"byName", name} }
	return p.with(column("Since"), property{"unit", "dateTimeAsIso"}, wide(170)).
		with(column("Cluster"), wide(110)).with(column("File system"), wide(130)).with(column("Label"), wide(90)).
		with(column("Changed"), wide(240)).with(column("Kind"), wide(80)).
		with(column("By"), wide(70),
			property{"custom.cellOptions", map[string]string{"type": "color-text"}},
			property{"mappings", []mapping{
				{"regex", pattern{`/^-[1-9][0-9] %$/`, mappedValue{Color: "red"}}},
				{"regex", pattern{`/^-/`, mappedValue{Color: "orange"}}},
				{"regex", pattern{`/^[+]/`, mappedValue{Color: "green"}}},
			}}).
		with(column("Document"), wide(370), property{"links", runLinks("${__value.raw}")}).
		empty("no lasting change, no incident")
}

// runLinks returns the links to the page and the document of a run.
func runLinks(document string) []dataLink {
	return []dataLink{
		{"Page of the run", "${results}/" + document + ".html"},
		{"Document of the run", "${results}/" + document + ".json"},
	}
}

// layer returns the panel of what a layer costs over time.
func layer(d direction) panel {
	return lines("Relative to the layer below, "+d.title, "percentunit",
		"Throughput of an API divided by that of the API below it, in the same case: mean over transfer sizes and "+
			"processes. Green line, 100 %: the layer costs nothing.", " / {{over}}",
		func(series string) string {
			return `avg by (cluster, filesystem, label, api, over) (` +
				of("h5perf_layer_efficiency_ratio", series, d.selector) + `)`
		}).marked(nil).around(0.8, 1.02).empty("no figures of two APIs: " + d.title)
}

// perCase returns a table with a row for each case and a column for each API.
func perCase(title, unit, description, expression string) panel {
	return matrix(title, unit, description, q(byCase(labelled(expression, "api")), ""),
		"case", "Case", "api", apiNames(), "processes", "transfer_bytes")
}
