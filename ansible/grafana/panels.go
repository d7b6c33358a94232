package main

import (
	"fmt"
	"slices"

	"h5perf/pkg/page"
	"h5perf/pkg/result"
)

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
	p.FieldConfig = fieldConfig{Overrides: []override{}, Defaults: field{
		Unit: unit, Color: color{Mode: "palette-classic"}, Mappings: []mapping{},
		Thresholds: thresholds{"absolute", []step{{Color: "text"}}},
	}}
	return p
}

// grey is the color of what is beside the figures, on light and dark paper.
const grey = "#808080"

// colorsOfAPIs explains the colors of lines and bars.
const colorsOfAPIs = "Blue is POSIX, orange MPI-IO, green HDF5, as on the page of a run."

// colorOf returns the color of an API on the pages of h5perf. Grafana has one color for light and dark paper.
func colorOf(a result.API) color {
	r, g, b, _ := page.APIColour(a).RGBA()
	return color{"fixed", fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)}
}

// series returns a panel that draws values over time. A value stands until the next run. A click on it leads to its
// run.
func series(title, unit, description string, targets ...target) panel {
	p := newPanel("timeseries", 12, 9, title, unit, description, targets)
	p.FieldConfig.Defaults.Custom = map[string]any{
		"drawStyle": "line", "lineInterpolation": "stepAfter", "lineWidth": 2, "fillOpacity": 0,
		"showPoints": "never", "spanNulls": false, "thresholdsStyle": map[string]string{"mode": "off"},
	}
	p.Options["legend"] = map[string]any{
		"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{},
	}
	p.Options["tooltip"] = map[string]any{"mode": "multi", "sort": "desc"}
	p.FieldConfig.Defaults.Min = new(float64)
	p.FieldConfig.Defaults.Links = []dataLink{{
		"The run of this value", lastRunOf + "var-cluster=${__field.labels.cluster:percentencode}" +
			"&var-filesystem=${__field.labels.filesystem:percentencode}" +
			"&var-label=${__field.labels.label:percentencode}&from=${__from}&to=${__value.time}",
	}}
	return p
}

// lastRunOf is the beginning of links to the dashboard of the last run.
const lastRunOf = "/d/h5perf-last-run?${datasource:queryparam}&${job:queryparam}&" +
	"${results:queryparam}&"

// lines returns a panel with a line for each API on the chosen file system, in its color. expression makes the query of
// what selects the file system and an API.
func lines(title, unit, description, legend string, expression func(series string) string) panel {
	var targets []target
	for _, a := range result.APIs {
		targets = append(targets, q(expression(fmt.Sprintf("%s, api=%q", one, a.Name)), a.Label+legend))
	}
	p := series(title, unit, description, targets...)
	for i, a := range result.APIs {
		p = p.with(matcher{"byFrameRefID", p.Targets[i].RefID}, property{"color", colorOf(a)})
	}
	return p
}

// with returns the panel with properties of the fields that match.
func (p panel) with(m matcher, all ...property) panel {
	p.FieldConfig.Overrides = append(slices.Clip(p.FieldConfig.Overrides), override{m, all})
	return p
}

// dashed returns the panel with a dashed line at 100 %.
func (p panel) dashed() panel {
	p.FieldConfig.Defaults.Thresholds.Steps = []step{{Color: "transparent"}, {grey, new(100.0)}}
	p.FieldConfig.Defaults.Custom["thresholdsStyle"] = map[string]string{"mode": "dashed"}
	return p
}

// upTo returns the panel with an axis that includes at least this value.
func (p panel) upTo(high float64) panel {
	p.FieldConfig.Defaults.Custom["axisSoftMax"] = high
	return p
}

// ofFileSystems returns the panel with shades of a color that no API has.
func (p panel) ofFileSystems() panel {
	p.FieldConfig.Defaults.Color = color{"shades", "purple"}
	return p
}

// empty returns the panel with what it says if it has no data.
func (p panel) empty(text string) panel {
	p.FieldConfig.Defaults.NoValue = text
	return p
}

// stat returns a panel that shows one number for each series.
func stat(title, unit, description string, targets ...target) panel {
	p := newPanel("stat", 4, 4, title, unit, description, targets)
	p.FieldConfig.Defaults.Color.Mode = "thresholds"
	p.Options = map[string]any{
		"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "auto",
		"wideLayout":    true,
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
	}
	return p
}

