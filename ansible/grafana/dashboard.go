package main

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// dashboard and the types below are the parts of Grafana's dashboard JSON that are used here.
type dashboard struct {
	UID           string `json:"uid"`
	Title         string `json:"title"`
	Description   string `json:"description"`
	SchemaVersion int    `json:"schemaVersion"`
	Editable      bool   `json:"editable"`
	Timezone      string `json:"timezone"`
	Refresh       string `json:"refresh"`
	Tags          tags   `json:"tags"`
	Links         []link `json:"links"`
	Time          span   `json:"time"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type tags []string

type span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type link struct {
	Title       string `json:"title"`
	Type        string `json:"type"`
	Icon        string `json:"icon"`
	Tooltip     string `json:"tooltip"`
	URL         string `json:"url"`
	Tags        tags   `json:"tags"`
	AsDropdown  bool   `json:"asDropdown"`
	TargetBlank bool   `json:"targetBlank"`
	IncludeVars bool   `json:"includeVars"`
	KeepTime    bool   `json:"keepTime"`
}

type variable struct {
	Name       string  `json:"name"`
	Label      string  `json:"label"`
	Type       string  `json:"type"`
	Query      string  `json:"query"`
	Datasource *source `json:"datasource,omitempty"`
	Refresh    int     `json:"refresh,omitempty"`
	Sort       int     `json:"sort,omitempty"`
	Multi      bool    `json:"multi"`
	IncludeAll bool    `json:"includeAll"`
	AllValue   string  `json:"allValue,omitempty"`
	Current    *choice `json:"current,omitempty"`
}

type choice struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

type source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int            `json:"id"`
	Type        string         `json:"type"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	GridPos     position       `json:"gridPos"`
	Datasource  source         `json:"datasource"`
	Targets     []target       `json:"targets"`
	FieldConfig fieldConfig    `json:"fieldConfig"`
	Options     map[string]any `json:"options"`
	Transforms  []transform    `json:"transformations,omitempty"`
}

type position struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

type target struct {
	RefID      string `json:"refId"`
	Datasource source `json:"datasource"`
	Expr       string `json:"expr"`
	Legend     string `json:"legendFormat,omitempty"`
	Instant    bool   `json:"instant"`
	Range      bool   `json:"range"`
	Format     string `json:"format"`
}

type fieldConfig struct {
	Defaults  field `json:"defaults"`
	Overrides []any `json:"overrides"`
}

type field struct {
	Unit       string         `json:"unit"`
	Min        *float64       `json:"min,omitempty"`
	Max        *float64       `json:"max,omitempty"`
	Color      color          `json:"color"`
	Thresholds thresholds     `json:"thresholds"`
	Mappings   []mapping      `json:"mappings"`
	Custom     map[string]any `json:"custom,omitempty"`
}

type color struct {
	Mode string `json:"mode"`
}

type thresholds struct {
	Mode  string `json:"mode"`
	Steps []step `json:"steps"`
}

type step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"` // nil for the lowest step
}

type mapping struct {
	Type    string                 `json:"type"`
	Options map[string]mappedValue `json:"options"`
}

type mappedValue struct {
	Text  string `json:"text"`
	Color string `json:"color,omitempty"`
}

type transform struct {
	ID      string         `json:"id"`
	Options map[string]any `json:"options"`
}

// prometheus is the data source that the variable datasource selects.
var prometheus = source{"prometheus", "${datasource}"}

// groups selects what the variables of a dashboard select. points also selects by API. rated is for what has the label
// basis, so that no panel has figures of two definitions, and median selects the median of throughputs.
const (
	groups = `job=~"$job", cluster=~"$cluster", filesystem=~"$filesystem", label=~"$label"`
	points = groups + `, api=~"$api"`
	rated  = points + `, basis=~"$basis"`
	median = rated + `, statistic="median"`
	// judged is for what a trend says of all APIs together.
	judged = groups + `, basis=~"$basis"`
)

