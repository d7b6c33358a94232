package page

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LinePanel is a panel that shows series as lines with markers.
type LinePanel struct {
	Title            string
	Subtitle         string // text below the title; if empty, the label of Y is used
	X, Y             Axis
	Series           []Series
	LineAtOne        bool // draw a line at Y = 1, where both values of a ratio are equal
	ArrowsBeyondAxis bool // draw values above the Y axis at its upper end, with an arrow
}

// Series holds the points of one line and the legend entry of the line.
type Series struct {
	Key            LegendKey
	Points         []Point // in ascending order of X
	WithoutMarkers bool    // draw only the line, without markers, for a distribution
}

// Point is a median and its samples at one value of X. Values that an axis cannot show are left out: for example, 0 on
// a logarithmic axis.
type Point struct {
	X, Y      float64
	Low, High float64 // ends of the bar
	Interval  bool    // the bar is a confidence interval, not the range of the samples
	Hollow    bool    // the marker is not filled
	Dots      []Dot
}

// Dot is a sample.
type Dot struct {
	Y     float64
	Shape Shape
}

// Label returns a description of the panel as text.
func (l LinePanel) Label() string { return l.Title + ": " + l.Y.Label + " against " + l.X.Label }

// Size returns the width and the height of the panel.
func (l LinePanel) Size() (vg.Length, vg.Length) { return panelWidth, 260 }

func (l LinePanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, l.Title, cmp.Or(l.Subtitle, l.Y.Label))
	p := newPanelPlot()
	p.X.Label.Text = l.X.Label
	l.X.configure(&p.X, (c.Max.X-c.Min.X)*0.86,
		func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	l.Y.configure(&p.Y, (c.Max.Y-c.Min.Y)*0.8, func(string) vg.Length { return 2 * textSize })
	if l.ArrowsBeyondAxis {
		p.Y.Max += (p.Y.Max - p.Y.Min) / 16 // space for arrows
	}
	p.X.Padding = 4
	p.Add(grid{}, l)
	p.Draw(c)
}

// grid draws a horizontal line at each tick of the Y axis.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		y := c.Y(p.Y.Norm(t.Value))
		c.StrokeLine2(lineStyle(Grid, 0.8), c.Min.X, y, c.Max.X, y)
	}
}

// Horizontal distance in points between the markers of two series at the same X. loneMarkerDistance applies if all
// points have the same X.
const (
	markerDistance     = 5
	loneMarkerDistance = 20
)

// pointDistance returns the horizontal distance between the markers of two series at the same X, in points.
func (l LinePanel) pointDistance() vg.Length {
	at := map[float64]bool{}
	for _, s := range l.Series {
		for _, p := range s.Points {
			at[p.X] = true
		}
	}
	if len(at) == 1 {
		return loneMarkerDistance
	}
	return markerDistance
}

// Plot draws the series on the canvas of a plot: dots, then bars, then lines and markers. It implements
// plot.Plotter.
func (l LinePanel) Plot(c draw.Canvas, p *plot.Plot) {
	if l.LineAtOne {
		y := c.Y(p.Y.Norm(1))
		c.StrokeLine2(lineStyle(Muted, 1.2), c.Min.X, y, c.Max.X, y)
	}
	for i, s := range l.Series {
		var aside vg.Length
		if !s.WithoutMarkers {
			aside = l.pointDistance() * (vg.Length(i) - vg.Length(len(l.Series)-1)/2)
		}
		end := math.Inf(1) // values above end are drawn at end
		if l.ArrowsBeyondAxis {
			end = l.Y.Max
		}
		s.drawSeries(c, func(x, y float64) vg.Point {
			return vg.Point{X: c.X(p.X.Norm(x)) + aside, Y: c.Y(p.Y.Norm(min(y, end)))}
		}, func(x float64) bool { return x >= p.X.Min && x <= p.X.Max },
			func(y float64) bool { return min(y, end) >= p.Y.Min && min(y, end) <= p.Y.Max },
			func(y float64) bool { return y > end })
	}
}

// drawSeries draws the points of a series. The function at converts values to a position. across reports whether a
// value of X is within the X axis, and shown the same for Y. beyond reports whether a value of Y is above the axis and
// is drawn as an arrow.
func (s Series) drawSeries(c draw.Canvas, at func(x, y float64) vg.Point, across, shown, beyond func(float64) bool) {
	var path []vg.Point
	var open []bool
	for _, p := range s.Points {
		if !across(p.X) {
			continue
		}
		for _, d := range p.Dots {
			if shown(d.Y) {
				d.Shape.drawShape(&c, s.Key.Colour, at(p.X, d.Y))
			}
		}
		if !shown(p.Y) || math.IsNaN(p.Y) {
			continue
		}
		path, open = append(path, at(p.X, p.Y)), append(open, p.Hollow)
		if shown(p.Low) && shown(p.High) && p.High > p.Low {
			drawErrorBar(c, s.Key.Colour, at(p.X, p.Low), at(p.X, p.High), p.Interval, beyond(p.High))
		}
		if beyond(p.Y) {
			drawArrow(c, s.Key.Colour, at(p.X, p.Y).Add(vg.Point{Y: 3}), vg.Point{Y: 1})
		}
	}
	sty := lineStyle(s.Key.Colour, 1.4)
	if s.Key.Dashed {
		sty.Dashes = dashLengths
	}
	c.StrokeLines(sty, path)
	if s.WithoutMarkers {
		return
	}
	for i, pt := range path {
		s.Key.Marker.drawMarker(&c, s.Key.Colour, pt, open[i])
	}
}

// drawErrorBar draws an error bar from low to high. caps says whether its ends have caps, as for a confidence interval.
// If beyond is true, the upper end is an arrow, because it is above the axis.
func drawErrorBar(c draw.Canvas, ink ThemeColour, low, high vg.Point, caps, beyond bool) {
	sty, along := lineStyle(ink, 1), vg.Point{Y: 1}
	if high.Y == low.Y {
		along = vg.Point{X: 1}
	}
	across := vg.Point{X: 3 * along.Y, Y: 3 * along.X}
	c.StrokeLines(sty, []vg.Point{low, high})
	if caps {
		c.StrokeLines(sty, []vg.Point{low.Sub(across), low.Add(across)})
	}
	switch {
	case beyond:
		drawArrow(c, ink, high, along)
	case caps:
		c.StrokeLines(sty, []vg.Point{high.Sub(across), high.Add(across)})
	}
}

// drawArrow draws an arrowhead near the position at. along is the direction of the arrow, a vector of length 1.
func drawArrow(c draw.Canvas, ink ThemeColour, at, along vg.Point) {
	tip := at.Add(along.Scale(7))
	back, aside := along.Scale(-4), vg.Point{X: 3.5 * along.Y, Y: 3.5 * along.X}
	c.StrokeLines(lineStyle(ink, 1.4), []vg.Point{tip.Add(back).Sub(aside), tip, tip.Add(back).Add(aside)})
}

// Sort sorts the points by X. Points with the same X keep their order.
func (s Series) Sort() {
	slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
}
