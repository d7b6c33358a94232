package main

import "h5perf/pkg/result"

// lastRun returns the dashboard that shows the last run before the end of the time range.
func lastRun() dashboard {
	cost := func(d direction) panel {
		var names []string
		for _, a := range result.APIs {
			for _, b := range result.APIs {
				if b.Name != a.Name {
					names = append(names, a.Label+" / "+b.Label)
				}
			}
		}
		return matrix("Relative to the layer below, "+d.title, "percentunit",
			"Throughput of an API divided by that of the API below it, in the same case. 100 %: the layer costs "+
				"nothing.",
			q(byCase(`label_join(`+labelled(labelled(of("h5perf_layer_efficiency_ratio", one, d.selector),
				"api"), "over")+`, "layer", " / ", "api", "over")`), ""),
			"case", "Case", "layer", names, "processes", "transfer_bytes",
		).size(8, 7).empty("no figures of two APIs: " + d.title)
	}
	figures := func(d direction) panel {
		return perCase("Throughput, "+d.title, "binBps", "Median of the samples of each case. Case: transfer size or "+
			"workload × processes.", throughput(one, d)).barred().size(16, 7).empty("no figures: " + d.title)
	}
	versus := func(d direction) panel {
		return perCase("Relative to the reference, "+d.title, "percentunit",
			"Throughput of each case, divided by that of the reference. Red: below 95 %. One run alone can be low by "+
				"chance.", toReference(one, d)).atLeast(belowReference).colored().
			empty("no reference: set one with 'h5perf reference set'")
	}
	classes := func(d direction) panel {
		return matrix("Time by class, "+d.title, "s",
			"Time of each class of steps: median of the samples, mean over transfer sizes and processes.",
			q(labelled(ordered(`avg by (api, class) (`+of("h5perf_class_duration_seconds", one, d.selector)+`)`),
				"api"), ""),
			"api", "API", "class", []string{"file open", "create", "open", "transfer", "sync", "file close"},
			"order").size(12, 6)
	}
	quantile := func(part, text, operation string) string {
		return `label_replace(histogram_quantile(` + part + `, sum by (api, le) (` +
			of("h5perf_operation_duration_seconds_bucket", one, operation) + `)), "quantile", "` + text + `", "", "")`
	}
	latency := func(d direction) panel {
		return matrix("Latency of data calls, "+d.title, "s",
			"50 % and 99 % of the calls took at most this time. Needs runs with --latency.",
			q(labelled(ordered(quantile("0.5", "50 %", d.selector)+" or "+quantile("0.99", "99 %", d.selector)),
				"api"), ""),
			"api", "API", "quantile", []string{"50 %", "99 %"}, "order",
		).size(12, 6).empty("no latencies: measure with --latency")
	}
	run := stat("Run", "none", "The run. Its page and its document are where the variable Results leads to.",
		q(of("h5perf_run_document_info", one), "{{document}}")).plain().size(24, 3)
	run.Options["textMode"], run.Options["text"] = "name", map[string]int{"titleSize": 22}
	run.FieldConfig.Defaults.Links = runLinks("${__field.labels.document}")
	marks := matrix("Marked samples", "none", "Number of samples with a mark, a reason why the figure may not show "+
		"the speed of the storage.",
		q(labelled(ordered(`sum by (api, mark) (`+of("h5perf_marked_samples", one)+`) > 0`), "api"), ""),
		"api", "API", "mark", nil, "order").empty("no marks")
	return newDashboard("h5perf-last-run", "h5perf / Last run",
		"What did the last run before the end of the time range say? The bars of a table have one scale.", "now-1d",
		[]variable{datasource, job, cluster, filesystem, label, results},
		run,
		stat("Result", "none", "Complete: the run measured everything. Failed: it failed or was interrupted.",
			q(of("h5perf_run_success", one), "")).words("failed", "complete"),
		stat("Ended", "dateTimeAsIso", "When the run ended.",
			q(`1000 * `+of("h5perf_run_completion_timestamp_seconds", one), "")).plain(),
		stat("Duration", "s", "From start to end of the run.", q(of("h5perf_run_duration_seconds", one), "")).plain(),
		stat("Relative to the reference", "percentunit",
			"Latest throughput of all points together, divided by that of the reference.",
			q(of("h5perf_trend_group_reference_ratio", one, `operation=""`, `statistic="ratio"`),
				"")).atLeast(belowReference).empty("no reference"),
		stat("Cases with wrong data", "none", "Number of cases that read wrong data.",
			q(`sum(`+of("h5perf_verification_errors", one)+`)`, "")).turning("red", 1).empty("not verified"),
		stat("Marked samples", "percentunit", "Fraction of the samples that are marked as warm, short or implausible.",
			q(`sum(max without (mark) (`+of("h5perf_marked_samples", one, `mark=~"warm|short|implausible"`)+
				`)) / sum(`+of("h5perf_samples", one)+`)`, "")).turning("orange", 0.01),
		figures(writes), cost(writes),
		figures(reads), cost(reads),
		versus(writes), versus(reads),
		classes(writes), classes(reads),
		latency(writes), latency(direction{"read", `operation="read"`}),
		figures(warm), cost(warm),
		list("Software and conditions", "Software and conditions of the run.",
			q(of("h5perf_run_info", one), ""), conditions...).size(12, 14),
		marks,
	)
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
