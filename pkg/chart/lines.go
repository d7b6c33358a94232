package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines is a panel of series.
type Lines struct {
	Title  string
	Below  string // text below the title; empty for the label of Y
	X, Y   Axis
	Series []Series
	Even   bool // draw a line at Y = 1, where both values of a ratio are equal
}

// Series is the points that belong to one key.
type Series struct {
	Key    Key
	Points []Point // in ascending order of X
	Bare   bool    // draw a line only, as for a distribution
}

// Point is a median and its samples at one value of X. What an axis cannot show is left out, as zero on a
// logarithmic axis.
type Point struct {
	X, Y      float64
	Low, High float64 // ends of the bar
	Interval  bool    // the bar is an interval, not a range
	Open      bool    // the marker is not filled
	Dots      []Dot
}

// Dot is a sample.
type Dot struct {
	Y     float64
	Shape Shape
}

// Label describes the panel.
func (l Lines) Label() string { return l.Title + ": " + l.Y.Label + " against " + l.X.Label }

// Size returns width and height of the panel.
func (l Lines) Size() (vg.Length, vg.Length) { return width, 260 }

func (l Lines) draw(c draw.Canvas) {
	c = heading(c, l.Title, cmp.Or(l.Below, l.Y.Label))
	p := axes()
	p.X.Label.Text = l.X.Label
	l.X.apply(&p.X, (c.Max.X-c.Min.X)*0.86, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	l.Y.apply(&p.Y, (c.Max.Y-c.Min.Y)*0.8, func(string) vg.Length { return 2 * textSize })
	p.X.Padding = 4
	p.Add(grid{}, l)
	p.Draw(c)
}

// grid draws a line at each tick of Y.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		y := c.Y(p.Y.Norm(t.Value))
		c.StrokeLine2(line(Grid, 0.8), c.Min.X, y, c.Max.X, y)
	}
}

// beside is the distance in points between the points of two series at the same X.
const beside = 5

// Plot draws the series on the canvas of a plot: dots, then bars, then lines and markers. It implements
// plot.Plotter.
func (l Lines) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Even {
		y := c.Y(p.Y.Norm(1))
		c.StrokeLine2(line(Muted, 1.2), c.Min.X, y, c.Max.X, y)
	}
	for i, s := range l.Series {
		var aside vg.Length
		if !s.Bare {
			aside = beside * (vg.Length(i) - vg.Length(len(l.Series)-1)/2)
		}
		s.plot(c, func(x, y float64) vg.Point {
			return vg.Point{X: c.X(p.X.Norm(x)) + aside, Y: c.Y(p.Y.Norm(y))}
		}, func(x float64) bool { return x >= p.X.Min && x <= p.X.Max },
			func(y float64) bool { return y >= p.Y.Min && y <= p.Y.Max })
	}
}

// plot draws what there is room for, by across and shown, at the places that at returns.
func (s Series) plot(c draw.Canvas, at func(x, y float64) vg.Point, across, shown func(float64) bool) {
	var path []vg.Point
	var open []bool
	for _, p := range s.Points {
		if !across(p.X) {
			continue
		}
		for _, d := range p.Dots {
			if shown(d.Y) {
				d.Shape.draw(&c, s.Key.Ink, at(p.X, d.Y))
			}
		}
		if !shown(p.Y) || math.IsNaN(p.Y) {
			continue
		}
		path, open = append(path, at(p.X, p.Y)), append(open, p.Open)
		if shown(p.Low) && shown(p.High) && p.High > p.Low {
			bar(c, s.Key.Ink, at(p.X, p.Low), at(p.X, p.High), p.Interval)
		}
	}
	c.StrokeLines(line(s.Key.Ink, 1.4), path)
	if s.Bare {
		return
	}
	for i, pt := range path {
		s.Key.Marker.draw(&c, s.Key.Ink, pt, open[i])
	}
}

// bar draws a bar, with caps if it is an interval.
func bar(c draw.Canvas, ink Ink, low, high vg.Point, caps bool) {
	c.StrokeLine2(line(ink, 1), low.X, low.Y, high.X, high.Y)
	if caps {
		c.StrokeLine2(line(ink, 1), low.X-3, low.Y, low.X+3, low.Y)
		c.StrokeLine2(line(ink, 1), high.X-3, high.Y, high.X+3, high.Y)
	}
}

// Sort sorts the points by X. Points with the same X keep their order.
func (s Series) Sort() {
	slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
}
