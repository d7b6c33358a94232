package page

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Sizes of rows in points.
const (
	rowLineHeight = 31 // a line of text and a bar below it
	rowNoteHeight = 15
	rowMargin     = 16 // to the left and to the right of the axis: half of a tick label may extend beyond an end
	halfBar       = 5
)

// rowHeight returns the height of each row.
func (p Panel) rowHeight() vg.Length {
	for _, r := range p.Rows {
		if r.Note != "" {
			return rowLineHeight + rowNoteHeight
		}
	}
	return rowLineHeight
}

// drawRows draws the rows of the panel.
func (p Panel) drawRows(a plotArea) {
	for _, t := range a.axes.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		a.StrokeLine2(lineStyle(Grid, 0.8), a.x(t.Value), a.Min.Y, a.x(t.Value), a.Max.Y)
	}
	if p.Level > p.X.Min && p.Level < p.X.Max {
		a.StrokeLine2(dashedStyle(Muted), a.x(p.Level), a.Min.Y, a.x(p.Level), a.Max.Y)
	}
	for i, r := range p.Rows {
		top := a.at(0, float64(len(p.Rows)-i)).Y
		r.drawWords(a, top)
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			continue
		}
		middle, ink := top-rowLineHeight*0.7, r.Key.Colour
		at := func(v float64) vg.Point { return vg.Point{X: a.x(v), Y: middle} }
		if r.Segments != nil {
			r.drawSegments(a, middle, p.X.formatTick)
			continue
		}
		if p.Level == 0 {
			corners := boxCorners(a.Min.X, middle-halfBar, a.x(r.Value), middle+halfBar)
			if r.Hollow {
				a.StrokeLines(lineStyle(ink, 1), append(corners, corners[0]))
			} else {
				a.FillPolygon(fadedColour{ink}, corners)
				a.StrokeLines(lineStyle(ink, 2), corners[1:3])
			}
		}
		if r.High > r.Low {
			a.drawErrorBar(ink, at(r.Low), at(r.High), r.Interval)
		}
		if p.Level != 0 {
			drawMarkers(a.Canvas, ink, r.Key.Marker.addOutline(nil, at(r.Value), 1), r.Hollow)
		}
		a.addHover(ink, vg.Point{X: a.Min.X, Y: top - rowLineHeight}, vg.Point{X: a.Max.X, Y: top},
			joinNonEmpty(", ", r.Name+": "+r.Conclusion, r.Note))
	}
}

// drawSegments draws the bar of a row that consists of parts. The function format formats their lengths.
func (r Row) drawSegments(a plotArea, middle vg.Length, format func(float64) string) {
	from, counted := 0.0, 0.0
	for _, part := range r.Segments {
		if part.Value <= 0 {
			continue
		}
		corners := boxCorners(a.x(from), middle-halfBar, a.x(from+part.Value), middle+halfBar)
		a.FillPolygon(part.Colour, corners)
		a.addHover(part.Colour, corners[0], corners[2], joinNonEmpty(", ", r.Name, part.Name+" "+format(part.Value)))
		if from += part.Value; part.Bracketed {
			counted = from
		}
	}
	if right, low := a.x(counted), middle-halfBar-4; counted > 0 {
		a.StrokeLines(lineStyle(Text, 1), []vg.Point{
			{X: a.Min.X, Y: low + 2.5}, {X: a.Min.X, Y: low}, {X: right, Y: low}, {X: right, Y: low + 2.5},
		})
	}
}

// drawWords draws the texts of a row, whose upper end is at top. The background is painted behind them, so that no line
// crosses them.
func (r Row) drawWords(a plotArea, top vg.Length) {
	name, words := textStyle(Text, textSize, text.XLeft, text.YTop), boldStyle(textSize, text.XRight, text.YTop)
	note := textStyle(Muted, textSize, text.XLeft, text.YTop)
	left, right := a.Min.X-rowMargin, a.Max.X+rowMargin
	said := truncateText(words, r.Conclusion, (right-left)*0.75)
	for _, t := range []struct {
		text.Style
		text string
		at   vg.Point
	}{
		{words, said, vg.Point{X: right, Y: top - 1}},
		{name, truncateText(name, r.Name, right-left-words.Width(said)-8), vg.Point{X: left, Y: top - 1}},
		{note, truncateText(note, r.Note, right-left), vg.Point{X: left, Y: top - rowLineHeight + 1}},
	} {
		if t.text == "" {
			continue
		}
		width := t.Width(t.text)
		from := t.at.X + width*vg.Length(t.XAlign)
		a.FillPolygon(Background, boxCorners(from-1, t.at.Y-textSize-2, from+width+1, t.at.Y+1))
		a.FillText(t.Style, t.at, t.text)
	}
}
