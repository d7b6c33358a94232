package page

import (
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SVG returns the panel as an svg element. The page that contains it needs the CSS from ThemeCSS.
func (p Panel) SVG() template.HTML {
	w, h := p.Size()
	return newSVG(w, h, p.describe(), p.drawPanel)
}

// SVG returns the symbol of the key as an svg element.
func (k LegendKey) SVG() template.HTML {
	return newSVG(keyWidth, keyHeight, k.Name, func(c draw.Canvas, _ hoverFunc) { k.drawSymbol(c) })
}

// newSVG returns a drawing as an svg element with a label. All text in it is escaped.
func newSVG(w, h vg.Length, label string, drawAll func(draw.Canvas, hoverFunc)) template.HTML {
	s := &svgCanvas{height: h}
	drawAll(draw.NewCanvas(s, w, h), s.addHover)
	areas := s.areas.String()
	if areas != "" {
		areas = `<g class="hover">` + areas + "</g>"
	}
	text := fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n%s%s</svg>\n", w.Points(), h.Points(),
		html.EscapeString(label), s.marks.String(), areas)
	return template.HTML(text) //nolint:gosec // all text is escaped
}

// svgCanvas is a canvas for gonum/plot that writes short SVG elements, because a page has many of them. Their colours
// are the CSS variables of ThemeCSS.
type svgCanvas struct {
	vg.Canvas // nil: no picture is rotated or has an image

	height       vg.Length // SVG counts y from the top
	marks, areas strings.Builder

	colour color.Color
	width  vg.Length
	dashes []vg.Length
}

// SetColor sets the colour of what is drawn next.
func (s *svgCanvas) SetColor(c color.Color) { s.colour = c }

// SetLineWidth sets the width of the next lines.
func (s *svgCanvas) SetLineWidth(w vg.Length) { s.width = w }

// SetLineDash sets the lengths of the dashes of the next lines.
func (s *svgCanvas) SetLineDash(dashes []vg.Length, _ vg.Length) { s.dashes = dashes }

// Stroke draws lines.
func (s *svgCanvas) Stroke(path vg.Path) {
	if s.width <= 0 {
		return
	}
	dashes := ""
	if len(s.dashes) > 0 {
		dashes = ";stroke-dasharray:" + strings.Join(mapSlice(s.dashes, formatLength), ",")
	}
	fmt.Fprintf(&s.marks, `<path d="%s" style="fill:none;%s;stroke-width:%g%s"/>`+"\n", s.pathData(path),
		cssColour("stroke", s.colour), s.width.Points(), dashes)
}

// Fill fills an area.
func (s *svgCanvas) Fill(path vg.Path) {
	fmt.Fprintf(&s.marks, `<path d="%s" style="%s"/>`+"\n", s.pathData(path), cssColour("fill", s.colour))
}

// FillString draws a text, as wide as it was measured, whatever font the reader has.
func (s *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	weight := ""
	if f.Font.Weight == boldWeight {
		weight = "font-weight:bold;"
	}
	fmt.Fprintf(&s.marks, `<text x="%s" y="%s" style="%sfont-size:%gpx;%s" textLength="%.5g" `+
		`lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", formatLength(at.X), formatLength(s.height-at.Y), weight,
		f.Font.Size.Points(), cssColour("fill", s.colour), f.Width(text).Points(), html.EscapeString(text))
}

// pathData returns the d attribute of a path of straight lines. Horizontal and vertical ones have one coordinate.
func (s *svgCanvas) pathData(path vg.Path) string {
	var b strings.Builder
	var x, y string
	for _, part := range path {
		if part.Type == vg.CloseComp {
			b.WriteString("Z")
			continue
		}
		toX, toY := formatLength(part.Pos.X), formatLength(s.height-part.Pos.Y)
		switch {
		case part.Type == vg.MoveComp:
			b.WriteString("M" + toX + "," + toY)
		case toX == x:
			b.WriteString("V" + toY)
		case toY == y:
			b.WriteString("H" + toX)
		default:
			b.WriteString("L" + toX + "," + toY)
		}
		x, y = toX, toY
	}
	return b.String()
}

// formatLength formats a length in points with at most one decimal.
func formatLength(l vg.Length) string {
	return strconv.FormatFloat(math.Round(l.Points()*10)/10+0, 'f', -1, 64) // + 0 turns -0 into 0
}

// cssColour returns the declaration that gives a property one of the colours of this package.
func cssColour(property string, c color.Color) string {
	if faded, is := c.(fadedColour); is {
		return fmt.Sprintf("%s;%s-opacity:%.1g", cssColour(property, faded.ThemeColour), property, 1/fadedPart)
	}
	ink, _ := c.(ThemeColour)
	return property + ":var(" + ink.cssVariable() + ")"
}

// addHover implements hoverFunc.
func (s *svgCanvas) addHover(ink ThemeColour, low, high vg.Point, text string) {
	fmt.Fprintf(&s.areas, `<rect x="%s" y="%s" width="%s" height="%s" style="%s"><title>%s</title></rect>`+"\n",
		formatLength(low.X), formatLength(s.height-high.Y), formatLength(high.X-low.X), formatLength(high.Y-low.Y),
		cssColour("fill", ink), html.EscapeString(text))
}
