// This file describes small pictures of measured values. Other files draw them with gonum/plot: as SVG, whose colours
// follow the theme of the reader, and as PNG.
//
// A median is a marker with a bar. A bar with caps is the interval of the median; a bar without caps is the range of
// the samples, if they are too few for an interval.

package page

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Picture is a set of panels that belong together and share one legend.
type Picture struct {
	Name    string // used in file names and links: lower-case letters and hyphens
	Title   string
	Caption string // what was measured, and how to read it
	Source  string // file system, host, date, conditions and version, for readers who see only the picture
	Keys    []LegendKey
	Panels  []Panel // ordered by their rows
}

// Rows returns the panels, grouped by row.
func (f Picture) Rows() (rows [][]Panel) {
	for _, g := range groupByKey(f.Panels, func(p Panel) int { return p.Row }) {
		rows = append(rows, g.items)
	}
	return rows
}

// maxShownPanels is the largest number of panels of a picture that a page shows at first, besides wide ones.
const maxShownPanels = 6

// Part returns the picture with only those panels that a page shows at first or, if folded is true, with the others.
func (f Picture) Part(folded bool) Picture {
	shown := len(f.Panels)
	if shown > maxShownPanels && !f.Panels[0].Wide {
		shown = maxShownPanels
	}
	if folded {
		f.Panels = f.Panels[shown:]
	} else {
		f.Panels = f.Panels[:shown]
	}
	return f
}

// Columns returns the number of panels in the longest row that a page shows at first. A wide panel counts as two.
func (f Picture) Columns() int {
	n := 1
	for _, row := range f.Part(false).Rows() {
		if n = max(n, len(row)); row[0].Wide {
			n = max(n, 2)
		}
	}
	return n
}

// Panel is one chart of a picture. It shows series as lines with markers against X or, if it has rows, the values of
// the rows, one below the other.
type Panel struct {
	Title    string
	Subtitle string
	Row      int  // row of the picture
	Wide     bool // as wide as the page
	X, Y     Axis
	Level    float64 // a dashed line at this value of Y or, for rows, of X; without it, rows have bars from 0
	Series   []Series
	Rows     []Row   // from top to bottom
	Changes  []Event // vertical lines, or bands for incidents, with text above the plot; X is time
	Events   []Event // marks at the time axis, with text below it
}

// Series holds the points of one line and the legend entry of the line. Over time, the bars of its points form a band.
type Series struct {
	Key            LegendKey
	Points         []Point // in ascending order of X
	WithoutMarkers bool    // draw only the line, without markers
	EndText        string  // text to the right of the plot, at the height of the last point
}

// Point is a median at one value of X. Values that an axis cannot show are left out: for example, 0 on a logarithmic
// axis.
type Point struct {
	X, Y      float64
	Low, High float64 // ends of the bar
	Interval  bool    // the bar is a confidence interval, not the range of the samples
	Hollow    bool    // the marker is not filled: there is a caution about the point
	Text      string  // shown while the mouse is over the marker
}

// Row is one row of a panel: a value with its interval, or the parts of a sum.
type Row struct {
	Key        LegendKey // colour and marker of the row
	Name       string    // what the value is of
	Conclusion string    // the value or the conclusion, to the right of the name
	Note       string    // more about it, below the bar
	Value      float64   // NaN if there is none
	Low, High  float64   // ends of the bar
	Interval   bool      // the bar is a confidence interval, not the range of the samples
	Hollow     bool      // the marker or the bar is not filled
	Segments   []Segment // the parts of the value
}

// Segment is a coloured part of the bar of a Row, such as the time of transfers.
type Segment struct {
	Name      string
	Colour    ThemeColour
	Value     float64 // the length; not negative
	Bracketed bool    // there is a bracket below all these segments of a bar, which are the first ones
}

// Event is a mark at a time in a panel over time, with a text.
type Event struct {
	At     time.Time
	Until  time.Time // start of the last run of an incident; otherwise zero
	Text   string    // may be empty
	Failed bool      // the run has no results: the mark is a cross instead of a triangle
}

// Label returns a description of the panel as text.
func (p Panel) Label() string {
	switch {
	case p.Rows != nil:
		return p.Title + ": " + p.Subtitle
	case p.X.Time:
		return p.Title + ": " + p.Subtitle + " over time"
	}
	return p.Title + ": " + p.Subtitle + " against " + p.X.Label
}

// Narrow returns the panel with the width of a panel that is not wide.
func (p Panel) Narrow() Panel {
	p.Wide = false
	return p
}

// panelValue is a value that a panel shows. The numbers are in the units of its axes.
type panelValue struct {
	series    string // what is shown, such as an API
	x         string // position on the horizontal axis
	y         float64
	low, high float64 // ends of its bar; equal to y without a bar
}

// values returns the values that the panel shows.
func (p Panel) values() (all []panelValue) {
	for _, s := range p.Series {
		for _, at := range s.Points {
			v := panelValue{s.Key.Name, p.X.formatValue(at.X), at.Y, at.Y, at.Y}
			if at.High > at.Low {
				v.low, v.high = at.Low, at.High
			}
			all = append(all, v)
		}
	}
	for _, r := range p.Rows {
		if r.Segments == nil {
			all = append(all, panelValue{r.Name, r.Conclusion, r.Value, r.Low, r.High})
		}
		for _, s := range r.Segments {
			all = append(all, panelValue{s.Name, r.Name, s.Value, s.Value, s.Value})
		}
	}
	return all
}

// Table returns all values of the picture as a table with headings.
func (f Picture) Table() [][]string {
	rows := [][]string{{"panel", "series", "x", "value", "low", "high"}}
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	for _, p := range f.Panels {
		for _, v := range p.values() {
			rows = append(rows, []string{p.Label(), v.series, v.x, number(v.y), number(v.low), number(v.high)})
		}
	}
	return rows
}

// describe returns the label of the panel and the range of the values of each series, for readers who cannot see it.
func (p Panel) describe() string {
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
	var words []string
	for _, g := range groupByKey(p.values(), func(v panelValue) string { return v.series }) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range g.items {
			if !math.IsNaN(v.y) && !math.IsInf(v.y, 0) {
				low, high = min(low, v.y), max(high, v.y)
			}
		}
		switch {
		case low > high:
		case format(low) == format(high):
			words = append(words, g.key+" "+format(low))
		default:
			words = append(words, g.key+" "+format(low)+" to "+format(high))
		}
	}
	return joinNonEmpty(". ", p.Label(), strings.Join(words, ", "))
}
