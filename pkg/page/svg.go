package page

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG returns the panel as an svg element. The page that contains it needs the CSS from ThemeCSS. All text is escaped.
func SVG(p Panel) (string, error) {
	w, h := p.Size()
	canvas := &hoverCanvas{Canvas: vgsvg.New(w, h), height: h}
	p.drawPanel(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("picture %s: %w", p.Label(), err)
	}
	_, body, found := strings.Cut(b.String(), "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n")
	if !found {
		return "", fmt.Errorf("picture %s: the drawing has no svg element", p.Label())
	}
	body = pathPattern.ReplaceAllStringFunc(body, shortenPath)
	body = textPattern.ReplaceAllStringFunc(body, fixTextWidth)
	body = tagPattern.ReplaceAllStringFunc(body, replaceColours)
	if areas := canvas.areas.String(); areas != "" {
		body = strings.Replace(body, "</svg>", `<g class="hover">`+areas+"</g></svg>", 1)
	}
	label := p.Label()
	if _, is := p.(LegendKey); !is {
		label = joinNonEmpty(". ", label, describeValues(p.values(), nil))
	}
	return fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n", w.Points(), h.Points(),
		html.EscapeString(label)) + body, nil
}

// Patterns for the output of vgsvg. Text in it is escaped, so it contains neither < nor >.
var (
	tagPattern      = regexp.MustCompile(`<[^>]+>`)
	colourPattern   = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)
	textPattern     = regexp.MustCompile(`<text [^>]*>[^<]*</text>`)
	pathPattern     = regexp.MustCompile(` d="[^"]*"`)
	pathPartPattern = regexp.MustCompile(`[A-Z][^A-Z"]*`)
	fontPattern     = regexp.MustCompile(`font-family:[^;]*;font-variant:[^;]*;font-weight:([a-z0-9]+);` +
		`font-style:[^;]*;font-size:([0-9.]+)px`)
)

// shortenPath shortens the data of a path, because a page of many runs consists mostly of paths. It rounds coordinates
// to one decimal, and writes horizontal and vertical lines with one coordinate (H and V).
func shortenPath(data string) string {
	var x, y string
	var b strings.Builder
	b.WriteString(` d="`)
	for _, part := range pathPartPattern.FindAllString(data, -1) {
		numbers := strings.Split(part[1:], ",")
		for i, n := range numbers {
			if v, err := strconv.ParseFloat(n, 64); err == nil {
				// + 0 turns -0 into 0
				numbers[i] = strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
			}
		}
		straight := part[0] == 'L' && len(numbers) == 2
		switch {
		case straight && numbers[0] == x:
			b.WriteString("V" + numbers[1])
		case straight && numbers[1] == y:
			b.WriteString("H" + numbers[0])
		default:
			b.WriteString(part[:1] + strings.Join(numbers, ","))
		}
		if n := len(numbers); n >= 2 { // a part ends at its last point
			x, y = numbers[n-2], numbers[n-1]
		} else { // Z
			x, y = "", ""
		}
	}
	return b.String() + `"`
}

// replaceColours replaces the colours in a tag by the CSS variables of ThemeCSS.
func replaceColours(tag string) string {
	return colourPattern.ReplaceAllStringFunc(tag, func(s string) string {
		property, hex, _ := strings.Cut(s, ":#")
		value, _ := strconv.ParseUint(hex, 16, 32)
		for _, i := range themeColours {
			if uint64(i.light) == value {
				return property + ":var(" + i.cssVariable() + ")"
			}
		}
		return s
	})
}

// fixTextWidth removes the font family from a text element, because the page sets it. It also fixes the text width to
// the measured width, whatever font the reader has.
func fixTextWidth(element string) string {
	m := fontPattern.FindStringSubmatch(element)
	if m == nil {
		return element
	}
	size, _ := strconv.ParseFloat(m[2], 64)
	sty := textStyle(Text, font.Length(size), text.XLeft, text.YTop)
	if m[1] == "bold" {
		sty.Font.Weight = boldWeight
	}
	open, rest, _ := strings.Cut(element, ">")
	content := strings.TrimSuffix(rest, "</text>")
	short := strings.Replace(open, m[0], "font-weight:"+m[1]+";font-size:"+m[2]+"px", 1)
	return fmt.Sprintf(`%s textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s</text>`, short,
		sty.Width(html.UnescapeString(content)).Points(), content)
}
