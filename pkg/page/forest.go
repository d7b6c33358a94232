package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Forest is a panel of ratios with their intervals, below one another.
type Forest struct {
	Title    string
	Subtitle string
	X        Axis     // of the ratios; what is above it is drawn at its end, with an arrow
	Rows     []Branch // from top to bottom
}

// Branch is a ratio of a forest.
type Branch struct {
	Key       Key    // its ink and marker
	Name      string // what it is the ratio of
	Words     string // what it means, beside the name
	Value     float64
	Low, High float64 // ends of the bar
	Interval  bool    // the bar is an interval, not a range
	Open      bool    // the marker is not filled
}

// branchHeight is the height of a row of a forest in points: a line of text, and a bar below it.
const branchHeight = 31

// Label describes the panel.
func (f Forest) Label() string { return f.Title + ": " + f.Subtitle }

// Size returns width and height of the panel.
func (f Forest) Size() (vg.Length, vg.Length) { return width, 60 + branchHeight*vg.Length(len(f.Rows)) }

func (f Forest) draw(c draw.Canvas) {
	c = heading(c, f.Title, f.Subtitle)
	p := axes()
	f.X.apply(&p.X, c.Max.X-c.Min.X, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	p.Y.Min, p.Y.Max = 0, float64(len(f.Rows))
	p.Y.Tick.Marker = plot.ConstantTicks(nil)
	p.Add(f)
	// half of a label may be beside the axis on either side
	p.Draw(draw.Crop(c, 16, -16, 0, 0))
}

// Plot draws the rows on the canvas of a plot. It implements plot.Plotter.
func (f Forest) Plot(c draw.Canvas, p *plot.Plot) {
	x := func(v float64) vg.Length { return c.X(p.X.Norm(math.Max(p.X.Min, math.Min(v, p.X.Max)))) }
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(line(Grid, 0.8), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	c.StrokeLine2(line(Muted, 1.2), x(1), c.Min.Y, x(1), c.Max.Y)
	name, words := style(Text, textSize, text.XLeft, text.YTop), style(Text, textSize, text.XRight, text.YTop)
	words.Font.Weight = heavy
	left, right := c.Min.X-16, c.Max.X+16
	for i, row := range f.Rows {
		top := c.Y(p.Y.Norm(float64(len(f.Rows) - i)))
		said := fit(words, row.Words, (right-left)*0.6)
		called := fit(name, row.Name, right-left-words.Width(said)-8)
		erase(c, vg.Point{X: left, Y: top - 1}, name.Width(called))
		erase(c, vg.Point{X: right - words.Width(said), Y: top - 1}, words.Width(said))
		c.FillText(name, vg.Point{X: left, Y: top - 1}, called)
		c.FillText(words, vg.Point{X: right, Y: top - 1}, said)
		if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
			continue
		}
		at := func(v float64) vg.Point { return vg.Point{X: x(v), Y: top - branchHeight*0.7} }
		if row.High > row.Low {
			bar(c, row.Key.Ink, at(row.Low), at(row.High), row.Interval, row.High > p.X.Max)
		}
		if row.Value > p.X.Max {
			arrow(c, row.Key.Ink, at(row.Value).Add(vg.Point{X: 3}), vg.Point{X: 1})
		}
		row.Key.Marker.draw(&c, row.Key.Ink, at(row.Value), row.Open)
	}
}

// erase removes lines behind a text of a width whose upper left corner is given.
func erase(c draw.Canvas, corner vg.Point, width vg.Length) {
	if width > 0 {
		c.FillPolygon(Paper, box(corner.X-1, corner.Y-textSize-2, corner.X+width+1, corner.Y+1))
	}
}
