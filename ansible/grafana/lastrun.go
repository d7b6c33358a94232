package main

import (
	"fmt"
	"slices"

	"h5perf/pkg/result"
)

// lastRun returns the dashboard that shows the last run before the end of the time range.
func lastRun() dashboard {
	run := stat("Run", "none", "The run. Its page and its document are where the variable Results leads to.",
		q(of("h5perf_run_document_info", one), "{{document}}")).plain().size(12, 3)
	run.Options["textMode"], run.Options["text"] = "name", map[string]int{"titleSize": 18}
	run.FieldConfig.Defaults.Links = runLinks("${__field.labels.document}")
	return newDashboard("h5perf-last-run", "h5perf / Last run",
		"What did the last run before the end of the time range say? "+colorsOfAPIs, "now-1d",
		[]variable{datasource, job, cluster, filesystem, label, results},
		run,
		stat("State", "none", "Complete: the run measured everything. Failed: it failed or was interrupted.",
			q(of("h5perf_run_success", one), "")).words("failed", "complete").size(4, 3),
		stat("Ended", "dateTimeAsIso", "When the run ended.",
			q(`1000 * `+of("h5perf_run_completion_timestamp_seconds", one), "")).plain().size(4, 3),
		stat("Cases with wrong data", "none", "Number of cases that read wrong data.",
			q(`sum(`+of("h5perf_verification_errors", one)+`)`, "")).turning("red", 1).empty("not verified").size(4, 3),
		howFast(), againstTransferSize(),
		throughputTable(), list("Software and conditions", "Software and conditions of the run.",
			q(of("h5perf_run_info", one), ""), conditions...).size(8, 16),
		timeTable(), latencyTable(),
	)
}

// howFast returns the chart of the headline: the highest throughput of each API, and what it keeps of the layer below.
func howFast() panel {
	var targets []target
	var colors []color
	for _, d := range []direction{writes, reads, warm} {
		for _, a := range result.APIs {
			api := fmt.Sprintf("%s, api=%q", one, a.Name)
			rate := inGiB(`max by (` + byIdentity + `, api) (` + highest(api, d) + `)`)
			kept := labelled(`count_values by (`+byIdentity+`, api, over) ("percent", round(`+
				inPercent(layerRatio(api, d))+`))`, "over")
			note := `label_replace(label_join(` + kept + `, "note", " % of ", "percent", "over"), ` +
				`"note", ", $1", "note", "(.+)")`
			targets = append(targets, q(rate+` * on (`+byIdentity+`, api) group_left (note) `+note+
				` or on (`+byIdentity+`, api) `+rate, d.title+", "+a.Label+"{{note}}"))
			colors = append(colors, colorOf(a))
		}
	}
	p := barChart("How fast, and what each layer costs", gib,
		"Of each API and direction, the case with the highest median throughput, as in the summary of the run. The "+
			"percentage compares a layer with the layer below it in the same cases: it is the median over all of them.",
		targets...)
	for i, c := range colors {
		p = p.with(matcher{"byFrameRefID", p.Targets[i].RefID}, property{"color", c})
	}
	return p.empty("no figures")
}

// againstTransferSize returns the chart of throughputs against the transfer size, with the largest number of processes.
func againstTransferSize() panel {
	rate := eachDirection(func(d direction) string {
		return throughput(one, d) + ` and on (` + byIdentity + `, processes) ` + of("h5perf_run_info", one)
	})
	t := q(`label_join(`+labelled(inGiB(`max by (direction, api, transfer_bytes) (`+rate+`)`), "api")+
		`, "line", ", ", "direction", "api")`, "")
	t.Format = "table"
	p := newPanel("trend", 12, 9, "Throughput against transfer size", gib,
		"Medians, with the largest number of processes. Solid: write. Dashed: read. Dotted: read from memory.",
		[]target{t})
	p.FieldConfig.Defaults.Min = new(float64)
	p.FieldConfig.Defaults.Custom = map[string]any{
		"drawStyle": "line", "lineInterpolation": "linear", "lineWidth": 2, "fillOpacity": 0, "showPoints": "always",
		"pointSize": 7, "spanNulls": false,
	}
	p.Options = map[string]any{
		"xField": "MiB",
		"legend": map[string]any{
			"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{},
		},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}
	var names []string
	index := map[string]int{"MiB": 0}
	for _, d := range []direction{writes, reads, warm} {
		for _, a := range result.APIs {
			names = append(names, d.title+", "+a.Label)
			index[names[len(names)-1]] = len(names)
			style := map[string]any{"fill": "solid"}
			switch d {
			case reads:
				style = map[string]any{"fill": "dash", "dash": []int{10, 6}}
			case warm:
				style = map[string]any{"fill": "dash", "dash": []int{2, 5}}
			}
			p = p.with(matcher{"byName", names[len(names)-1]}, property{"color", colorOf(a)},
				property{"custom.lineStyle", style})
		}
	}
	p.Transforms = append(matrix("transfer_bytes", "bytes", "line", names), sortedBy("bytes")...)
	p.Transforms = append(p.Transforms,
		transform{"calculateField", map[string]any{
			"mode": "binary", "alias": "MiB",
			"binary": map[string]any{"left": "bytes", "operator": "/", "right": "1048576"},
		}},
		transform{"organize", map[string]any{
			"indexByName": index, "renameByName": map[string]string{},
			"excludeByName": map[string]bool{"bytes": true},
		}})
	return p.with(matcher{"byName", "MiB"}, property{"unit", "none"},
		property{"custom.axisLabel", "transfer size in MiB"}).empty("no figures of transfer sizes")
}

