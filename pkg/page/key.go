package page

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LegendKey is an entry of the legend of a picture: a symbol with a colour and a shape, and the name of what it shows.
type LegendKey struct {
	Name   string
	Colour ThemeColour
	Marker Marker
	NoLine bool   // show only the marker, without a line
	Hollow bool   // the marker is not filled
	Dashed bool   // show a dashed line without a marker
	API    string // name of the API, if it is of one: readers of a page can hide everything that has its colour
}

// Entries of the legend of a picture over time.
var (
	changedKey = LegendKey{Name: "something else changed", Colour: Muted, Marker: Triangle, NoLine: true}
	failedKey  = LegendKey{Name: "a run without figures", Colour: Text, Marker: Cross, NoLine: true}
)

// Size of the symbol of a key, in points.
const (
	keyWidth  = 24
	keyHeight = 12
)

// lineStyle returns the style of the line of the key.
func (k LegendKey) lineStyle() draw.LineStyle {
	if k.Dashed {
		return dashedStyle(k.Colour)
	}
	return lineStyle(k.Colour, 1.4)
}

// drawSymbol draws the symbol of the key.
func (k LegendKey) drawSymbol(c draw.Canvas) {
	middle := c.Center()
	if !k.NoLine {
		c.StrokeLine2(k.lineStyle(), c.Min.X+1, middle.Y, c.Max.X-1, middle.Y)
	}
	if !k.Dashed {
		drawMarkers(c, k.Colour, k.Marker.addOutline(nil, middle, 1), k.Hollow)
	}
}

// Marker is the shape with which a value is drawn.
type Marker int

// The markers of APIs, lowest layer first, then that of serial HDF5, that of a run without results, and the rectangle
// with which a legend shows a colour.
const (
	Square Marker = iota
	Triangle
	Diamond
	Wedge
	Cross
	Swatch
)

// markerCorners holds the corners of each marker relative to its centre, in points.
var markerCorners = map[Marker][]vg.Point{
	Square:   boxCorners(-3, -3, 3, 3),
	Triangle: {{X: -3.8, Y: -2.8}, {X: 3.8, Y: -2.8}, {X: 0, Y: 4.2}},
	Wedge:    {{X: -3.8, Y: 2.8}, {X: 3.8, Y: 2.8}, {X: 0, Y: -4.2}},
	Diamond:  {{X: 0, Y: -4.4}, {X: 4.4, Y: 0}, {X: 0, Y: 4.4}, {X: -4.4, Y: 0}},
	Cross: {
		{X: 0, Y: 1.1},
		{X: 2.9, Y: 4},
		{X: 4, Y: 2.9},
		{X: 1.1, Y: 0},
		{X: 4, Y: -2.9},
		{X: 2.9, Y: -4},
		{X: 0, Y: -1.1},
		{X: -2.9, Y: -4},
		{X: -4, Y: -2.9},
		{X: -1.1, Y: 0},
		{X: -4, Y: 2.9},
		{X: -2.9, Y: 4},
	},
	Swatch: boxCorners(-8, -5, 8, 5),
}

// addOutline adds the outline of a marker to a path, and returns the path. At a size of 1, it is as large as in a
// legend.
func (m Marker) addOutline(path vg.Path, at vg.Point, size vg.Length) vg.Path {
	for i, corner := range markerCorners[m] {
		if next := at.Add(corner.Scale(size)); i == 0 {
			path.Move(next)
		} else {
			path.Line(next)
		}
	}
	path.Close()
	return path
}

// drawMarkers draws markers, given their outlines. Those of hollow markers are filled with the background colour.
func drawMarkers(c draw.Canvas, ink ThemeColour, outlines vg.Path, hollow bool) {
	switch {
	case outlines == nil:
	case hollow:
		c.SetColor(Background)
		c.Fill(outlines)
		c.SetLineStyle(lineStyle(ink, 1.2))
		c.Stroke(outlines)
	default:
		c.SetColor(ink)
		c.Fill(outlines)
	}
}
