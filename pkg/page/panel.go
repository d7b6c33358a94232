package page

import (
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of panels in points. At a scale of 1, a point is a CSS pixel. Most panels are about as wide as a mobile phone.
const (
	panelWidth = 360
	pageWidth  = 2*panelWidth + panelGap
	plotHeight = 215 // of lines, with the labels of the X axis

	titleSize     = 12
	textSize      = 10.5
	headingHeight = titleSize + textSize + 12 // height of a title and the text below it
	tickHeight    = textSize + 15             // height of the labels of the X axis
)

const boldWeight = xfont.WeightBold

// tickLabelMiddle is the alignment that centres the labels of a vertical axis. It corrects that gonum/plot raises them
// by their descent.
const tickLabelMiddle = text.YCenter - 0.23

// textStyle returns the style of a text: its colour, its size in points and its alignment. The glyphs of its font have
// the widths of Arial and Helvetica.
func textStyle(ink ThemeColour, size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: ink, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), XAlign: x, YAlign: y,
		Handler: plot.DefaultTextHandler,
	}
}

// boldStyle returns the style of a text in bold type.
func boldStyle(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	s := textStyle(Text, size, x, y)
	s.Font.Weight = boldWeight
	return s
}

// lineStyle returns the style of a line: its colour and its width in points.
func lineStyle(ink ThemeColour, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: ink, Width: width}
}

// dashedStyle returns the style of a dashed line.
func dashedStyle(ink ThemeColour) draw.LineStyle {
	return draw.LineStyle{Color: ink, Width: 1.4, Dashes: []vg.Length{4, 2.5}}
}

// truncateText shortens the text until it is at most as wide as width.
func truncateText(sty text.Style, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && sty.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// boxCorners returns the corners of a rectangle, counterclockwise from (x0, y0).
func boxCorners(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// hoverFunc sets the text that a browser shows while the mouse is over the rectangle between two corners.
type hoverFunc func(ink ThemeColour, low, high vg.Point, text string)

// plotArea is the part of a panel in which values are drawn, with its axes.
type plotArea struct {
	draw.Canvas
	axes     *plot.Plot
	addHover hoverFunc
}

// x returns the position of a value on the X axis. Values beyond an end of the axis are at that end.
func (a plotArea) x(v float64) vg.Length {
	return a.X(a.axes.X.Norm(min(max(v, a.axes.X.Min), a.axes.X.Max)))
}

// at returns the position of two values.
func (a plotArea) at(x, y float64) vg.Point {
	return vg.Point{X: a.x(x), Y: a.Y(a.axes.Y.Norm(min(max(y, a.axes.Y.Min), a.axes.Y.Max)))}
}

// panelLayout holds the parts of a panel and their sizes.
type panelLayout struct {
	width, height vg.Length // of the whole panel
	above, below  vg.Length // heights of the texts of events
	axes          *plot.Plot
	changes       []placedEvent
	events        []placedEvent
}

// arrangeParts computes the layout of the panel.
func (p Panel) arrangeParts() panelLayout {
	l := panelLayout{width: panelWidth, axes: plot.New()}
	if p.Wide {
		l.width = pageWidth
	}
	l.axes.BackgroundColor = nil
	for _, a := range []*plot.Axis{&l.axes.X, &l.axes.Y} {
		a.Padding, a.Tick.Length, a.Label.Padding = 0, 3, 3
		a.LineStyle, a.Tick.LineStyle = lineStyle(Muted, 0.8), lineStyle(Muted, 0.8)
		a.Label.TextStyle = textStyle(Muted, textSize, text.XCenter, text.YBottom)
	}
	label := textStyle(Muted, textSize, text.XCenter, text.YTop)
	l.axes.X.Tick.Label, l.axes.Y.Tick.Label = label, textStyle(Muted, textSize, text.XRight, tickLabelMiddle)
	l.axes.Y.Width, l.axes.Y.Tick.Length = 0, 0
	p.X.configure(&l.axes.X, l.width*0.86, func(text string) vg.Length { return label.Width(text) + 10 })
	if p.Rows != nil {
		l.axes.Y.Min, l.axes.Y.Max, l.axes.Y.Tick.Marker = 0, float64(len(p.Rows)), plot.ConstantTicks(nil)
		l.height = headingHeight + p.rowHeight()*vg.Length(len(p.Rows)) + tickHeight
		return l
	}
	l.axes.X.Label.Text, l.axes.X.Padding = p.X.Label, 4
	p.Y.configure(&l.axes.Y, plotHeight*0.78, func(string) vg.Length { return 2 * textSize })
	l.changes, l.above = p.placeEvents(p.Changes, l, changeStyle)
	l.events, l.below = p.placeEvents(p.Events, l, eventStyle)
	l.height = headingHeight + l.above + plotHeight + l.below
	return l
}

// Size returns the width and the height of the panel.
func (p Panel) Size() (width, height vg.Length) {
	l := p.arrangeParts()
	return l.width, l.height
}

// drawPanel draws the panel.
func (p Panel) drawPanel(c draw.Canvas, addHover hoverFunc) {
	l := p.arrangeParts()
	title, below := boldStyle(titleSize, text.XLeft, text.YTop), textStyle(Muted, textSize, text.XLeft, text.YTop)
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, truncateText(title, p.Title, l.width))
	c.FillText(below, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize - 4}, truncateText(below, p.Subtitle, l.width))
	left, right := c.Min.X, c.Max.X
	c = draw.Crop(c, 0, 0, l.below, -headingHeight-l.above)
	if p.Rows != nil {
		c = draw.Crop(c, rowMargin, -rowMargin, 0, 0)
	}
	for _, s := range p.Series {
		if s.EndText != "" {
			c.Max.X = min(c.Max.X, right-endTextGap-endTextStyle(Text).Width(s.EndText))
		}
	}
	l.axes.Draw(c)
	a := plotArea{l.axes.DataCanvas(c), l.axes, addHover}
	if p.Rows != nil {
		p.drawRows(a)
		return
	}
	p.drawIncidents(a)
	for _, e := range l.events {
		a.StrokeLine2(lineStyle(Grid, 1), left+e.x, a.Min.Y, left+e.x, a.Max.Y)
	}
	for _, t := range l.axes.Y.Tick.Marker.Ticks(l.axes.Y.Min, l.axes.Y.Max) {
		y := a.at(0, t.Value).Y
		a.StrokeLine2(lineStyle(Grid, 0.8), a.Min.X, y, a.Max.X, y)
	}
	if p.Level > p.Y.Min && p.Level < p.Y.Max {
		y := a.at(0, p.Level).Y
		a.StrokeLine2(dashedStyle(Muted), a.Min.X, y, a.Max.X, y)
	}
	p.drawSeries(a)
	for _, e := range l.changes {
		e.drawChange(a, left, c.Max.Y)
	}
	for _, e := range l.events {
		e.drawEvent(a, left, c.Min.Y)
	}
}
