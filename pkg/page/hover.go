package page

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// hoverCanvas is an SVG canvas that also records areas with a text, which browsers show while the mouse is over them.
type hoverCanvas struct {
	*vgsvg.Canvas
	areas  strings.Builder
	height vg.Length
}

// addHoverText sets the text that is shown over the rectangle between two corners. It does nothing on a canvas that is
// not for a browser.
func addHoverText(c draw.Canvas, ink ThemeColour, low, high vg.Point, text string) {
	var of vg.Canvas = c
	for inner, is := of.(draw.Canvas); is; inner, is = of.(draw.Canvas) { // a part of a canvas contains the whole
		of = inner.Canvas
	}
	h, is := of.(*hoverCanvas)
	if !is {
		return
	}
	fmt.Fprintf(&h.areas,
		`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" style="fill:var(%s)"><title>%s</title></rect>`+
			"\n", low.X.Points(), (h.height - high.Y).Points(), (high.X - low.X).Points(), (high.Y - low.Y).Points(),
		ink.cssVariable(), html.EscapeString(text))
}

// addMarkerText sets the text that is shown over a marker.
func addMarkerText(c draw.Canvas, ink ThemeColour, at vg.Point, text string) {
	const reach = 6
	addHoverText(c, ink, at.Sub(vg.Point{X: reach, Y: reach}), at.Add(vg.Point{X: reach, Y: reach}), text)
}
