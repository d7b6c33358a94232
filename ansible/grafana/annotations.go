package main

import (
	"fmt"
	"strings"
)

// mark returns an annotation at the times that are the values of an expression, in seconds.
func mark(name, color, title, text, expression string) annotation {
	return annotation{
		Name: name, Datasource: prometheus, Enable: true, IconColor: color, Expr: "1000 * " + expression, Step: "30m",
		TitleFormat: title, TextFormat: text, UseValueForTime: true,
	}
}

// lasting marks the lasting changes that the last trend in the time range found.
func lasting(series string) annotation {
	return mark("Lasting changes", "text", "{{filesystem}}: {{of}} {{change}}", "{{differs}}",
		of("h5perf_trend_change_timestamp_seconds", series, `kind="lasting"`)+" @ end()")
}

// incidents marks the incidents, ongoing or over, that the last trend in the time range found.
func incidents(series string) annotation {
	return mark("Incidents", grey, "{{filesystem}}: incident, {{of}} {{change}}", "{{differs}}",
		of("h5perf_trend_change_timestamp_seconds", series, `kind="incident"`)+" @ end()")
}

// accepted marks when the references were set that hold at the end of the time range.
func accepted(series string) annotation {
	return mark("References", "yellow", "{{filesystem}}: reference set", "{{by}}: {{note}}",
		`(`+of("h5perf_trend_reference_timestamp_seconds", series)+
			` @ end() * on (cluster, filesystem, label) group_left (by, note) `+
			of("h5perf_trend_reference_info", series)+` @ end())`)
}

// failed marks the time after a run that failed, which has no figures.
func failed(series string) annotation {
	return annotation{
		Name: "Failed runs", Datasource: prometheus, Enable: true, IconColor: "red",
		Expr: `1 - ` + of("h5perf_run_success", series), Step: "1h",
		TitleFormat: "{{filesystem}}: the run failed", TextFormat: "no figures until the next run",
	}
}

// versions marks the end of the first run with another version of a component, once for all file systems of a cluster.
// It compares the last runs with those of an hour before, so runs must be further apart, and Step must be shorter.
func versions(series string) annotation {
	var all []string
	for _, c := range [][2]string{
		{"kernel", "kernel"}, {"mpi", "MPI"}, {"hdf5", "HDF5"}, {"version", "h5perf"}, {"image", "image"},
	} {
		info := of("h5perf_run_info", series)
		first := fmt.Sprintf(`(min by (cluster, %[1]s) (%[2]s * on (cluster, filesystem, label) group_left (%[1]s) `+
			`%[3]s) unless on (cluster, %[1]s) %[3]s offset 1h and on (cluster) %[3]s offset 1h)`,
			c[0], of("h5perf_run_completion_timestamp_seconds", series), info)
		all = append(all, fmt.Sprintf(`label_join(label_replace(%s, "component", %q, "", ""), "now", "", %q)`,
			first, c[1], c[0]))
	}
	return mark("Something else changed", "purple", "{{cluster}}: {{component}} {{now}}", "first run with it",
		"("+strings.Join(all, " or ")+")")
}

// marks returns all annotations of the dashboard of a file system.
func marks(series string) []annotation {
	return []annotation{versions(series), accepted(series), failed(series), lasting(series), incidents(series)}
}