// throughputTable returns the table of all points: the throughput, relative to the layer below and to the reference,
// and the part of the samples that are marked.
func throughputTable() panel {
	const by = `max by (direction, api, transfer, workload, transfer_bytes, processes`
	each := func(more string, expression func(direction) string) target {
		return q(labelled(ordered(by+more+`) (`+eachDirection(expression)+`)`), "api"), "")
	}
	mark := func(d direction) string {
		return `topk by (` + byPoint + `) (1, ` + of("h5perf_marked_samples", one, d.selector) +
			` > 0) / ignoring (mark) ` + of("h5perf_samples", one, d.selector)
	}
	layers := each("", func(d direction) string { return of("h5perf_layer_efficiency_ratio", one, d.selector) })
	reference := each("", func(d direction) string { return toReference(one, d) })
	marked := each(", mark", mark)
	rate := each("", func(d direction) string { return throughput(one, d) })
	for _, t := range []*target{&layers, &reference, &marked} {
		t.Expr = inPercent(t.Expr)
	}
	rate.Expr = inGiB(rate.Expr)
	columns := [][2]string{
		{"direction", "Operation"},
		{"processes", "Processes"},
		{"transfer", "Transfer"},
		{"workload", "Workload"},
		{"api", "API"},
		{"Value #A", "Median"},
		{"Value #B", "Of the layer below"},
		{"Value #C", "Of the reference"},
		{"Value #D", "Marked samples"},
		{"mark", "Mark"},
	}
	p := table("Throughput", percent,
		"Of each case: the median of the samples; of the throughput of the API below it; of its reference (red: below "+
			"95 %; one run alone can be low by chance); how many samples are marked, and with which mark most.",
		[]target{rate, layers, reference, marked}, columns...)
	sorted := append([]transform{{"sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{
		map[string]any{"field": "direction", "desc": true},
	}}}}, sortedBy("order", "transfer_bytes", "processes")...)
	p.Transforms = slices.Insert(p.Transforms, 1, sorted...)
	p = p.with(matcher{"byName", "Median"}, property{"unit", gib}).with(matcher{"byName", "Processes"},
		property{"unit", "none"})
	for _, name := range []string{"Of the layer below", "Of the reference", "Marked samples"} {
		p = p.with(matcher{"byName", name}, property{"decimals", 0})
	}
	p = p.with(matcher{"byName", "Of the reference"},
		property{"custom.cellOptions", map[string]string{"type": "color-text"}},
		property{"color", color{Mode: "thresholds"}},
		property{"thresholds", thresholds{"absolute", []step{{Color: "red"}, {"text", new(100 * belowReference)}}}})
	return p.size(16, 16)
}

// timeTable returns the table of the times of classes of steps.
func timeTable() panel {
	rank := func(d direction) string {
		return `topk by (` + byIdentity + `, api) (1, ` + highest(one, d) + `)`
	}
	times := eachDirection(func(d direction) string {
		return of("h5perf_class_duration_seconds", one, d.selector) + ` and on (` + byPoint + `) ` + rank(d)
	})
	return rowsOfAPIs("Where the time goes",
		"The cases of the first picture: medians of the samples, without computing.", `1000 * (`+times+`)`,
		"class", []string{"file open", "create", "open", "transfer", "sync", "file close"}).size(16, 9)
}

// latencyTable returns the table of quantiles of the times of data calls.
func latencyTable() panel {
	quantile := func(part, text string) string {
		return `label_replace(` + eachDirection(func(d direction) string {
			return `histogram_quantile(` + part + `, sum by (api, le) (` +
				of("h5perf_operation_duration_seconds_bucket", one, d.selector) + `))`
		}) + `, "quantile", "` + text + `", "", "")`
	}
	return rowsOfAPIs("Latency of data calls", "50 % and 99 % of the calls took at most this time. Needs runs with "+
		"--latency.", `1000 * (`+quantile("0.5", "50 %")+` or `+quantile("0.99", "99 %")+`)`, "quantile",
		[]string{"50 %", "99 %"}).size(8, 9).empty("no latencies: measure with --latency")
}

// rowsOfAPIs returns a table with a row for each direction and API, and a column for each value of a label.
func rowsOfAPIs(title, description, expression, column string, order []string) panel {
	t := q(`label_join(`+labelled(ordered(expression), "api")+`, "row", ", ", "direction", "api")`, "")
	p := table(title, milli, description, []target{t})
	p.Transforms = append(sortedBy("order"), matrix("row", "API", column, order)...)
	return p.with(matcher{"byName", "API"}, wide(200))
}

// conditions are the labels of run_info that are shown, and their names for people.
var conditions = [][2]string{
	{"version", "h5perf"},
	{"mpi", "MPI"},
	{"hdf5", "HDF5"},
	{"kernel", "Kernel"},
	{"image", "Image"},
	{"file_system_type", "File system type"},
	{"nodes", "Nodes"},
	{"processes", "Processes"},
	{"preset", "Preset"},
	{"workload", "Workload"},
	{"variant", "Variant"},
	{"sync", "Sync"},
	{"direct", "Direct"},
	{"cold", "Cold"},
	{"shift", "Shift"},
	{"data", "Data"},
}
