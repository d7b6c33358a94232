package page

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LinePanel is a panel that shows series as lines with markers.
type LinePanel struct {
	Title    string
	Subtitle string // text below the title; if empty, the label of Y is used
	X, Y     Axis
	Series   []Series
}

// Series holds the points of one line and the legend entry of the line.
type Series struct {
	Key            LegendKey
	Points         []Point // in ascending order of X
	WithoutMarkers bool    // draw only the line, without markers
	EndText        string  // text to the right of the last point
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

// Label returns a description of the panel as text.
func (l LinePanel) Label() string {
	return l.Title + ": " + cmp.Or(l.Subtitle, l.Y.Label) + " against " + l.X.Label
}

func (l LinePanel) values() (all []panelValue) { return valuesOfSeries(l.Series, l.X.formatValue) }

// valuesOfSeries returns the values of the points of series. The function x formats their positions.
func valuesOfSeries(series []Series, x func(float64) string) (all []panelValue) {
	for _, s := range series {
		for _, p := range s.Points {
			v := panelValue{series: s.Key.Name, x: x(p.X), y: p.Y, low: p.Y, high: p.Y}
			if p.High > p.Low {
				v.low, v.high = p.Low, p.High
			}
			all = append(all, v)
		}
	}
	return all
}

// Size returns the width and the height of the panel.
func (l LinePanel) Size() (vg.Length, vg.Length) { return panelWidth, 260 }

func (l LinePanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, l.Title, cmp.Or(l.Subtitle, l.Y.Label))
	p := newPanelPlot()
	p.X.Label.Text = l.X.Label
	l.X.configure(&p.X, (c.Max.X-c.Min.X)*0.86,
		func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	l.Y.configure(&p.Y, (c.Max.Y-c.Min.Y)*0.8, func(string) vg.Length { return 2 * textSize })
	p.X.Padding = 4
	p.Add(grid{}, l)
	var end vg.Length
	for _, s := range l.Series {
		end = max(end, endTextStyle.Width(s.EndText))
	}
	p.Draw(draw.Crop(c, 0, -end, 0, 0))
}

// endTextStyle is the style of Series.EndText.
var endTextStyle = textStyle(Text, textSize, text.XLeft, tickLabelMiddle)

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

// Plot draws the series on the canvas of a plot: bars, then lines and markers. It implements plot.Plotter.
func (l LinePanel) Plot(c draw.Canvas, p *plot.Plot) {
	for i, s := range l.Series {
		var aside vg.Length
		if !s.WithoutMarkers {
			aside = l.pointDistance() * (vg.Length(i) - vg.Length(len(l.Series)-1)/2)
		}
		s.drawSeries(c, func(x, y float64) (at vg.Point, shown bool) {
			if !(x >= p.X.Min && x <= p.X.Max && y >= p.Y.Min && y <= p.Y.Max) {
				return at, false // a logarithmic axis cannot even convert it
			}
			return vg.Point{X: c.X(p.X.Norm(x)) + aside, Y: c.Y(p.Y.Norm(y))}, true
		})
	}
}

// drawSeries draws the points of a series. The function at converts values to a position, and reports whether the axes
// can show it.
func (s Series) drawSeries(c draw.Canvas, at func(x, y float64) (vg.Point, bool)) {
	var path []vg.Point
	var drawn []Point
	for _, p := range s.Points {
		middle, shown := at(p.X, p.Y)
		if !shown {
			continue
		}
		path, drawn = append(path, middle), append(drawn, p)
		low, fromShown := at(p.X, p.Low)
		high, toShown := at(p.X, p.High)
		if fromShown && toShown && p.High > p.Low {
			drawErrorBar(c, s.Key.Colour, low, high, p.Interval)
		}
	}
	sty := lineStyle(s.Key.Colour, 1.4)
	if s.Key.Dashed {
		sty.Dashes = dashLengths
	}
	c.StrokeLines(sty, path)
	if s.EndText != "" && len(path) > 0 {
		c.FillText(endTextStyle, path[len(path)-1].Add(vg.Point{X: 8}), s.EndText)
	}
	if s.WithoutMarkers {
		return
	}
	for i, p := range drawn {
		s.Key.Marker.drawMarker(&c, s.Key.Colour, path[i], p.Hollow)
		addMarkerText(c, s.Key.Colour, path[i], p.Text)
	}
}

// drawErrorBar draws an error bar from low to high. caps says whether its ends have caps, as for a confidence interval.
func drawErrorBar(c draw.Canvas, ink ThemeColour, low, high vg.Point, caps bool) {
	sty, along := lineStyle(ink, 1), vg.Point{Y: 1}
	if high.Y == low.Y {
		along = vg.Point{X: 1}
	}
	across := vg.Point{X: 3 * along.Y, Y: 3 * along.X}
	c.StrokeLines(sty, []vg.Point{low, high})
	if caps {
		c.StrokeLines(sty, []vg.Point{low.Sub(across), low.Add(across)})
		c.StrokeLines(sty, []vg.Point{high.Sub(across), high.Add(across)})
	}
}

// Sort sorts the points by X. Points with the same X keep their order.
func (s Series) Sort() {
	slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
}
