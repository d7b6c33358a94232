package page

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// endTextStyle is the style of Series.EndText, which has the colour of its series.
func endTextStyle(ink ThemeColour) text.Style {
	return textStyle(ink, textSize, text.XLeft, tickLabelMiddle)
}

// endText is a text to the right of the plot, at the height of the last point of a series.
type endText struct {
	text.Style
	text string
	at   vg.Point
}

// Distances in points: the smallest vertical one between two of these texts, and that from the plot.
const (
	endTextHeight = textSize + 1.5
	endTextGap    = 9
)

// spreadEndTexts moves texts up until none covers another one, and then down as far as necessary to stay below top. It
// sorts them from bottom to top.
func spreadEndTexts(all []endText, top vg.Length) {
	slices.SortStableFunc(all, func(a, b endText) int { return cmp.Compare(a.at.Y, b.at.Y) })
	for i := 1; i < len(all); i++ {
		all[i].at.Y = max(all[i].at.Y, all[i-1].at.Y+endTextHeight)
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].at.Y = min(all[i].at.Y, top)
		top = all[i].at.Y - endTextHeight
	}
}

// Horizontal distance in points between the markers of two series at the same X. loneMarkerDistance applies if all
// points have the same X.
const (
	markerDistance     = 5
	loneMarkerDistance = 20
)

// drawSeries draws the series: bands, bars, lines and markers.
func (p Panel) drawSeries(a plotArea) {
	usual := p.usualDistance(a)
	apart, size := min(markerDistance, usual/5), min(1, max(0.4, usual/9))
	if usual == 0 {
		apart, size = loneMarkerDistance, 1
	}
	for _, s := range p.Series {
		for _, piece := range p.shownPieces(a, s, usual) {
			if p.X.Time {
				a.drawBand(s.Key.Colour, piece)
			}
		}
	}
	var ends []endText
	for i, s := range p.Series {
		aside := vg.Point{X: apart * (vg.Length(i) - vg.Length(len(p.Series)-1)/2)}
		if s.WithoutMarkers {
			aside.X = 0
		}
		var line, full, open vg.Path
		var end vg.Point
		for _, piece := range p.shownPieces(a, s, usual) {
			for k, at := range piece {
				end = a.at(at.X, at.Y).Add(aside)
				low, high := a.at(at.X, at.Low).Add(aside), a.at(at.X, at.High).Add(aside)
				if k == 0 {
					line.Move(end)
				} else {
					line.Line(end)
				}
				if at.High > at.Low && !p.X.Time {
					a.drawErrorBar(s.Key.Colour, low, high, at.Interval)
				}
				switch {
				case s.WithoutMarkers:
					continue
				case at.Hollow:
					open = s.Key.Marker.addOutline(open, end, size)
				default:
					full = s.Key.Marker.addOutline(full, end, size)
				}
				reach := vg.Point{X: 6, Y: 6}
				a.addHover(s.Key.Colour, end.Sub(reach), end.Add(reach), at.Text)
			}
		}
		if line != nil {
			a.SetLineStyle(s.Key.lineStyle())
			a.Stroke(line)
			if s.EndText != "" {
				at := vg.Point{X: a.Max.X + endTextGap, Y: end.Y}
				ends = append(ends, endText{endTextStyle(s.Key.Colour), s.EndText, at})
			}
		}
		// All markers form one path, because there may be hundreds of runs.
		drawMarkers(a.Canvas, s.Key.Colour, full, false)
		drawMarkers(a.Canvas, s.Key.Colour, open, true)
	}
	spreadEndTexts(ends, a.Max.Y)
	for _, e := range ends {
		a.FillText(e.Style, e.at, e.text)
	}
}

// usualDistance returns the median distance between consecutive points of a series, in points of the picture, or 0 if
// all points have the same X.
func (p Panel) usualDistance(a plotArea) vg.Length {
	var all []vg.Length
	for _, s := range p.Series {
		for i := 1; i < len(s.Points); i++ {
			if d := a.x(s.Points[i].X) - a.x(s.Points[i-1].X); d > 0 {
				all = append(all, d)
			}
		}
	}
	if all == nil {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// shownPieces returns the points of a series that the axes can show, divided where their line is interrupted. Over
// time, it is interrupted where more than three times the usual distance is between two points, or where a run between
// them failed.
func (p Panel) shownPieces(a plotArea, s Series, usual vg.Length) (pieces [][]Point) {
	var before float64
	for _, at := range s.Points {
		if !(at.X >= p.X.Min && at.X <= p.X.Max && at.Y >= p.Y.Min && at.Y <= p.Y.Max) {
			continue
		}
		if pieces == nil || p.X.Time && (a.x(at.X)-a.x(before) > 3*usual || slices.ContainsFunc(p.Events,
			func(e Event) bool { return e.Failed && UnixSeconds(e.At) > before && UnixSeconds(e.At) < at.X })) {
			pieces = append(pieces, nil)
		}
		last := len(pieces) - 1
		pieces[last], before = append(pieces[last], at), at.X
	}
	return pieces
}

// drawBand fills the area between the ends of the bars of points.
func (a plotArea) drawBand(ink ThemeColour, points []Point) {
	var upper, lower []vg.Point
	for _, at := range points {
		if at.High > at.Low {
			upper, lower = append(upper, a.at(at.X, at.High)), append(lower, a.at(at.X, at.Low))
		}
	}
	slices.Reverse(lower)
	if len(upper) > 1 {
		a.FillPolygon(fadedColour{ink}, append(upper, lower...))
	}
}

// drawErrorBar draws an error bar from low to high. caps says whether its ends have caps, as for a confidence interval.
func (a plotArea) drawErrorBar(ink ThemeColour, low, high vg.Point, caps bool) {
	across := vg.Point{X: 3}
	if high.Y == low.Y {
		across = vg.Point{Y: 3}
	}
	lines := [][]vg.Point{{low, high}, {low.Sub(across), low.Add(across)}, {high.Sub(across), high.Add(across)}}
	if !caps {
		lines = lines[:1]
	}
	a.StrokeLines(lineStyle(ink, 1), lines...)
}
