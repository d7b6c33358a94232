package page

import (
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the texts of events, in points except for maxEventRows.
const (
	eventHeight  = 14 // height of a row of text
	maxEventRows = 5  // largest number of rows of text above the plot, and below it
	eventIndent  = 7  // distance between a text and its mark
)

// placedEvent is an event with the position of its text.
type placedEvent struct {
	Event
	x, left, right vg.Length // x of the mark, and both ends of mark and text together
	start          vg.Length // left end of the text
	row            int       // row of the text; row 0 is next to the plot
}

// Text styles of changes and events.
var (
	changeStyle = boldStyle(textSize, text.XLeft, text.YCenter)
	eventStyle  = textStyle(Muted, textSize, text.XLeft, text.YCenter)
)

// placeEvents arranges the texts of events in rows, so that they do not overlap, and returns the height of the rows.
// The text of the latest event is in the row next to the plot. A text that is too long for the space beside its mark is
// shortened. If there are too many rows, the text is left out.
func (p Panel) placeEvents(events []Event, l panelLayout, sty text.Style) (all []placedEvent, height vg.Length) {
	a := plotArea{Canvas: l.axes.DataCanvas(draw.NewCanvas(nil, l.width, plotHeight)), axes: l.axes}
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return b.At.Compare(a.At) })
	for _, n := range events {
		p := placedEvent{Event: n, x: a.x(UnixSeconds(n.At))}
		right, left := l.width-p.x-eventIndent, p.x-eventIndent
		if sty.Width(n.Text) <= right || right >= left {
			p.Text = truncateText(sty, n.Text, right)
			p.start = p.x + eventIndent
		} else {
			p.Text = truncateText(sty, n.Text, left)
			p.start = p.x - eventIndent - sty.Width(p.Text)
		}
		p.left, p.right = min(p.start, p.x-4), max(p.start+sty.Width(p.Text), p.x+4)
		for _, o := range all {
			if o.Text != "" && p.left < o.right+8 && o.left < p.right+8 {
				p.row = max(p.row, o.row+1)
			}
		}
		if p.row >= maxEventRows {
			p.Text, p.row = "", 0
		}
		if p.Text != "" {
			height = max(height, eventHeight*vg.Length(p.row+1)+4)
		}
		all = append(all, p)
	}
	return all, height
}

// drawChange draws a change: a line through the plot, or above it for an incident, and the text. left is the left end
// of the panel, and top the upper end of the plot.
func (e placedEvent) drawChange(a plotArea, left, top vg.Length) {
	y, bottom := top+eventHeight*(vg.Length(e.row)+0.5), a.Min.Y
	if e.Text == "" {
		y = top
	}
	if !e.Until.IsZero() {
		bottom = a.Max.Y
	}
	a.StrokeLine2(lineStyle(Text, 1.4), left+e.x, bottom, left+e.x, y+eventHeight*0.4)
	a.FillText(changeStyle, vg.Point{X: left + e.start, Y: y}, e.Text)
}

// key returns the legend entry of the mark of an event.
func (e Event) key() LegendKey {
	if e.Failed {
		return failedKey
	}
	return changedKey
}

// drawEvent draws the mark of an event at the time axis and, below the plot, the mark again with the text. left is the
// left end of the panel, and bottom the lower end of the plot.
func (e placedEvent) drawEvent(a plotArea, left, bottom vg.Length) {
	key := e.key()
	marks := key.Marker.addOutline(nil, vg.Point{X: left + e.x, Y: a.Min.Y + 5}, 1)
	if e.Text != "" {
		y := bottom - eventHeight*(vg.Length(e.row)+0.5)
		marks = key.Marker.addOutline(marks, vg.Point{X: left + e.x, Y: y}, 1)
		a.FillText(eventStyle, vg.Point{X: left + e.start, Y: y}, e.Text)
	}
	drawMarkers(a.Canvas, key.Colour, marks, false)
}

// drawIncidents draws a band for each incident, from half the usual distance of runs before its first run to as much
// after its last run.
func (p Panel) drawIncidents(a plotArea) {
	aside := p.usualDistance(a) / 2
	for _, e := range p.Changes {
		if !e.Until.IsZero() {
			a.FillPolygon(Grid, boxCorners(max(a.Min.X, a.x(UnixSeconds(e.At))-aside), a.Min.Y,
				min(a.Max.X, a.x(UnixSeconds(e.Until))+aside), a.Max.Y))
		}
	}
}
