package main

import (
	"strconv"
	"strings"

	"h5perf/pkg/figures"
)

// Limits of the alert rules: of the throughput relative to the reference, and of that after a lasting fall, or in an
// incident, relative to that before it.
const (
	belowReference = 0.95
	slower         = 0.9
)

// Units that do not change with the value: all values of an axis have the same.
const (
	percent = "suffix:%"
	gib     = "suffix:GiB/s"
	milli   = "suffix:ms"
)

// byIdentity is the list of labels that identify a series of runs.
const byIdentity = "cluster, filesystem, label"

// byPoint is the list of labels that identify a point.
var byPoint = byIdentity + ", " + strings.Join(figures.LabelNames, ", ")

// throughput returns the selector of the medians of throughputs.
func throughput(series string, d direction) string {
	return of("h5perf_throughput_bytes_per_second", series, d.selector, `statistic="median"`)
}

// inPercent and inGiB return an expression in the unit that panels have.
func inPercent(expression string) string { return `100 * ` + expression }
func inGiB(expression string) string     { return expression + ` / ` + strconv.Itoa(1<<30) }

// toReference returns an expression: the throughput of each point, divided by that of its reference.
func toReference(series string, d direction) string {
	return throughput(series, d) + ` / ignoring (statistic, part) ` +
		of("h5perf_trend_reference_bytes_per_second", series, d.selector)
}

// uncautioned returns an expression: the values of a metric for the points of which the headline of a run is made.
// Those are the points without a sample marked as warm or implausible or, for an API that has no such point, all.
func uncautioned(metric, series string, d direction, more ...string) string {
	all := of(metric, append([]string{series, d.selector}, more...)...)
	good := all + ` unless on (` + byPoint + `) (` +
		of("h5perf_marked_samples", series, d.selector, `mark=~"warm|implausible"`) + ` > 0)`
	return `(` + good + ` or ` + all + ` unless on (` + byIdentity + `, api) (` + good + `))`
}

// highest returns an expression: the throughput of the headline, that of the point with the highest median.
func highest(series string, d direction) string {
	return uncautioned("h5perf_throughput_bytes_per_second", series, d, `statistic="median"`)
}

// layerRatio returns an expression: what a layer keeps of the throughput of the layer below it, the median over all
// points.
func layerRatio(series string, d direction) string {
	return `quantile by (` + byIdentity + `, api, over) (0.5, ` +
		uncautioned("h5perf_layer_efficiency_ratio", series, d) + `)`
}

// relative returns the panel of throughputs over time relative to the reference.
func relative(d direction) panel {
	return lines("Throughput over time, relative to the reference, "+d.title, percent,
		"Throughput, % of the reference: the geometric mean over the series of an API in a run. The dashed line is "+
			"the reference.", "",
		func(series string) string {
			return inPercent(`exp(avg by (` + byIdentity + `, api) (ln(` + toReference(series, d) + `)))`)
		}).dashed().upTo(110).empty("no reference: set one with 'h5perf reference set'")
}

// best returns the panel of throughputs over time.
func best(d direction) panel {
	return lines("Throughput over time, "+d.title, gib,
		"Of each API, the case with the highest median throughput, as in the summary of the run.", "{{note}}",
		func(series string) string {
			return inGiB(noted(`max by (` + byIdentity + `, api, sync, cache) (` + highest(series, d) + `)`))
		}).empty("no figures: " + d.title)
}

// layer returns the panel of what a layer costs over time.
func layer(d direction) panel {
	return lines("What each layer costs, "+d.title, percent,
		"Throughput, % of the layer below in the same cases: the median over all of them. At the dashed line, a layer "+
			"costs nothing.", ", % of {{over}}",
		func(series string) string { return inPercent(layerRatio(series, d)) },
	).dashed().upTo(110).empty("no figures of two APIs: " + d.title)
}