// barChart returns a panel with a bar for each series. All bars begin at 0, and have one scale.
func barChart(title, unit, description string, targets ...target) panel {
	p := newPanel("bargauge", 12, 9, title, unit, description, targets)
	p.FieldConfig.Defaults.Min = new(float64)
	p.Options = map[string]any{
		"displayMode": "basic", "orientation": "horizontal", "valueMode": "text", "namePlacement": "left",
		"showUnfilled": false, "sizing": "auto", "minVizHeight": 16, "maxVizHeight": 40, "minVizWidth": 8,
		"text":          map[string]int{"titleSize": 14, "valueSize": 14},
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		"legend": map[string]any{
			"displayMode": "list", "placement": "bottom", "showLegend": false, "calcs": []string{},
		},
	}
	return p
}

// plain returns the panel with numbers in the color of text, for those that are neither good nor bad.
func (p panel) plain() panel {
	p.FieldConfig.Defaults.Color = color{"fixed", "text"}
	return p
}

// table returns a panel that shows a row for each series: some of its labels, and values. columns are names of labels,
// and Value for the value of the only query, or Value #A and so on for those of several, each with its heading.
func table(title, unit, description string, targets []target, columns ...[2]string) panel {
	for i := range targets {
		targets[i].Format = "table"
	}
	p := newPanel("table", 24, 7, title, unit, description, targets)
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	p.FieldConfig.Defaults.Custom = map[string]any{"minWidth": 60}
	var names []string
	index, headings := map[string]int{}, map[string]string{}
	for i, c := range columns {
		names = append(names, c[0])
		index[c[0]], headings[c[0]] = i, c[1]
	}
	if len(targets) > 1 {
		p.Transforms = []transform{{"merge", map[string]any{}}}
	}
	p.Transforms = append(p.Transforms,
		transform{"filterFieldsByName", map[string]any{"include": map[string]any{"names": names}}},
		transform{"organize", map[string]any{
			"indexByName": index, "renameByName": headings, "excludeByName": map[string]bool{},
		}})
	return p
}

// folded returns a row that is folded when the dashboard opens.
func folded(title string, panels ...panel) panel {
	p := newPanel("row", 24, 1, title, "none", "", nil)
	p.Collapsed, p.Panels, p.Targets = true, panels, []target{}
	return p
}

// list returns a panel that shows labels of the only series of a query below one another.
func list(title, description string, t target, labels ...[2]string) panel {
	p := table(title, "none", description, []target{t}, labels...)
	p.Transforms = append(p.Transforms,
		transform{"reduce", map[string]any{
			"reducers": []string{"lastNotNull"}, "mode": "seriesToRows", "includeTimeField": false,
		}},
		transform{"organize", map[string]any{
			"indexByName":   map[string]int{"Field": 0, "Last *": 1},
			"renameByName":  map[string]string{"Field": "Condition", "Last *": "Value"},
			"excludeByName": map[string]bool{},
		}})
	return p
}

// matrix returns the transformations that make, of a query of a table, a row for each value of a label, under a
// heading, and a column for each value of another one, in the given order.
func matrix(row, heading, column string, order []string) []transform {
	first := row + `\` + column
	index := map[string]int{first: 0}
	for i, name := range order {
		index[name] = i + 1
	}
	return []transform{
		{"groupingToMatrix", map[string]any{
			"columnField": column, "rowField": row, "valueField": "Value", "emptyValue": "null",
		}},
		{"organize", map[string]any{
			"indexByName": index, "renameByName": map[string]string{first: heading},
			"excludeByName": map[string]bool{},
		}},
	}
}

// sortedBy returns the transformations that sort rows by the numbers in labels: the last one counts most.
func sortedBy(labels ...string) (all []transform) {
	for _, name := range labels {
		all = append(all,
			transform{"convertFieldType", map[string]any{
				"conversions": []any{map[string]string{"targetField": name, "destinationType": "number"}},
				"fields":      map[string]any{},
			}},
			transform{"sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{
				map[string]any{"field": name, "desc": false},
			}}})
	}
	return all
}

// wide is the property of a column of so many pixels.
func wide(pixels int) property { return property{"custom.width", pixels} }

// size returns the panel with another width and height.
func (p panel) size(w, h int) panel {
	p.GridPos.W, p.GridPos.H = w, h
	return p
}

// turning returns the panel with values from a limit on in a color.
func (p panel) turning(color string, from float64) panel {
	p.FieldConfig.Defaults.Thresholds.Steps = []step{{Color: "text"}, {color, &from}}
	return p
}

// words returns the panel with words instead of 0 and 1.
func (p panel) words(zero, one string) panel {
	p.FieldConfig.Defaults.Mappings = wordsFor(zero, one)
	return p
}

func wordsFor(zero, one string) []mapping {
	return []mapping{{"value", map[string]mappedValue{"0": {zero, "red"}, "1": {one, "text"}}}}
}
