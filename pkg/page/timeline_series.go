package page

import (
	"math"
	"slices"

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

// drawOverTime draws a series over time. All marks of one kind form one path, because there may be hundreds of runs.
// size scales the markers; it is between 0 and 1.
func (s Series) drawOverTime(c draw.Canvas, at func(x, y float64) vg.Point, shown func(float64) bool,
	cut func(from, to float64) bool, size float64,
) {
	var lines, bars vg.Path
	markers := map[bool]vg.Path{}
	before := math.NaN()
	serif := vg.Length(2.5 * size)
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
		if shown(p.Low) && shown(p.High) && p.High > p.Low {
			low, high := at(p.X, p.Low), at(p.X, p.High)
			bars.Move(low)
			bars.Line(high)
			if p.Interval {
				for _, end := range []vg.Point{low, high} {
					bars.Move(vg.Point{X: end.X - serif, Y: end.Y})
					bars.Line(vg.Point{X: end.X + serif, Y: end.Y})
				}
			}
		}
		markers[p.Hollow] = s.Key.Marker.addOutline(markers[p.Hollow], place, size)
	}
	for _, stroke := range []struct {
		path  vg.Path
		width vg.Length
	}{{bars, 0.9}, {lines, 1.2}} {
		if len(stroke.path) > 0 {
			c.SetLineStyle(lineStyle(s.Key.Colour, stroke.width))
			c.Stroke(stroke.path)
		}
	}
	if path := markers[false]; len(path) > 0 {
		c.SetColor(s.Key.Colour)
		c.Fill(path)
	}
	if path := markers[true]; len(path) > 0 {
		c.SetColor(Background)
		c.Fill(path)
		c.SetLineStyle(lineStyle(s.Key.Colour, 1.1))
		c.Stroke(path)
	}
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
