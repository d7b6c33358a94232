package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is the shape of a sample.
type Shape struct {
	Hollow bool // a ring
	Small  bool
	Cross  bool // a cross instead of a dot
}

func (s Shape) draw(c *draw.Canvas, ink Ink, at vg.Point) {
	radius := vg.Length(2.3)
	if s.Small {
		radius = 1.7
	}
	switch {
	case s.Cross:
		for _, side := range []vg.Length{1, -1} {
			c.StrokeLine2(line(ink, 1), at.X-radius, at.Y-side*radius, at.X+radius, at.Y+side*radius)
		}
	case s.Hollow:
		c.SetLineStyle(line(ink, 0.8))
		c.Stroke(circle(at, radius))
	default:
		c.SetColor(ink)
		c.Fill(circle(at, radius))
	}
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// Marker is the shape of a median.
type Marker int

// The markers of APIs, lowest layer first; the last is that of serial HDF5.
const (
	Square Marker = iota
	Triangle
	Diamond
	Wedge
)

// corners are the corners of the markers around their middle, in points.
var corners = map[Marker][]vg.Point{
	Square:   {{X: -3, Y: -3}, {X: 3, Y: -3}, {X: 3, Y: 3}, {X: -3, Y: 3}},
	Triangle: {{X: -3.8, Y: -2.8}, {X: 3.8, Y: -2.8}, {X: 0, Y: 4.2}},
	Wedge:    {{X: -3.8, Y: 2.8}, {X: 3.8, Y: 2.8}, {X: 0, Y: -4.2}},
	Diamond:  {{X: 0, Y: -4.4}, {X: 4.4, Y: 0}, {X: 0, Y: 4.4}, {X: -4.4, Y: 0}},
}

// draw draws the marker. An open one is its outline, filled with the paper.
func (m Marker) draw(c *draw.Canvas, ink Ink, at vg.Point, open bool) {
	points := make([]vg.Point, len(corners[m]))
	for i, corner := range corners[m] {
		points[i] = at.Add(corner)
	}
	if !open {
		c.FillPolygon(ink, points)
		return
	}
	c.FillPolygon(Paper, points)
	c.StrokeLines(line(ink, 1.2), append(points, points[0]))
}
