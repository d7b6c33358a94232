package page

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LegendKey is an entry of the legend of a picture: a symbol with a colour and a shape, and the name of what it shows.
type LegendKey struct {
	Name   string
	Colour ThemeColour
	Marker Marker
	Swatch bool   // show a rectangle of the colour instead of a line with the marker
	Hollow bool   // show only the marker, not filled
	Level  bool   // show a line like that of a Level
	Event  *Event // show the mark of an event
	Dashed bool   // show a dashed line without a marker
	API    bool   // readers of a page can hide everything that is drawn with this colour
}

// dashLengths holds the lengths of dashes and of the gaps between them, in points.
var dashLengths = []vg.Length{4, 2.5}

// Size of the symbol of a key, in points.
const (
	keyWidth  = 24
	keyHeight = 12
)

// Label returns the name. The name is printed next to the symbol.
func (k LegendKey) Label() string { return k.Name }

// Size returns the width and the height of the symbol, without the name.
func (k LegendKey) Size() (vg.Length, vg.Length) { return keyWidth, keyHeight }

func (k LegendKey) values() []panelValue { return nil }

// SwitchName returns the name of the colour that readers of a page can hide, or "".
func (k LegendKey) SwitchName() string {
	if k.API {
		return k.Colour.name
	}
	return ""
}

func (k LegendKey) drawPanel(c draw.Canvas) {
	middle := c.Center()
	switch {
	case k.Level:
		c.StrokeLine2(dashedStyle(k.Colour), c.Min.X+1, middle.Y, c.Max.X-1, middle.Y)
	case k.Event != nil:
		k.Event.drawEvent(c, middle)
	case k.Swatch:
		c.FillPolygon(k.Colour, boxCorners(middle.X-8, middle.Y-5, middle.X+8, middle.Y+5))
	case k.Hollow:
		k.Marker.drawMarker(&c, k.Colour, middle, true)
	case k.Dashed:
		sty := lineStyle(k.Colour, 1.4)
		sty.Dashes = dashLengths
		c.StrokeLine2(sty, c.Min.X+1, middle.Y, c.Max.X-1, middle.Y)
	default:
		c.StrokeLine2(lineStyle(k.Colour, 1.4), c.Min.X+1, middle.Y, c.Max.X-1, middle.Y)
		k.Marker.drawMarker(&c, k.Colour, middle, false)
	}
}

// boxCorners returns the corners of a rectangle, counterclockwise from (x0, y0).
func boxCorners(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// legend draws the entries of a legend in rows, each with its symbol and name.
type legend struct {
	keys  []LegendKey
	width vg.Length
}

// arrangeKeys distributes the entries of the legend over rows that are at most as wide as the legend.
func (k legend) arrangeKeys() (rows [][]LegendKey) {
	sty := textStyle(Text, textSize, text.XLeft, text.YCenter)
	var used vg.Length
	for _, key := range k.keys {
		need := keyWidth + 6 + sty.Width(key.Name) + 18
		if len(rows) == 0 || used+need > k.width {
			rows, used = append(rows, nil), 0
		}
		last := len(rows) - 1
		rows[last], used = append(rows[last], key), used+need
	}
	return rows
}

// keyRowHeight is the height of a row of keys in points.
const keyRowHeight = 18

func (k legend) totalHeight() vg.Length { return keyRowHeight * vg.Length(len(k.arrangeKeys())) }

func (k legend) drawLegend(c draw.Canvas) {
	sty := textStyle(Text, textSize, text.XLeft, text.YCenter)
	y := c.Max.Y
	for _, row := range k.arrangeKeys() {
		x := c.Min.X
		for _, key := range row {
			key.drawPanel(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - keyHeight}, Max: vg.Point{X: x + keyWidth, Y: y},
			}})
			x += keyWidth + 6
			c.FillText(sty, vg.Point{X: x, Y: y - keyHeight/2}, key.Name)
			x += sty.Width(key.Name) + 18
		}
		y -= keyRowHeight
	}
}
