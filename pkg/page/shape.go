package page

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is the shape with which a sample is drawn. Readers can distinguish shapes without colour or size.
type Shape struct {
	Hollow        bool // an outline
	Pointed       bool // a triangle that points to the right, instead of a dot
	Cross         bool // a cross instead of a dot or a triangle
	StruckThrough bool // with a line through it
}

func (s Shape) drawShape(c *draw.Canvas, ink ThemeColour, at vg.Point) {
	const radius, reach = vg.Length(2.3), vg.Length(5)
	form := circlePath(at, radius)
	if s.Pointed {
		form = trianglePath(at, radius+0.6)
	}
	c.SetColor(ink)
	switch {
	case s.Cross:
		for _, side := range []vg.Length{1, -1} {
			c.StrokeLine2(lineStyle(ink, 1), at.X-radius, at.Y-side*radius, at.X+radius, at.Y+side*radius)
		}
	case s.Hollow:
		c.SetLineStyle(lineStyle(ink, 0.8))
		c.Stroke(form)
	default:
		c.Fill(form)
	}
	if s.StruckThrough {
		c.StrokeLine2(lineStyle(ink, 0.8), at.X-reach, at.Y, at.X+reach, at.Y)
	}
}

// trianglePath returns a triangle that points to the right.
func trianglePath(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Line(vg.Point{X: at.X - radius*0.8, Y: at.Y + radius})
	p.Line(vg.Point{X: at.X - radius*0.8, Y: at.Y - radius})
	p.Close()
	return p
}

func circlePath(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// Marker is the shape with which a median is drawn.
type Marker int

// The markers of APIs, lowest layer first. The last one is for serial HDF5.
const (
	Square Marker = iota
	Triangle
	Diamond
	Wedge
)

// markerCorners holds the corners of each marker relative to its centre, in points.
var markerCorners = map[Marker][]vg.Point{
	Square:   {{X: -3, Y: -3}, {X: 3, Y: -3}, {X: 3, Y: 3}, {X: -3, Y: 3}},
	Triangle: {{X: -3.8, Y: -2.8}, {X: 3.8, Y: -2.8}, {X: 0, Y: 4.2}},
	Wedge:    {{X: -3.8, Y: 2.8}, {X: 3.8, Y: 2.8}, {X: 0, Y: -4.2}},
	Diamond:  {{X: 0, Y: -4.4}, {X: 4.4, Y: 0}, {X: 0, Y: 4.4}, {X: -4.4, Y: 0}},
}

// drawMarker draws the marker at a position. An open marker is an outline, filled with the background colour.
func (m Marker) drawMarker(c *draw.Canvas, ink ThemeColour, at vg.Point, open bool) {
	points := make([]vg.Point, len(markerCorners[m]))
	for i, corner := range markerCorners[m] {
		points[i] = at.Add(corner)
	}
	if !open {
		c.FillPolygon(ink, points)
		return
	}
	c.FillPolygon(Background, points)
	c.StrokeLines(lineStyle(ink, 1.2), append(points, points[0]))
}
