package page

import (
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TimelinePanel is a panel that shows series over time. The X of a point is its time in seconds (UnixSeconds). The bars
// of the points of a series form a band.
type TimelinePanel struct {
	Title    string
	Subtitle string
	Narrow   bool      // as wide as other panels, not as wide as the page
	From, To time.Time // range of the time axis
	Y        Axis
	Level    float64 // a dashed line at this value of Y
	Series   []Series
	Changes  []Event // vertical lines, or bands for incidents, with text above the plot
	Events   []Event // marks at the time axis, with text below it
}

// Label returns a description of the panel as text.
func (t TimelinePanel) Label() string { return t.Title + ": " + t.Subtitle + " over time" }

func (t TimelinePanel) values() []panelValue {
	return valuesOfSeries(t.Series, func(x float64) string {
		return time.Unix(int64(x), 0).UTC().Format(time.RFC3339)
	})
}

func (t TimelinePanel) narrowed() Panel {
	t.Narrow = true
	return t
}

// Size returns the width and the height of the panel.
func (t TimelinePanel) Size() (vg.Length, vg.Length) {
	l := t.arrangeParts()
	return t.totalWidth(), headingHeight + eventHeight*vg.Length(l.rowsAbove) + plotHeight + l.heightBelow()
}

func (t TimelinePanel) totalWidth() vg.Length {
	if t.Narrow {
		return panelWidth
	}
	return pageWidth
}

// Sizes in a panel, in points except for maxEventRows.
const (
	plotHeight   = 190 // includes the labels of the time axis
	eventHeight  = 14  // height of a row of text
	maxEventRows = 5   // largest number of rows of text above the plot, and below it
	eventIndent  = 7   // distance between a text and its mark
)

// timelineLayout holds the positions of the parts of a panel.
type timelineLayout struct {
	plot                 *plot.Plot
	changes              []placedEvent
	events               []placedEvent
	rowsAbove, rowsBelow int // number of rows of text
	// space to the left of the plot, so that the time axes of all panels begin at the same x
	leftMargin vg.Length
}

// arrangeParts computes the layout of the panel.
func (t TimelinePanel) arrangeParts() timelineLayout {
	p, l := newPanelPlot(), timelineLayout{}
	l.plot = p
	w := t.totalWidth()
	x := timeAxis(t.From, t.To, w*0.85)
	p.X.Label.Text = x.Label
	x.configure(&p.X, w*0.88, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	t.Y.configure(&p.Y, plotHeight*0.75, func(string) vg.Length { return 2 * textSize })
	p.X.Padding = 4
	p.Add(grid{}, t)
	widest := vg.Length(0)
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		widest = max(widest, p.Y.Tick.Label.Width(tick.Label))
	}
	l.leftMargin = max(0, p.Y.Tick.Label.Width("0.000")-widest)
	area := p.DataCanvas(draw.Crop(draw.NewCanvas(nil, w, plotHeight), l.leftMargin, 0, 0, 0))
	at := func(of time.Time) vg.Length { return area.X(p.X.Norm(UnixSeconds(of))) }
	l.changes, l.rowsAbove = placeEvents(t.Changes, at, changeStyle, w)
	l.events, l.rowsBelow = placeEvents(t.Events, at, eventStyle, w)
	return l
}

// heightBelow returns the height of the text below the plot.
func (l timelineLayout) heightBelow() vg.Length {
	if l.rowsBelow == 0 {
		return 0
	}
	return eventHeight*vg.Length(l.rowsBelow) + 4
}

func (t TimelinePanel) drawPanel(c draw.Canvas) {
	l := t.arrangeParts()
	c = drawHeading(c, t.Title, t.Subtitle)
	inner := draw.Crop(c, l.leftMargin, 0, l.heightBelow(), -eventHeight*vg.Length(l.rowsAbove))
	area := l.plot.DataCanvas(inner)
	t.drawIncidents(area, l.plot)
	for _, e := range l.events {
		c.StrokeLine2(lineStyle(Grid, 1), c.Min.X+e.x, area.Min.Y, c.Min.X+e.x, area.Max.Y)
	}
	l.plot.Draw(inner)
	for _, n := range l.changes {
		x, y := c.Min.X+n.x, inner.Max.Y+eventHeight*(vg.Length(n.row)+0.5)
		if n.Text == "" {
			y = inner.Max.Y
		}
		bottom := area.Min.Y
		if !n.Until.IsZero() {
			bottom = area.Max.Y
		}
		c.StrokeLine2(lineStyle(Text, 1.4), x, bottom, x, y+eventHeight*0.4)
		c.FillText(changeStyle, vg.Point{X: c.Min.X + n.start, Y: y}, n.Text)
	}
	for _, e := range l.events {
		x := c.Min.X + e.x
		e.drawEvent(c, vg.Point{X: x, Y: area.Min.Y + 5})
		if e.Text != "" {
			y := inner.Min.Y - eventHeight*(vg.Length(e.row)+0.5)
			e.drawEvent(c, vg.Point{X: x, Y: y})
			c.FillText(eventStyle, vg.Point{X: c.Min.X + e.start, Y: y}, e.Text)
		}
	}
}

// drawIncidents draws a band for each incident, from half the usual distance of runs before its first run to as much
// after its last run.
func (t TimelinePanel) drawIncidents(area draw.Canvas, p *plot.Plot) {
	x := func(seconds float64) vg.Length {
		return min(max(area.X(p.X.Norm(seconds)), area.Min.X), area.Max.X)
	}
	aside := t.medianGap() / 2
	for _, e := range t.Changes {
		if !e.Until.IsZero() {
			area.FillPolygon(Grid, boxCorners(x(UnixSeconds(e.At)-aside), area.Min.Y, x(UnixSeconds(e.Until)+aside),
				area.Max.Y))
		}
	}
}

// Plot draws the level and the series on the canvas of a plot. It implements plot.Plotter.
func (t TimelinePanel) Plot(c draw.Canvas, p *plot.Plot) {
	usual := t.medianGap()
	apart := c.X(p.X.Norm(p.X.Min+usual)) - c.X(p.X.Norm(p.X.Min)) // usual distance between two runs
	if t.Level > p.Y.Min && t.Level < p.Y.Max {
		y := c.Y(p.Y.Norm(t.Level))
		c.StrokeLine2(dashedStyle(Muted), c.Min.X, y, c.Max.X, y)
	}
	shown := func(y float64) bool { return y >= p.Y.Min && y <= p.Y.Max }
	size, gap := min(1, max(0.4, float64(apart)/9)), t.newGapTest(usual)
	for _, s := range t.Series {
		s.drawBand(c, p, gap)
	}
	for i, s := range t.Series {
		aside := min(3, 0.2*apart) * (vg.Length(i) - vg.Length(len(t.Series)-1)/2)
		s.drawOverTime(c, func(x, y float64) vg.Point {
			return vg.Point{X: c.X(p.X.Norm(x)) + aside, Y: c.Y(p.Y.Norm(y))}
		}, shown, gap, size)
	}
}

// dashedStyle returns the style of the line at a level.
func dashedStyle(ink ThemeColour) draw.LineStyle {
	return draw.LineStyle{Color: ink, Width: 1.2, Dashes: []vg.Length{5, 3}}
}
