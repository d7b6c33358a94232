package page

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