// basis is the variable that selects the time on which throughput rests: one, never both. Runs of earlier releases have
// no label basis.
var basis = variable{
	Name: "basis", Label: "Throughput by", Type: "custom", Query: "window : window, slowest process : slowest|",
	Current: &choice{"window", "window"},
}

// newDashboard arranges panels in the given order, in rows of 24 columns. from is the start of the time
// range.
func newDashboard(uid, title, description, from string, panels ...panel) dashboard {
	d := dashboard{
		UID: uid, Title: title, Description: description, SchemaVersion: 41, Timezone: "utc", Refresh: "5m",
		Tags: tags{"h5perf"}, Time: span{from, "now"},
		Links: []link{{
			Title: "h5perf", Type: "dashboards", Icon: "external link", Tags: tags{"h5perf"},
			IncludeVars: true, KeepTime: true,
		}},
	}
	d.Templating.List = []variable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus", Refresh: 1},
		query("job", "Job", `label_values(h5perf_run_success, job)`),
		query("cluster", "Cluster", `label_values(h5perf_run_success{job=~"$job"}, cluster)`),
		query("filesystem", "File system",
			`label_values(h5perf_run_success{job=~"$job", cluster=~"$cluster"}, filesystem)`),
		query("label", "Label", `label_values(h5perf_run_success{job=~"$job", cluster=~"$cluster", `+
			`filesystem=~"$filesystem"}, label)`),
		apis(),
		basis,
	}
	x, y, h := 0, 0, 0
	for i, p := range panels {
		if x+p.GridPos.W > 24 {
			x, y, h = 0, y+h, 0
		}
		p.ID, p.GridPos.X, p.GridPos.Y = i+1, x, y
		x, h = x+p.GridPos.W, max(h, p.GridPos.H)
		d.Panels = append(d.Panels, p)
	}
	return d
}

// query returns a variable whose values come from a Prometheus query. Several values can be selected.
func query(name, label, text string) variable {
	return variable{
		Name: name, Label: label, Type: "query", Query: text, Datasource: &prometheus, Refresh: 2, Sort: 1, Multi: true,
		IncludeAll: true, AllValue: ".+",
		Current: &choice{"All", "$__all"},
	}
}

// apis returns the variable that selects APIs, by their names for people.
func apis() variable {
	var values []string
	for _, a := range result.APIs {
		values = append(values, a.Label+" : "+a.Name)
	}
	return variable{
		Name: "api", Label: "API", Type: "custom", Query: strings.Join(values, ", "), Multi: true,
		IncludeAll: true, AllValue: ".+",
		Current: &choice{"All", "$__all"},
	}
}

// labelled returns an expression with the names of APIs for people as values of a label.
func labelled(expression, label string) string {
	for _, a := range result.APIs {
		expression = fmt.Sprintf("label_replace(%s, %q, %q, %q, %q)", expression, label, a.Label, label, a.Name)
	}
	return expression
}

// what is the label that named adds.
const what = "what"

// named returns an expression with what each point moves as a label: its transfer size, or the name of its workload,
// which has none.
func named(expression string) string {
	return fmt.Sprintf(`label_join(label_replace(%s, "size", "$1 B", "transfer_bytes", "(.+)"), %q, "", "size", `+
		`"workload")`, expression, what)
}

// q returns a query of a panel. legend is the name of its series; queries of tables have none.
func q(expression, legend string) target {
	if strings.Contains(legend, "{{"+what+"}}") {
		expression = named(expression)
	}
	for _, label := range []string{"api", "over"} {
		if strings.Contains(legend, "{{"+label+"}}") {
			expression = labelled(expression, label)
		}
	}
	return target{Datasource: prometheus, Expr: expression, Legend: legend, Format: "time_series"}
}

