package page

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ColumnPanel is a panel (bar chart) of vertical columns. Each column consists of parts, one above the other.
type ColumnPanel struct {
	Title    string
	Subtitle string
	X, Y     Axis // Y begins at 0
	Columns  []Column
}

// Column is a column of a panel. It covers the part of the X axis between From and To.
type Column struct {
	From, To float64
	Segments []Segment // from bottom to top
}

// TotalHeight returns the sum of the heights of the parts.
func (c Column) TotalHeight() (sum float64) {
	for _, part := range c.Segments {
		sum += part.Value
	}
	return sum
}

// Label returns a description of the panel as text.
func (l ColumnPanel) Label() string { return l.Title + ": " + l.Subtitle + " against " + l.X.Label }

// Size returns the width and the height of the panel.
func (l ColumnPanel) Size() (vg.Length, vg.Length) { return panelWidth, 200 }

func (l ColumnPanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, l.Title, l.Subtitle)
	p := newPanelPlot()
	p.X.Label.Text = l.X.Label
	l.X.configure(&p.X, (c.Max.X-c.Min.X)*0.86,
		func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	l.Y.configure(&p.Y, (c.Max.Y-c.Min.Y)*0.8, func(string) vg.Length { return 2 * textSize })
	p.X.Padding = 4
	p.Add(grid{}, l)
	p.Draw(c)
}

// Plot draws the columns on the canvas of a plot. It implements plot.Plotter.
func (l ColumnPanel) Plot(c draw.Canvas, p *plot.Plot) {
	x := func(v float64) vg.Length { return c.X(p.X.Norm(max(p.X.Min, min(v, p.X.Max)))) }
	for _, column := range l.Columns {
		left, right, from := x(column.From), x(column.To), 0.0
		gap := min(1, (right-left)/8)
		for _, part := range column.Segments {
			if part.Value <= 0 {
				continue
			}
			to := min(from+part.Value, p.Y.Max)
			c.FillPolygon(part.Colour, boxCorners(left+gap, c.Y(p.Y.Norm(from)), right-gap, c.Y(p.Y.Norm(to))))
			from = to
		}
	}
}
