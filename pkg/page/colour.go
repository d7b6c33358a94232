package page

import (
	"fmt"
	"image/color"
	"strings"
)

// ThemeColour is a named colour, with one value for the light theme and one for the dark theme. People with red-green
// colour blindness can distinguish the colours of classes of steps, and those of APIs. All colours except Grid have a
// contrast of at least 3 : 1 to the background, and those of text, links and APIs at least 4.5 : 1.
type ThemeColour struct {
	Name        string
	light, dark uint32 // 0xRRGGBB
}

// The colours of a picture. Text is for text, Muted for explanations, Grid for lines in the background, and Background
// is the background. Then come the colours of APIs, lowest layer first, then the colours of classes of steps.
var (
	Text       = ThemeColour{"text", 0x1b1f24, 0xe6e9ed}
	Muted      = ThemeColour{"muted", 0x59636e, 0x9aa4af}
	Grid       = ThemeColour{"grid", 0xdfe3e8, 0x30363d}
	Background = ThemeColour{"paper", 0xffffff, 0x14181d}

	Blue   = ThemeColour{"blue", 0x0072b2, 0x5ab4f0}
	Orange = ThemeColour{"orange", 0xc45200, 0xf59b4c}
	Green  = ThemeColour{"green", 0x00875f, 0x37c99a}

	Sky    = ThemeColour{"sky", 0x4998e4, 0x50abfe}
	Mauve  = ThemeColour{"mauve", 0xaa2c8a, 0xe39ad0}
	Slate  = ThemeColour{"slate", 0x22262a, 0x67727e}
	Red    = ThemeColour{"red", 0xc0132c, 0xff7b72} // only for text about failures
	Amber  = ThemeColour{"amber", 0x967000, 0xe3bb41}
	Indigo = ThemeColour{"indigo", 0x2530a9, 0x6e75fe}
)

var themeColours = []ThemeColour{
	Text, Muted, Grid, Background, Blue, Orange, Green, Sky, Mauve, Slate, Amber, Indigo,
	Red,
}

// RGBA returns the colour in the light theme. It implements color.Color.
func (i ThemeColour) RGBA() (r, g, b, a uint32) {
	return color.RGBA{R: uint8(i.light >> 16), G: uint8(i.light >> 8), B: uint8(i.light), A: 0xff}.RGBA()
}

// fadedColour is a colour that lets the background shine through: the fill of a band.
type fadedColour struct{ ThemeColour }

// fadedPart is 1 divided by the opacity of a faded colour.
const fadedPart = 5.0

// RGBA returns the colour in the light theme, multiplied by its opacity.
func (f fadedColour) RGBA() (r, g, b, a uint32) {
	r, g, b, a = f.ThemeColour.RGBA()
	return r / fadedPart, g / fadedPart, b / fadedPart, a / fadedPart
}

// cssVariable returns the name of the CSS variable for the colour.
func (i ThemeColour) cssVariable() string { return "--" + i.Name }

// ThemeCSS returns CSS that defines a variable for each ThemeColour. Its value depends on whether the browser of the
// reader uses the light or the dark theme. The SVG pictures refer to these variables.
func ThemeCSS() string {
	values := func(value func(ThemeColour) uint32) string {
		var b strings.Builder
		for _, i := range themeColours {
			fmt.Fprintf(&b, "%s:#%06x;", i.cssVariable(), value(i))
		}
		return b.String()
	}
	light := values(func(i ThemeColour) uint32 { return i.light })
	dark := values(func(i ThemeColour) uint32 { return i.dark })
	return ":root{color-scheme:light dark;" + light + "}\n@media (prefers-color-scheme:dark){:root{" + dark + "}}\n"
}