// newPanel returns a panel of a kind and a size in columns and rows.
func newPanel(kind string, w, h int, title, unit, description string, targets []target) panel {
	p := panel{
		Type: kind, Title: title, Description: description, GridPos: position{W: w, H: h}, Datasource: prometheus,
		Options: map[string]any{},
	}
	for i, t := range targets {
		t.RefID, t.Range, t.Instant = string(rune('A'+i)), kind == "timeseries", kind != "timeseries"
		p.Targets = append(p.Targets, t)
	}
	p.FieldConfig = fieldConfig{Overrides: []any{}, Defaults: field{
		Unit: unit, Color: color{"palette-classic"}, Mappings: []mapping{},
		Thresholds: thresholds{"absolute", []step{{Color: "green"}}},
	}}
	return p
}

// series returns a panel that draws values over time.
func series(title, unit, description string, targets ...target) panel {
	p := newPanel("timeseries", 12, 9, title, unit, description, targets)
	p.FieldConfig.Defaults.Custom = map[string]any{
		"drawStyle": "line", "lineWidth": 2, "fillOpacity": 0, "showPoints": "never", "spanNulls": false,
	}
	p.Options["legend"] = map[string]any{
		"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{},
	}
	p.Options["tooltip"] = map[string]any{"mode": "multi", "sort": "desc"}
	return p
}

// fromZero lets the axis of values begin at 0, so that lengths and areas can be compared.
func (p panel) fromZero() panel {
	p.FieldConfig.Defaults.Min = new(float64)
	return p
}

// stat returns a panel that shows one number for each series.
func stat(title, unit, description string, targets ...target) panel {
	p := newPanel("stat", 6, 4, title, unit, description, targets)
	p.FieldConfig.Defaults.Color.Mode = "thresholds"
	p.Options = map[string]any{
		"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "auto",
		"wideLayout":    true,
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
	}
	return p
}

// bars returns a panel that shows the last value of each series as a bar.
func bars(title, unit, description string, targets ...target) panel {
	p := newPanel("bargauge", 12, 12, title, unit, description, targets).fromZero()
	p.Options = map[string]any{
		"displayMode": "basic", "orientation": "horizontal", "showUnfilled": true, "valueMode": "color",
		"namePlacement": "auto", "sizing": "auto",
		"minVizHeight": 16, "minVizWidth": 8, "maxVizHeight": 300,
		"legend": map[string]any{
			"displayMode": "list", "placement": "bottom", "showLegend": false, "calcs": []string{},
		},
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		"text":          map[string]int{"titleSize": 12, "valueSize": 14},
	}
	return p
}

// table returns a panel that shows a row for each series of one query: its labels, in this order, and its
// value, if it has a column name.
func table(title, unit, description string, t target, value string, labels ...string) panel {
	t.Format = "table"
	if slices.Contains(labels, "api") {
		t.Expr = labelled(t.Expr, "api")
	}
	p := newPanel("table", 24, 9, title, unit, description, []target{t})
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	p.FieldConfig.Defaults.Custom = map[string]any{"minWidth": 90}
	columns, names := labels, map[string]string{}
	if value != "" {
		columns, names = append(slices.Clone(labels), "Value"), map[string]string{"Value": value}
	}
	index := map[string]int{}
	for i, name := range columns {
		index[name] = i
	}
	p.Transforms = []transform{
		{"filterFieldsByName", map[string]any{"include": map[string]any{"names": columns}}},
		{"organize", map[string]any{"indexByName": index, "renameByName": names, "excludeByName": map[string]bool{}}},
	}
	return p
}

// size returns the panel with another width and height.
func (p panel) size(w, h int) panel {
	p.GridPos.W, p.GridPos.H = w, h
	return p
}

// turning returns the panel with values from a limit on in another color than green.
func (p panel) turning(color string, from float64) panel {
	p.FieldConfig.Defaults.Thresholds.Steps = []step{{Color: "green"}, {color, &from}}
	return p
}

// words returns the panel with words instead of 0 and 1.
func (p panel) words(zero, one string) panel {
	p.FieldConfig.Defaults.Mappings = []mapping{{
		"value", map[string]mappedValue{"0": {zero, "red"}, "1": {one, "green"}},
	}}
	return p
}
