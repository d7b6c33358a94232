package main

import (
	"fmt"
	"slices"

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
		Thresholds: thresholds{"absolute", []step{{Color: "green"}}},
	}}
	return p
}

// A file system has a hue, and an API a shade and a dash, by its pen.
var (
	hues   = []string{"blue", "orange"}
	shades = []string{"dark-%s", "semi-dark-%s", "%s", "light-%s"}
	dashes = [][]int{nil, {10, 6}, {2, 5}, {10, 5, 2, 5}}
)

// shade returns the colour of an API on a file system: the first or the second one.
func shade(filesystem int, a result.API) color {
	return color{"fixed", fmt.Sprintf(shades[a.PenIndex%len(shades)], hues[filesystem])}
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

// lines returns a panel with a line for each API on each of the two chosen file systems. expression makes the query of
// what selects a file system and an API.
func lines(title, unit, description, legend string, expression func(series string) string) panel {
	var targets []target
	var pens [][]property
	for i, selected := range []string{one, other} {
		for _, a := range result.APIs {
			targets = append(targets,
				q(expression(fmt.Sprintf("%s, api=%q", selected, a.Name)), "{{filesystem}} "+a.Label+legend))
			style := map[string]any{"fill": "solid"}
			if dash := dashes[a.PenIndex%len(dashes)]; dash != nil {
				style = map[string]any{"fill": "dash", "dash": dash}
			}
			pens = append(pens, []property{{"color", shade(i, a)}, {"custom.lineStyle", style}})
		}
	}
	p := series(title, unit, description, targets...)
	for i, pen := range pens {
		p = p.with(matcher{"byFrameRefID", p.Targets[i].RefID}, pen...)
	}
	return p
}

// hued returns a panel of queries that both made, with the hues of the two file systems.
func (p panel) hued() panel {
	for i, t := range p.Targets {
		p = p.with(matcher{"byFrameRefID", t.RefID}, property{"color", color{"fixed", hues[i]}})
	}
	return p
}

// with returns the panel with properties of the fields that match.
func (p panel) with(m matcher, all ...property) panel {
	p.FieldConfig.Overrides = append(slices.Clip(p.FieldConfig.Overrides), override{m, all})
	return p
}

// marked returns the panel with horizontal lines: green at 100 %, and red where an alert begins, if any does.
func (p panel) marked(alert *float64) panel {
	steps := []step{{Color: "transparent"}, {"green", new(1.0)}}
	if alert != nil {
		steps = slices.Insert(steps, 1, step{"red", alert})
	}
	p.FieldConfig.Defaults.Thresholds.Steps = steps
	p.FieldConfig.Defaults.Custom["thresholdsStyle"] = map[string]string{"mode": "line"}
	return p
}

// around returns the panel with an axis that includes at least these values.
func (p panel) around(low, high float64) panel {
	p.FieldConfig.Defaults.Custom["axisSoftMin"], p.FieldConfig.Defaults.Custom["axisSoftMax"] = low, high
	return p
}

// byName returns the panel with a color for each name.
func (p panel) byName() panel {
	p.FieldConfig.Defaults.Color.Mode = "palette-classic-by-name"
	return p
}

// fromZero lets the axis of values begin at 0, so that lengths and areas can be compared.
func (p panel) fromZero() panel {
	p.FieldConfig.Defaults.Min = new(float64)
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

// stats returns a panel that shows a number for each of the two file systems, with its name.
func stats(title, unit, description string, expression func(series string) string) panel {
	p := stat(title, unit, description, both(expression)...)
	p.Options["textMode"], p.Options["text"] = "value_and_name", map[string]int{"titleSize": 14, "valueSize": 20}
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

// matrix returns a panel that shows a row for each value of a label, under a heading, and a column for each value of
// another one, in the given order. Rows have the order of the numbers in the labels of by: the last one counts most.
func matrix(
	title, unit, description string, t target, row, heading, column string, order []string, by ...string,
) panel {
	t.Format = "table"
	p := newPanel("table", 12, 7, title, unit, description, []target{t})
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	p.FieldConfig.Defaults.Custom = map[string]any{"minWidth": 60}
	for _, name := range by {
		p.Transforms = append(p.Transforms,
			transform{"convertFieldType", map[string]any{
				"conversions": []any{map[string]string{"targetField": name, "destinationType": "number"}},
				"fields":      map[string]any{},
			}},
			transform{"sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{
				map[string]any{"field": name, "desc": false},
			}}})
	}
	first := row + `\` + column
	index := map[string]int{first: 0}
	for i, name := range order {
		index[name] = i + 1
	}
	p.Transforms = append(p.Transforms,
		transform{"groupingToMatrix", map[string]any{
			"columnField": column, "rowField": row, "valueField": "Value", "emptyValue": "null",
		}},
		transform{"organize", map[string]any{
			"indexByName": index, "renameByName": map[string]string{first: heading},
			"excludeByName": map[string]bool{},
		}})
	return p.with(matcher{"byName", heading}, property{"custom.width", 120},
		property{"custom.cellOptions", map[string]string{"type": "auto"}})
}

// bars are the properties of a column of bars in a color. All bars of a table have the same scale.
func bars(c color) []property {
	return []property{
		{"custom.cellOptions", map[string]string{"type": "gauge", "mode": "basic", "valueDisplayMode": "text"}},
		{"color", c},
	}
}

// wide is the property of a column of so many pixels.
func wide(pixels int) property { return property{"custom.width", pixels} }

// barred returns the panel with bars in the columns of APIs.
func (p panel) barred() panel {
	for _, a := range result.APIs {
		p = p.with(matcher{"byName", a.Label}, bars(shade(0, a))...)
	}
	return p.fromZero()
}

// apiNames returns the names of APIs for people, in their order.
func apiNames() (names []string) {
	for _, a := range result.APIs {
		names = append(names, a.Label)
	}
	return names
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

// atLeast returns the panel with values below a limit in red, and others in green.
func (p panel) atLeast(limit float64) panel {
	p.FieldConfig.Defaults.Thresholds.Steps = []step{{Color: "red"}, {"green", &limit}}
	return p
}

// colored returns the panel with the text of all values of a table in the colors of its thresholds.
func (p panel) colored() panel {
	p.FieldConfig.Defaults.Color = color{Mode: "thresholds"}
	p.FieldConfig.Defaults.Custom["cellOptions"] = map[string]string{"type": "color-text"}
	return p
}

// words returns the panel with words instead of 0 and 1.
func (p panel) words(zero, one string) panel {
	p.FieldConfig.Defaults.Mappings = wordsFor(zero, one)
	return p
}

func wordsFor(zero, one string) []mapping {
	return []mapping{{"value", map[string]mappedValue{"0": {zero, "red"}, "1": {one, "green"}}}}
}
