package page

import (
	"slices"
	"time"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Event is a mark at a time in a timeline, with a text.
type Event struct {
	At     time.Time
	Until  time.Time // start of the last run of an incident; otherwise zero
	Text   string    // may be empty
	Failed bool      // the run has no results: the mark is a cross instead of a triangle
}

// drawEvent draws the mark of an event.
func (e Event) drawEvent(c draw.Canvas, at vg.Point) {
	if e.Failed {
		for _, side := range []vg.Length{1, -1} {
			c.StrokeLine2(lineStyle(Text, 1.6), at.X-3.5, at.Y-3.5*side, at.X+3.5, at.Y+3.5*side)
		}
		return
	}
	c.FillPolygon(Muted, []vg.Point{
		at.Add(vg.Point{X: -4, Y: -3.5}), at.Add(vg.Point{X: 4, Y: -3.5}),
		at.Add(vg.Point{Y: 3.5}),
	})
}

// placedEvent is an event with the position of its text.
type placedEvent struct {
	Event
	x, left, right vg.Length // x of the mark, and both ends of mark and text together
	start          vg.Length // left end of the text
	row            int       // row of the text; row 0 is next to the plot
}

// Text styles of a timeline.
var (
	changeStyle = func() text.Style {
		s := textStyle(Text, textSize, text.XLeft, text.YCenter)
		s.Font.Weight = boldWeight
		return s
	}()
	eventStyle = textStyle(Muted, textSize, text.XLeft, text.YCenter)
)

// placeEvents arranges the texts of events in rows, so that they do not overlap, and returns the number of rows. The
// text of the latest event is in the row next to the plot. A text that is too long for the space beside its mark is
// shortened. If there are too many rows, the text is left out.
func placeEvents(
	events []Event, at func(time.Time) vg.Length, sty text.Style, width vg.Length,
) (all []placedEvent, rows int) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return b.At.Compare(a.At) })
	for _, n := range events {
		p := placedEvent{Event: n, x: at(n.At)}
		right, left := width-p.x-eventIndent, p.x-eventIndent
		need := sty.Width(n.Text)
		if need <= right || right >= left {
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
			rows = max(rows, p.row+1)
		}
		all = append(all, p)
	}
	return all, rows
}
