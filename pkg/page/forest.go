package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ForestPanel is a panel of values with their intervals, one below the other: of ratios (a forest plot) or, with bars,
// of throughputs.
type ForestPanel struct {
	Title    string
	Subtitle string
	X        Axis
	Bars     bool             // a bar from the beginning of the axis to each value; otherwise a line at 1
	Wide     bool             // as wide as the page
	Rows     []ForestPanelRow // from top to bottom
}

// ForestPanelRow is one row of a forest plot: a value with its interval.
type ForestPanelRow struct {
	Key        LegendKey // ink and marker of the row
	Name       string    // what the value is of
	Conclusion string    // the value or the conclusion, to the right of the name
	Note       string    // more about it, below the bar
	Value      float64   // NaN if there is none
	Low, High  float64   // ends of the bar
	Interval   bool      // the bar is a confidence interval, not the range of the samples
	Hollow     bool      // the marker or the bar is not filled
}

// Heights in a forest in points: of a row, which has a line of text and a bar below it, and of a note.
const (
	forestRowHeight  = 31
	forestNoteHeight = 15
)

// Label returns a description of the panel as text.
func (f ForestPanel) Label() string { return f.Title + ": " + f.Subtitle }

func (f ForestPanel) values() (all []panelValue) {
	for _, r := range f.Rows {
		all = append(all, panelValue{series: r.Name, x: r.Conclusion, y: r.Value, low: r.Low, high: r.High})
	}
	return all
}

// rowHeight returns the height of each row.
func (f ForestPanel) rowHeight() vg.Length {
	for _, r := range f.Rows {
		if r.Note != "" {
			return forestRowHeight + forestNoteHeight
		}
	}
	return forestRowHeight
}

// Size returns the width and the height of the panel.
func (f ForestPanel) Size() (vg.Length, vg.Length) {
	width := vg.Length(panelWidth)
	if f.Wide {
		width = pageWidth
	}
	return width, 60 + f.rowHeight()*vg.Length(len(f.Rows))
}

func (f ForestPanel) narrowed() Panel {
	if !f.Wide {
		return nil
	}
	f.Wide = false
	return f
}

func (f ForestPanel) drawPanel(c draw.Canvas) {
	c = drawHeading(c, f.Title, f.Subtitle)
	p := newPanelPlot()
	f.X.configure(&p.X, c.Max.X-c.Min.X, func(label string) vg.Length { return p.X.Tick.Label.Width(label) + 10 })
	p.Y.Min, p.Y.Max = 0, float64(len(f.Rows))
	p.Y.Tick.Marker = plot.ConstantTicks(nil)
	p.Add(f)
	// half of a tick label may extend beyond either end of the axis
	p.Draw(draw.Crop(c, forestMargin, -forestMargin, 0, 0))
}

// forestMargin is the space to the left and to the right of the axis of a forest, in points.
const forestMargin = 16

// Plot draws the rows on the canvas of a plot. It implements plot.Plotter.
func (f ForestPanel) Plot(c draw.Canvas, p *plot.Plot) {
	x := func(v float64) vg.Length { return c.X(p.X.Norm(math.Max(p.X.Min, math.Min(v, p.X.Max)))) }
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(lineStyle(Grid, 0.8), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	if !f.Bars {
		c.StrokeLine2(lineStyle(Muted, 1.2), x(1), c.Min.Y, x(1), c.Max.Y)
	}
	for i, row := range f.Rows {
		top := c.Y(p.Y.Norm(float64(len(f.Rows) - i)))
		row.drawWords(c, top)
		if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
			continue
		}
		at := func(v float64) vg.Point { return vg.Point{X: x(v), Y: top - forestRowHeight*0.7} }
		ink := row.Key.Colour
		if f.Bars {
			const half = 5
			corners := boxCorners(c.Min.X, at(0).Y-half, at(row.Value).X, at(0).Y+half)
			if row.Hollow {
				c.StrokeLines(lineStyle(ink, 1), append(corners, corners[0]))
			} else {
				c.FillPolygon(fadedColour{ink}, corners)
				c.StrokeLines(lineStyle(ink, 2), corners[1:3])
			}
		}
		if row.High > row.Low {
			drawErrorBar(c, ink, at(row.Low), at(row.High), row.Interval)
		}
		if !f.Bars {
			row.Key.Marker.drawMarker(&c, ink, at(row.Value), row.Hollow)
		}
		addHoverText(c, ink, vg.Point{X: c.Min.X, Y: top - forestRowHeight}, vg.Point{X: c.Max.X, Y: top},
			joinNonEmpty(", ", row.Name+": "+row.Conclusion, row.Note))
	}
}

// drawWords draws the texts of a row, whose upper end is at top.
func (r ForestPanelRow) drawWords(c draw.Canvas, top vg.Length) {
	name, words := textStyle(Text, textSize, text.XLeft, text.YTop), textStyle(Text, textSize, text.XRight, text.YTop)
	words.Font.Weight = boldWeight
	left, right := c.Min.X-forestMargin, c.Max.X+forestMargin
	said := truncateText(words, r.Conclusion, (right-left)*0.75)
	called := truncateText(name, r.Name, right-left-words.Width(said)-8)
	eraseBehindText(c, vg.Point{X: left, Y: top - 1}, name.Width(called))
	eraseBehindText(c, vg.Point{X: right - words.Width(said), Y: top - 1}, words.Width(said))
	c.FillText(name, vg.Point{X: left, Y: top - 1}, called)
	c.FillText(words, vg.Point{X: right, Y: top - 1}, said)
	if r.Note != "" {
		note := textStyle(Muted, textSize, text.XLeft, text.YTop)
		below, at := truncateText(note, r.Note, right-left), vg.Point{X: left, Y: top - forestRowHeight + 1}
		eraseBehindText(c, at, note.Width(below))
		c.FillText(note, at, below)
	}
}

// eraseBehindText paints the background colour where a text will be drawn, so that no line crosses it. corner is the
// upper left corner of the text.
func eraseBehindText(c draw.Canvas, corner vg.Point, width vg.Length) {
	if width > 0 {
		c.FillPolygon(Background, boxCorners(corner.X-1, corner.Y-textSize-2, corner.X+width+1, corner.Y+1))
	}
}
