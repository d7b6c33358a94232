// This file draws small pictures of measured values with gonum/plot: as SVG, whose colours follow the theme of the
// reader, and as PNG.
//
// A median is a marker with a bar. A bar with caps is the interval of the median; a bar without caps is the range of
// the samples, if they are too few for an interval.

package page

import (
	"math"
	"slices"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Picture is a set of panels that belong together and share one legend.
type Picture struct {
	Name      string // used in file names and links: lower-case letters and hyphens
	Title     string
	Caption   string // what was measured, and how to read it
	Source    string // file system, host, date, conditions and version, for readers who see only the picture
	Keys      []LegendKey
	Panels    []Panel
	RowStarts []int // indices of the panels that begin a new row; 0 is not included
}

// Rows returns the panels, grouped by row.
func (f Picture) Rows() (rows [][]Panel) {
	from := 0
	for _, i := range append(slices.Clone(f.RowStarts), len(f.Panels)) {
		if i > from {
			rows = append(rows, f.Panels[from:i])
			from = i
		}
	}
	return rows
}

// Panel is one chart of a picture.
type Panel interface {
	// Label says what the panel shows.
	Label() string
	// Size returns the width and the height. At a scale of 1, a point is a CSS pixel.
	Size() (width, height vg.Length)
	drawPanel(draw.Canvas)
	// values returns the values that the panel shows, as rows with the columns of valueColumns after the first.
	values() []panelValue
}

// panelValue is a value that a panel shows. The numbers are in the units of its axes.
type panelValue struct {
	series    string // what is shown, such as an API
	x         string // position on the horizontal axis
	y         float64
	low, high float64 // ends of its bar; equal to y without a bar
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

// describeValues returns the range of the values of each series, for readers who cannot see a panel.
func describeValues(all []panelValue, format func(float64) string) string {
	if format == nil {
		format = func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
	}
	var words []string
	for _, g := range groupByKey(all, func(v panelValue) string { return v.series }) {
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
	return strings.Join(words, ", ")
}

// Widths of panels in points: of most, which is about the width of a mobile phone, and of those as wide as the page.
const (
	panelWidth = 360
	pageWidth  = 2*panelWidth + panelGap
)

// widePanel is a panel that may be as wide as the page.
type widePanel interface {
	// narrowed returns the panel with the width of other panels, or nil if it has it already.
	narrowed() Panel
}

// sansFont is the font of all text. Its glyphs have the widths of Arial and Helvetica.
var sansFont = font.Font{Typeface: "Liberation", Variant: "Sans"}

// tickLabelMiddle is the alignment that centres the labels of a vertical axis. It corrects that gonum/plot raises them
// by their descent.
const tickLabelMiddle = text.YCenter - 0.23

// Sizes of text.
const (
	titleSize  = 12
	textSize   = 10.5
	boldWeight = xfont.WeightBold

	headingHeight = titleSize + textSize + 12 // height of a title and the text below it
)

// textStyle returns the style of a text: its colour, its size in points and its alignment.
func textStyle(ink ThemeColour, size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: ink, Font: font.From(sansFont, size), XAlign: x, YAlign: y,
		Handler: plot.DefaultTextHandler,
	}
}

// lineStyle returns the style of a line: its colour and its width in points.
func lineStyle(ink ThemeColour, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: ink, Width: width}
}

// drawHeading draws title and subtitle at the top left, and returns the part of the canvas below them.
func drawHeading(c draw.Canvas, title, subtitle string) draw.Canvas {
	bold := textStyle(Text, titleSize, text.XLeft, text.YTop)
	bold.Font.Weight = boldWeight
	c.FillText(bold, vg.Point{X: c.Min.X, Y: c.Max.Y}, truncateText(bold, title, c.Max.X-c.Min.X))
	small := textStyle(Muted, textSize, text.XLeft, text.YTop)
	c.FillText(small, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize - 4}, truncateText(small, subtitle, c.Max.X-c.Min.X))
	return draw.Crop(c, 0, 0, 0, -headingHeight)
}

// truncateText shortens the text until it is at most as wide as width.
func truncateText(sty text.Style, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && sty.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// newPanelPlot returns a plot without data. It has a line for the horizontal axis, but none for the vertical one, as in
// all panels.
func newPanelPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = lineStyle(Muted, 0.8)
		a.Tick.LineStyle = lineStyle(Muted, 0.8)
		a.Tick.Length = 3
		a.Label.Padding = 3
	}
	p.X.Tick.Label = textStyle(Muted, textSize, text.XCenter, text.YTop)
	p.Y.Tick.Label = textStyle(Muted, textSize, text.XRight, tickLabelMiddle)
	p.X.Label.TextStyle = textStyle(Muted, textSize, text.XCenter, text.YBottom)
	p.Y.Label.TextStyle = textStyle(Muted, textSize, text.XCenter, text.YBottom)
	p.Y.Width, p.Y.Tick.Length = 0, 0
	return p
}
