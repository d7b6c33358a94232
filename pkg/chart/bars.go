package chart

import (
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a panel of bars that show the parts of a whole. All bars have the same length.
type Bars struct {
	Title    string
	Subtitle string
	Rows     []Row // from top to bottom
}

// Row is a bar. If it has no parts, it is a heading of the rows below it.
type Row struct {
	Name  string
	Parts []Part
	Whole string // describes the whole, beside the bar
}

// Part is a part of a bar. Its length is its share of the sum of all parts.
type Part struct {
	Ink   Ink
	Value float64 // not negative
}

// Label describes the panel.
func (b Bars) Label() string { return b.Title + ": " + b.Subtitle }

// barHeight is the height of a row in points.
const barHeight = 15

// Size returns width and height of the panel.
func (b Bars) Size() (vg.Length, vg.Length) { return width, 75 + barHeight*vg.Length(len(b.Rows)) }

func (b Bars) draw(c draw.Canvas) {
	c = heading(c, b.Title, b.Subtitle)
	p := axes()
	p.X.Min, p.X.Max = 0, 119 // room for Row.Whole to the right of 100 %
	p.Y.Min, p.Y.Max = -0.5, float64(len(b.Rows))-0.5
	p.X.Width = 0
	var across, down []plot.Tick
	for _, percent := range []int{0, 25, 50, 75, 100} {
		across = append(across, plot.Tick{Value: float64(percent), Label: strconv.Itoa(percent) + " %"})
	}
	for i, row := range b.Rows {
		down = append(down, plot.Tick{Value: b.y(i), Label: row.Name})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(across), plot.ConstantTicks(down)
	p.Add(b)
	p.Draw(c)
}

// y returns the vertical position of row i.
func (b Bars) y(i int) float64 { return float64(len(b.Rows) - 1 - i) }

// Plot draws the bars on the canvas of a plot. It implements plot.Plotter.
func (b Bars) Plot(c draw.Canvas, p *plot.Plot) {
	sty := style(Muted, textSize, text.XLeft, text.YCenter)
	for i, row := range b.Rows {
		sum := 0.0
		for _, part := range row.Parts {
			sum += part.Value
		}
		y, from := c.Y(p.Y.Norm(b.y(i))), 0.0
		for _, part := range row.Parts {
			if part.Value > 0 {
				to := from + part.Value/sum
				c.FillPolygon(part.Ink, box(c.X(p.X.Norm(100*from)), y-barHeight*0.36, c.X(p.X.Norm(100*to)),
					y+barHeight*0.36))
				from = to
			}
		}
		c.FillText(sty, vg.Point{X: c.X(p.X.Norm(100)) + 5, Y: y}, row.Whole)
	}
}
