package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ForestPanel is a panel of ratios with their intervals, one below the other (a forest plot).
type ForestPanel struct {
	Title    string
	Subtitle string
	X        Axis             // the axis of the ratios; larger ratios are drawn at its end, with an arrow
	Rows     []ForestPanelRow // from top to bottom
}

// ForestPanelRow is one row of a forest plot: a ratio with its interval.
type ForestPanelRow struct {
	Key        LegendKey // ink and marker of the row
	Name       string    // what was compared
	Conclusion string    // the conclusion, to the right of the name
	Value      float64
	Low, High  float64 // ends of the bar
	Interval   bool    // the bar is a confidence interval, not the range of the samples
	Hollow     bool    // the marker is not filled
}

// forestRowHeight is the height of a row of a forest in points: a line of text, and the bar below it.
const forestRowHeight = 31

// Label returns a description of the panel as text.
func (f ForestPanel) Label() string { return f.Title + ": " + f.Subtitle }

// Size returns the width and the height of the panel.
func (f ForestPanel) Size() (vg.Length, vg.Length) {
	return panelWidth, 60 + forestRowHeight*vg.Length(len(f.Rows))
}

func (f ForestPanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, f.Title, f.Subtitle)
	p := newPanelPlot()
	f.X.configure(&p.X, c.Max.X-c.Min.X, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	p.Y.Min, p.Y.Max = 0, float64(len(f.Rows))
	p.Y.Tick.Marker = plot.ConstantTicks(nil)
	p.Add(f)
	// half of a tick label may extend beyond either end of the axis
	p.Draw(draw.Crop(c, 16, -16, 0, 0))
}

// Plot draws the rows on the canvas of a plot. It implements plot.Plotter.
func (f ForestPanel) Plot(c draw.Canvas, p *plot.Plot) {
	x := func(v float64) vg.Length { return c.X(p.X.Norm(math.Max(p.X.Min, math.Min(v, p.X.Max)))) }
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(lineStyle(Grid, 0.8), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	c.StrokeLine2(lineStyle(Muted, 1.2), x(1), c.Min.Y, x(1), c.Max.Y)
	name, words := textStyle(Text, textSize, text.XLeft, text.YTop), textStyle(Text, textSize, text.XRight, text.YTop)
	words.Font.Weight = boldWeight
	left, right := c.Min.X-16, c.Max.X+16
	for i, row := range f.Rows {
		top := c.Y(p.Y.Norm(float64(len(f.Rows) - i)))
		said := truncateText(words, row.Conclusion, (right-left)*0.6)
		called := truncateText(name, row.Name, right-left-words.Width(said)-8)
		eraseBehindText(c, vg.Point{X: left, Y: top - 1}, name.Width(called))
		eraseBehindText(c, vg.Point{X: right - words.Width(said), Y: top - 1}, words.Width(said))
		c.FillText(name, vg.Point{X: left, Y: top - 1}, called)
		c.FillText(words, vg.Point{X: right, Y: top - 1}, said)
		if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
			continue
		}
		at := func(v float64) vg.Point { return vg.Point{X: x(v), Y: top - forestRowHeight*0.7} }
		if row.High > row.Low {
			drawErrorBar(c, row.Key.Colour, at(row.Low), at(row.High), row.Interval, row.High > p.X.Max)
		}
		if row.Value > p.X.Max {
			drawArrow(c, row.Key.Colour, at(row.Value).Add(vg.Point{X: 3}), vg.Point{X: 1})
		}
		row.Key.Marker.drawMarker(&c, row.Key.Colour, at(row.Value), row.Hollow)
	}
}

// eraseBehindText paints the background colour where a text will be drawn, so that no line crosses it. corner is the
// upper left corner of the text.
func eraseBehindText(c draw.Canvas, corner vg.Point, width vg.Length) {
	if width > 0 {
		c.FillPolygon(Background, boxCorners(corner.X-1, corner.Y-textSize-2, corner.X+width+1, corner.Y+1))
	}
}
