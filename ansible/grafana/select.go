package main

import (
	"fmt"
	"strings"

	"h5perf/pkg/result"
)

// prometheus is the data source that the variable datasource selects.
var prometheus = source{"prometheus", "${datasource}"}

// fleetWide selects all series of the clusters that are chosen in the dashboard of the fleet, and one the only file
// system of a dashboard.
const (
	fleetWide = `job=~"$job", cluster=~"$clusters"`
	one       = `job=~"$job", cluster="$cluster", filesystem="$filesystem", label="$label"`
)

// direction is what panels keep apart: writes, reads from the storage, and reads from memory.
type direction struct{ title, selector string }

var (
	writes = direction{"write", `operation="write"`}
	reads  = direction{"read", `operation="read", cache!="warm"`}
	warm   = direction{"read from memory", `operation="read", cache="warm"`}
)

// of returns the selector of a metric, from parts.
func of(metric string, parts ...string) string { return metric + "{" + strings.Join(parts, ", ") + "}" }

// Variables of the dashboards. Those with one value at a time have the first one in the beginning.
var (
	datasource = variable{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus", Refresh: 1}
	job        = many("job", "Job", `label_values(h5perf_run_success, job)`)
	clusters   = many("clusters", "Cluster", `label_values(h5perf_run_success{job=~"$job"}, cluster)`)
	cluster    = single("cluster", "Cluster", `label_values(h5perf_run_success{job=~"$job"}, cluster)`)
	filesystem = single("filesystem", "File system",
		`label_values(h5perf_run_success{job=~"$job", cluster="$cluster"}, filesystem)`)
	label = single("label", "Label",
		`label_values(h5perf_run_success{job=~"$job", cluster="$cluster", filesystem="$filesystem"}, label)`)
	// results is where a web server shows the directory of results. The role replaces its value.
	results = variable{
		Name: "results", Label: "Results at", Type: "textbox", Query: "http://localhost:8000",
		Current: &choice{"http://localhost:8000", "http://localhost:8000"},
	}
)

// single returns a variable with one value, from a query.
func single(name, label, text string) variable {
	return variable{
		Name: name, Label: label, Type: "query", Query: text, Datasource: &prometheus, Refresh: 2, Sort: 1,
	}
}

// many returns a variable with any number of values, from a query.
func many(name, label, text string) variable {
	v := single(name, label, text)
	v.Multi, v.IncludeAll, v.AllValue, v.Current = true, true, ".+", &choice{"All", "$__all"}
	return v
}

// labelled returns an expression with the names of APIs for people as values of a label.
func labelled(expression, label string) string {
	for _, a := range result.APIs {
		expression = fmt.Sprintf("label_replace(%s, %q, %q, %q, %q)", expression, label, a.Label, label, a.Name)
	}
	return expression
}

// ordered returns an expression with the label order: the place of its API among all.
func ordered(expression string) string {
	for i, a := range result.APIs {
		expression = fmt.Sprintf(`label_replace(%s, "order", "%d", "api", %q)`, expression, i, a.Name)
	}
	return expression
}

// withTitle returns an expression with the title of a direction as value of the label direction.
func withTitle(expression string, d direction) string {
	return fmt.Sprintf(`label_replace(%s, "direction", %q, "", "")`, expression, d.title)
}

// eachDirection returns an expression: what expression makes for each direction, with the label direction.
func eachDirection(expression func(direction) string) string {
	var all []string
	for _, d := range []direction{writes, reads, warm} {
		all = append(all, withTitle(expression(d), d))
	}
	return strings.Join(all, " or ")
}

// noted returns an expression with the label note, for conditions other than those that are expected of a figure: a
// write that is durable when the file is closed, and a read of which it is known where it came from.
func noted(expression string) string {
	return fmt.Sprintf(`label_replace(label_replace(%s, "note", ", sync $1", "sync", "(none|phase|each|workload)"), `+
		`"note", ", $1", "cache", "(mixed|unknown)")`, expression)
}

// q returns a query of a panel. legend is the name of its series; queries of tables have none.
func q(expression, legend string) target {
	for _, label := range []string{"api", "over"} {
		if strings.Contains(legend, "{{"+label+"}}") {
			expression = labelled(expression, label)
		}
	}
	return target{Datasource: prometheus, Expr: expression, Legend: legend, Format: "time_series"}
}
