package chart

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG returns the panel as an element svg, for a page that holds the result of Style. All text in it is
// escaped.
func SVG(p Panel) (string, error) {
	w, h := p.Size()
	canvas := vgsvg.New(w, h)
	p.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("picture %s: %w", p.Label(), err)
	}
	_, body, found := strings.Cut(b.String(), "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n")
	if !found {
		return "", fmt.Errorf("picture %s: the drawing has no svg element", p.Label())
	}
	body = texts.ReplaceAllStringFunc(body, sized)
	body = tags.ReplaceAllStringFunc(body, named)
	return fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n", w.Points(), h.Points(),
		html.EscapeString(p.Label())) + body, nil
}

// Parts of what vgsvg writes. Text is escaped, so it holds neither < nor >.
var (
	tags  = regexp.MustCompile(`<[^>]+>`)
	inked = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)
	texts = regexp.MustCompile(`<text [^>]*>[^<]*</text>`)
	fonts = regexp.MustCompile(`font-family:[^;]*;font-variant:[^;]*;font-weight:([a-z0-9]+);` +
		`font-style:[^;]*;font-size:([0-9.]+)px`)
)

// named replaces the colours in a tag by the variables of their inks.
func named(tag string) string {
	return inked.ReplaceAllStringFunc(tag, func(s string) string {
		property, hex, _ := strings.Cut(s, ":#")
		value, _ := strconv.ParseUint(hex, 16, 32)
		for _, i := range inks {
			if uint64(i.light) == value {
				return property + ":var(" + i.variable() + ")"
			}
		}
		return s
	})
}

// sized removes the font family from a text, so that the page chooses it, and fixes the width to the one
// that was measured, whatever font the reader has.
func sized(element string) string {
	m := fonts.FindStringSubmatch(element)
	if m == nil {
		return element
	}
	size, _ := strconv.ParseFloat(m[2], 64)
	sty := style(Text, font.Length(size), text.XLeft, text.YTop)
	if m[1] == "bold" {
		sty.Font.Weight = heavy
	}
	open, rest, _ := strings.Cut(element, ">")
	content := strings.TrimSuffix(rest, "</text>")
	short := strings.Replace(open, m[0], "font-weight:"+m[1]+";font-size:"+m[2]+"px", 1)
	return fmt.Sprintf(`%s textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s</text>`, short,
		sty.Width(html.UnescapeString(content)).Points(), content)
}
