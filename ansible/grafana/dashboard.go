package main

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
	Annotations   struct {
		List []annotation `json:"list"`
	} `json:"annotations"`
	Templating struct {
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

// annotation is a query whose answers are marked in all panels with a time axis. With UseValueForTime, a value is the
// time of the mark, in milliseconds. Otherwise it is marked where the value is greater than 0.
type annotation struct {
	Name            string `json:"name"`
	Datasource      source `json:"datasource"`
	Enable          bool   `json:"enable"`
	IconColor       string `json:"iconColor"`
	Expr            string `json:"expr"`
	Step            string `json:"step"`
	TitleFormat     string `json:"titleFormat"`
	TextFormat      string `json:"textFormat"`
	UseValueForTime bool   `json:"useValueForTime"`
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

	// of a row: whether it is folded, and the panels in it
	Collapsed bool    `json:"collapsed,omitempty"`
	Panels    []panel `json:"panels,omitempty"`
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
	Defaults  field      `json:"defaults"`
	Overrides []override `json:"overrides"`
}

type field struct {
	Unit       string         `json:"unit"`
	Min        *float64       `json:"min,omitempty"`
	Decimals   *int           `json:"decimals,omitempty"`
	NoValue    string         `json:"noValue,omitempty"` // shown in place of a value that is missing
	Color      color          `json:"color"`
	Thresholds thresholds     `json:"thresholds"`
	Mappings   []mapping      `json:"mappings"`
	Links      []dataLink     `json:"links,omitempty"`
	Custom     map[string]any `json:"custom,omitempty"`
}

// override sets properties of the fields that match: those of a column, or those of the series of a query.
type override struct {
	Matcher    matcher    `json:"matcher"`
	Properties []property `json:"properties"`
}

type matcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

type property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

type color struct {
	Mode  string `json:"mode"`
	Fixed string `json:"fixedColor,omitempty"`
}

// dataLink is a link of a value.
type dataLink struct {
	Title string `json:"title"`
	URL   string `json:"url"`
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
	Type    string `json:"type"`
	Options any    `json:"options"` // of value: map[string]mappedValue; of regex: pattern
}

type pattern struct {
	Pattern string      `json:"pattern"`
	Result  mappedValue `json:"result"`
}

type mappedValue struct {
	Text  string `json:"text,omitempty"`
	Color string `json:"color,omitempty"`
}

type transform struct {
	ID      string         `json:"id"`
	Options map[string]any `json:"options"`
}

// newDashboard arranges panels in the given order, in rows of 24 columns. from is the start of the time range.
func newDashboard(uid, title, description, from string, variables []variable, panels ...panel) dashboard {
	d := dashboard{
		UID: uid, Title: title, Description: description, SchemaVersion: 41, Timezone: "utc", Refresh: "5m",
		Tags: tags{"h5perf"}, Time: span{from, "now"},
		Links: []link{{
			Title: "h5perf", Type: "dashboards", Icon: "external link", Tags: tags{"h5perf"},
			IncludeVars: true, KeepTime: true,
		}},
	}
	d.Templating.List, d.Annotations.List = variables, []annotation{}
	id, below := 0, 0
	d.Panels = arrange(panels, &id, &below)
	return d
}

// arrange returns panels one after the other, in rows of 24 columns. The panels of a folded row are below it. id is the
// last ID that was given, below the first free line; both are moved on.
func arrange(panels []panel, id, below *int) (arranged []panel) {
	x, h := 0, 0
	for _, p := range panels {
		if x+p.GridPos.W > 24 {
			x, h, *below = 0, 0, *below+h
		}
		*id++
		p.ID, p.GridPos.X, p.GridPos.Y = *id, x, *below
		x, h = x+p.GridPos.W, max(h, p.GridPos.H)
		if p.Panels != nil {
			x, h, *below = 0, 0, *below+h
			p.Panels = arrange(p.Panels, id, below)
		}
		arranged = append(arranged, p)
	}
	*below += h
	return arranged
}

// allPanels returns the panels of the dashboard, and those in its folded rows in place of the rows.
func (d dashboard) allPanels() (all []panel) {
	for _, p := range d.Panels {
		if p.Panels != nil {
			all = append(all, p.Panels...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// annotated returns the dashboard with annotations.
func (d dashboard) annotated(all ...annotation) dashboard {
	d.Annotations.List = all
	return d
}
