package page

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// BarPanel is a panel of horizontal bars. Each bar consists of parts. All bars share one axis, so their lengths can be
// compared.
type BarPanel struct {
	Title    string
	Subtitle string
	X        Axis  // the axis of the lengths; it begins at 0
	Rows     []Bar // from top to bottom
}

// Bar is one row of a panel of bars. Without parts, it is a heading for the rows below it.
type Bar struct {
	Name      string
	Segments  []Segment
	TotalText string // text at the end of the bar about the sum of its parts
}

// Segment is a coloured part of a Bar, such as the time of transfers.
type Segment struct {
	Name      string
	Colour    ThemeColour
	Value     float64 // the length; not negative
	Bracketed bool    // there is a bracket below all these segments of a bar, which are the first ones
}

// TotalLength returns the sum of the lengths of the parts.
func (r Bar) TotalLength() (sum float64) {
	for _, part := range r.Segments {
		sum += part.Value
	}
	return sum
}

// Label returns a description of the panel as text.
func (b BarPanel) Label() string { return b.Title + ": " + b.Subtitle }

func (b BarPanel) values() (all []panelValue) {
	for _, r := range b.Rows {
		all = append(all, valuesOfSegments(r.Name, r.Segments)...)
	}
	return all
}

// valuesOfSegments returns the values of the segments of a bar or column at position x.
func valuesOfSegments(x string, segments []Segment) (all []panelValue) {
	for _, s := range segments {
		all = append(all, panelValue{series: s.Name, x: x, y: s.Value, low: s.Value, high: s.Value})
	}
	return all
}

// barHeight is the height of a row in points.
const barHeight = 19

// panelPerBar is the width of a panel divided by the length of its longest bar. The rest is for Bar.TotalText.
const panelPerBar = 1.24

// Size returns the width and the height of the panel.
func (b BarPanel) Size() (vg.Length, vg.Length) {
	return panelWidth, 75 + barHeight*vg.Length(len(b.Rows))
}

func (b BarPanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, b.Title, b.Subtitle)
	p := newPanelPlot()
	var down []plot.Tick
	var names vg.Length
	for i, row := range b.Rows {
		down = append(down, plot.Tick{Value: b.rowPosition(i), Label: row.Name})
		names = max(names, p.Y.Tick.Label.Width(row.Name))
	}
	p.Y.Tick.Marker = plot.ConstantTicks(down)
	b.X.configure(&p.X, (c.Max.X-c.Min.X-names)/panelPerBar, func(label string) vg.Length {
		return p.X.Tick.Label.Width(label) + 12
	})
	p.X.Min, p.X.Max = 0, b.X.Max*panelPerBar
	p.Y.Min, p.Y.Max = -0.5, float64(len(b.Rows))-0.5
	p.X.Width = 0
	p.Add(b)
	p.Draw(c)
}

// rowPosition returns the vertical position of row i.
func (b BarPanel) rowPosition(i int) float64 { return float64(len(b.Rows) - 1 - i) }

// Plot draws the bars on the canvas of a plot, with a line at each tick. It implements plot.Plotter.
func (b BarPanel) Plot(c draw.Canvas, p *plot.Plot) {
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		x := c.X(p.X.Norm(t.Value))
		c.StrokeLine2(lineStyle(Grid, 0.8), x, c.Min.Y, x, c.Max.Y)
	}
	sty := textStyle(Muted, textSize, text.XLeft, text.YCenter)
	for i, row := range b.Rows {
		y, from, counted := c.Y(p.Y.Norm(b.rowPosition(i))), 0.0, 0.0
		for _, part := range row.Segments {
			if part.Value > 0 {
				to := min(from+part.Value, p.X.Max)
				corners := boxCorners(c.X(p.X.Norm(from)), y-barHeight*0.2, c.X(p.X.Norm(to)), y+barHeight*0.4)
				c.FillPolygon(part.Colour, corners)
				addHoverText(c, part.Colour, corners[0], corners[2],
					joinNonEmpty(", ", row.Name, part.Name+" "+b.X.formatTick(part.Value)))
				if from = to; part.Bracketed {
					counted = to
				}
			}
		}
		c.FillText(sty, vg.Point{X: c.X(p.X.Norm(from)) + 5, Y: y}, row.TotalText)
		if left, right, low := c.Min.X, c.X(p.X.Norm(counted)), y-barHeight*0.42; counted > 0 {
			c.StrokeLines(lineStyle(Text, 1), []vg.Point{
				{X: left, Y: low + 2.5}, {X: left, Y: low}, {X: right, Y: low}, {X: right, Y: low + 2.5},
			})
		}
	}
}
