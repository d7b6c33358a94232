package page

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// medianGap returns the median distance between consecutive points of a series, in seconds. It returns a day if that
// would be 0.
func (t TimelinePanel) medianGap() float64 {
	var all []float64
	for _, s := range t.Series {
		for i := 1; i < len(s.Points); i++ {
			all = append(all, s.Points[i].X-s.Points[i-1].X)
		}
	}
	slices.Sort(all)
	if len(all) == 0 || all[len(all)/2] == 0 {
		return day
	}
	return all[len(all)/2]
}

// newGapTest returns a function that reports whether the line between two points is interrupted. It is interrupted if
// the distance of the points is more than three times usual, the usual distance in seconds, or if a run between them
// failed.
func (t TimelinePanel) newGapTest(usual float64) func(from, to float64) bool {
	return func(from, to float64) bool {
		return to-from > 3*usual || slices.ContainsFunc(t.Events, func(n Event) bool {
			return n.Failed && UnixSeconds(n.At) > from && UnixSeconds(n.At) < to
		})
	}
}

// drawBand fills the area between the ends of the bars of the points.
func (s Series) drawBand(c draw.Canvas, p *plot.Plot, cut func(from, to float64) bool) {
	at := func(x, y float64) vg.Point {
		return vg.Point{X: c.X(p.X.Norm(x)), Y: c.Y(p.Y.Norm(min(max(y, p.Y.Min), p.Y.Max)))}
	}
	var upper, lower []vg.Point
	fill := func() {
		slices.Reverse(lower)
		if len(upper) > 1 {
			c.FillPolygon(fadedColour{s.Key.Colour}, append(upper, lower...))
		}
		upper, lower = nil, nil
	}
	before := math.NaN()
	for _, point := range s.Points {
		if point.High <= point.Low || !math.IsNaN(before) && cut(before, point.X) {
			fill()
		}
		if before = point.X; point.High > point.Low {
			upper, lower = append(upper, at(point.X, point.High)), append(lower, at(point.X, point.Low))
		}
	}
	fill()
}

// drawOverTime draws the line and the markers of a series over time. All markers form one path, because there may be
// hundreds of runs. size scales the markers; it is between 0 and 1.
func (s Series) drawOverTime(c draw.Canvas, at func(x, y float64) vg.Point, shown func(float64) bool,
	cut func(from, to float64) bool, size float64,
) {
	var lines, markers vg.Path
	before := math.NaN()
	for _, p := range s.Points {
		if !shown(p.Y) || math.IsNaN(p.Y) {
			continue
		}
		place := at(p.X, p.Y)
		if math.IsNaN(before) || cut(before, p.X) {
			lines.Move(place)
		} else {
			lines.Line(place)
		}
		before = p.X
		markers = s.Key.Marker.addOutline(markers, place, size)
		addMarkerText(c, s.Key.Colour, place, p.Text)
	}
	if len(lines) == 0 {
		return
	}
	c.SetLineStyle(lineStyle(s.Key.Colour, 1.2))
	c.Stroke(lines)
	c.SetColor(s.Key.Colour)
	c.Fill(markers)
}

// addOutline adds the outline of a marker to a path, and returns the path.
func (m Marker) addOutline(path vg.Path, at vg.Point, size float64) vg.Path {
	for i, corner := range markerCorners[m] {
		next := at.Add(corner.Scale(vg.Length(size)))
		if i == 0 {
			path.Move(next)
		} else {
			path.Line(next)
		}
	}
	path.Close()
	return path
}