// verdict returns the table that says which file systems fell, since when, and what else changed.
func verdict(series string) panel {
	const by = `max by (` + byIdentity
	fall := by + `, compared, since, changed) (` + of("h5perf_trend_now_ratio", series) + `) unless on (` + byIdentity +
		`) (` + notJudged(series) + `)`
	columns := [][2]string{
		{"cluster", "Cluster"},
		{"filesystem", "File system"},
		{"label", "Label"},
		{"Value #A", "Now"},
		{"compared", "of"},
		{"since", "Since"},
		{"changed", "What else changed"},
		{"Value #B", "Age of the newest run"},
		{"Value #C", "State"},
	}
	p := table("Which file systems fell?", "none",
		"Throughput relative to the reference. Without one: to the best level or, if only one fall was found, to the "+
			"level before it; if nothing fell, the newest run relative to the runs before. Without a number: too few "+
			"runs, or no trend includes the newest one, so that a fall is not detected.",
		[]target{
			q(inPercent(fall), ""),
			q(`time() - `+by+`) (`+of("h5perf_run_completion_timestamp_seconds", series)+`)`, ""),
			q(by+`) (`+of("h5perf_run_success", series)+`)`, ""),
		}, columns...)
	for i, width := range []int{90, 120, 80, 120, 220, 360, 320, 170} {
		p = p.with(matcher{"byName", columns[i][1]}, wide(width))
	}
	column := func(i int, all ...property) {
		p = p.with(matcher{"byName", columns[i][1]}, all...)
	}
	text := property{"custom.cellOptions", map[string]string{"type": "color-text"}}
	day := 86400.0
	column(1, property{"links", []dataLink{{
		"Overview of the file system",
		"/d/h5perf-overview?${datasource:queryparam}&${job:queryparam}&${results:queryparam}" +
			"&var-cluster=${__data.fields[\"Cluster\"]:percentencode}" +
			"&var-filesystem=${__data.fields[\"File system\"]:percentencode}" +
			"&var-label=${__data.fields[\"Label\"]:percentencode}",
	}}})
	column(3, property{"unit", percent}, property{"decimals", 0}, property{"noValue", "no comparison"})
	column(5, text, property{"color", color{"fixed", "red"}}, property{"mappings", []mapping{
		{"value", map[string]mappedValue{noChange: {noChange, "text"}}},
	}})
	column(7, text, property{"unit", "s"}, property{"decimals", 0}, property{"color", color{Mode: "thresholds"}},
		property{"thresholds", thresholds{"absolute", []step{{Color: "text"}, {"red", &day}}}})
	column(8, text, property{"mappings", wordsFor("failed", "complete")})
	return p.size(24, 7)
}

// noChange is the text of a summary of a timeline in which nothing fell.
const noChange = "no lasting change found"

// notJudged selects series whose last complete run is in no trend.
func notJudged(series string) string {
	return `(` + of("h5perf_run_success", series) + ` == 1) unless on (` + byIdentity + `) (` +
		of("h5perf_trend_last_run_timestamp_seconds", series) + ` >= on (` + byIdentity + `) ` +
		of("h5perf_run_completion_timestamp_seconds", series) + `)`
}

// changes returns the table of the changes that a trend found. It leads to the documents.
func changes(series string, columns ...[2]string) panel {
	p := table("Lasting changes and incidents", "none",
		"What became faster or slower, since when, by how much, and what else changed. An incident is a change of one "+
			"to five runs. A change of everything is not repeated for its parts. The document is that of the first "+
			"run after the change.",
		[]target{q(`sort_desc(1000 * `+of("h5perf_trend_change_timestamp_seconds", series)+`)`, "")},
		append(append([][2]string{{"Value", "Since"}, {"kind", "Kind"}, {"change", "Change"}}, columns...),
			[2]string{"of", "Of"}, [2]string{"differs", "What else changed"},
			[2]string{"document", "Document"})...)
	column := func(name string) matcher { return matcher{"byName", name} }
	return p.with(column("Since"), property{"unit", "dateTimeAsIso"}, wide(170)).
		with(column("Cluster"), wide(110)).with(column("File system"), wide(130)).with(column("Label"), wide(90)).
		with(column("Of"), wide(240)).with(column("Kind"), wide(80)).
		with(column("Change"), wide(80),
			property{"custom.cellOptions", map[string]string{"type": "color-text"}},
			property{"mappings", []mapping{{"regex", pattern{`/^-/`, mappedValue{Color: "red"}}}}}).
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
