package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var posix = LegendKey{Name: "POSIX", Colour: Blue}

// throughputChart returns a panel with one series, which has a point at each of three values of X.
func throughputChart() Panel {
	s := Series{Key: posix}
	var all []float64
	for _, x := range []float64{4 << 10, 64 << 10, 1 << 20} {
		p := Point{X: x, Y: 100, Low: 90, High: 110, Interval: true}
		s.Points, all = append(s.Points, p), append(all, x)
	}
	return Panel{
		Title: "2 processes", Subtitle: "throughput in MiB/s",
		X: Axis{Label: "transfer size", Log: true, Values: all}.FitToValues(all...),
		Y: Axis{}.FitToValues(110), Series: []Series{s},
	}
}

func drawn(t *testing.T, p interface{ SVG() template.HTML }) string {
	t.Helper()
	s := string(p.SVG())
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return s
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
}

func TestWhatAnAxisCannotShowIsLeftOut(t *testing.T) {
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		l := throughputChart()
		l.Series[0].Points = append([]Point{{X: x, Y: 100, Low: 90, High: 110, Interval: true}}, l.Series[0].Points...)
		if n := strings.Count(drawn(t, l), "<title>"); n != 3 {
			t.Errorf("a point at %g: %d markers, want 3", x, n)
		}
	}
}

// forest returns a panel with one ratio and its interval.
func forest(value, low, high float64) Panel {
	return Panel{
		Title: "a", Subtitle: "b", Level: 1, X: Axis{Min: 0, Max: 1.25, Values: []float64{0, 0.5, 1}},
		Rows: []Row{{
			Key: posix, Name: "write", Conclusion: "B is slower", Value: value, Low: low, High: high, Interval: true,
		}},
	}
}

func TestARatioThatIsNoNumberIsNotDrawn(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if svg := drawn(t, forest(v, v, v)); strings.Contains(svg[strings.Index(svg, "<path"):], "NaN") ||
			strings.Contains(svg[strings.Index(svg, "<path"):], "Inf") {
			t.Errorf("%g: %s", v, svg)
		}
	}
}

func TestLengthsOfBarsCanBeCompared(t *testing.T) {
	wide := func(svg string) (all, starts []float64) {
		const bar = `<path d="M([0-9.]+),[0-9.]+H([0-9.]+)V[^"]*" style="fill:var\(--(?:slate|sky)`
		for _, m := range regexp.MustCompile(bar).FindAllStringSubmatch(svg, -1) {
			from, _ := strconv.ParseFloat(m[1], 64)
			to, _ := strconv.ParseFloat(m[2], 64)
			all, starts = append(all, math.Round(to-from)), append(starts, from)
		}
		return all, starts
	}
	b := Panel{Title: "a", X: Axis{}.FitToValues(4), Rows: []Row{
		{Name: "b", Segments: []Segment{{Colour: Slate, Value: 1}, {Colour: Sky, Value: 3}}, Conclusion: "4 s"},
		{Name: "b", Segments: []Segment{{Colour: Slate, Value: 2}}, Conclusion: "2 s"},
	}}
	got, starts := wide(drawn(t, b))
	if len(got) != 3 || math.Abs(got[1]-3*got[0]) > 2 || math.Abs(got[2]-2*got[0]) > 2 {
		t.Errorf("bars of 1, 3 and 2 seconds are %v wide in\n%s", got, drawn(t, b))
	} else if math.Abs(starts[1]-starts[0]-got[0]) > 1 || starts[2] != starts[0] {
		t.Errorf("a bar of two parts, and another one, begin at %v", starts)
	}
}

func TestColoursFollowTheTheme(t *testing.T) {
	for _, p := range []interface{ SVG() template.HTML }{
		throughputChart(), posix, forest(1, 0.9, 7),
		LegendKey{Colour: Blue, Dashed: true},
		Panel{
			Title: "a", X: Axis{}.FitToValues(1),
			Rows: []Row{{Name: "b", Segments: []Segment{{Colour: Slate, Value: 1}}, Conclusion: "1 s"}},
		},
	} {
		svg := drawn(t, p)
		if m := regexp.MustCompile(`(fill|stroke):(#[0-9A-Fa-f]+|black)`).FindString(svg); m != "" {
			t.Errorf("%s is the same in both themes:\n%s", m, svg)
		}
		for _, m := range regexp.MustCompile(`<text[^>]*>`).FindAllString(svg, -1) {
			if !strings.Contains(m, "fill:var(--") {
				t.Errorf("black text: %s", m)
			}
		}
	}
}

func TestInksStandOutFromThePaper(t *testing.T) {
	for _, i := range themeColours {
		least := 3.0
		switch i {
		case Background, Grid:
			continue
		case Text, Muted, Blue, Orange, Green, Red, Amber: // colours of text, links and APIs
			least = 4.5
		}
		for theme, ratio := range map[string]float64{
			"light": contrast(i.light, Background.light), "dark": contrast(i.dark, Background.dark),
		} {
			if ratio < least {
				t.Errorf("%s, %s: contrast %.2f, want %.1f", i.Name, theme, ratio, least)
			}
		}
	}
}

// blind holds matrices that convert linear colours to what people see who lack one type of cones. Source: Machado,
// Oliveira and Fernandes (2009), severity 1.
var blind = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {
		{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998},
	},
	"deuteranopia": {
		{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881},
	},
}

// lab returns a colour in the colour space CIELAB, converted by a matrix of blind.
func lab(rgb uint32, missing [3][3]float64) (out [3]float64) {
	var seen [3]float64
	for i, row := range missing {
		for k, shift := range []int{16, 8, 0} {
			seen[i] += row[k] * linear(rgb, shift)
		}
		seen[i] = min(1, max(0, seen[i]))
	}
	f := func(r, g, b, white float64) float64 {
		t := (r*seen[0] + g*seen[1] + b*seen[2]) / white
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x, y, z := f(0.4124, 0.3576, 0.1805, 0.9505), f(0.2126, 0.7152, 0.0722, 1), f(0.0193, 0.1192, 0.9505, 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestInksOfOnePictureCanBeToldApart(t *testing.T) {
	const least = 20 // a difference of 2.3 is just noticeable
	for _, of := range [][]ThemeColour{{Sky, Mauve, Slate, Amber, Indigo, Green, Grid}, {Blue, Orange, Green}} {
		for i, a := range of {
			for _, b := range of[:i] {
				for missing, matrix := range blind {
					for theme, both := range map[string][2]uint32{
						"light": {a.light, b.light}, "dark": {a.dark, b.dark},
					} {
						x, y := lab(both[0], matrix), lab(both[1], matrix)
						if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < least {
							t.Errorf("%s and %s, %s, %s: they differ by %.0f", a.Name, b.Name, theme, missing, d)
						}
					}
				}
			}
		}
	}
}

// contrast returns the contrast ratio of two colours, as WCAG 2 defines it.
func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(rgb uint32) float64 {
	return 0.2126*linear(rgb, 16) + 0.7152*linear(rgb, 8) + 0.0722*linear(rgb, 0)
}

// linear returns one channel of an sRGB colour as linear intensity, from 0 to 1.
func linear(rgb uint32, shift int) float64 {
	c := float64(rgb>>shift&0xff) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func TestTextIsEscaped(t *testing.T) {
	const hostile = `</text></svg><script>alert(1)</script>"&fill:#0072B2`
	p := throughputChart()
	p.Title, p.X.Label, p.Subtitle = hostile, hostile, hostile
	p.X.FormatTick = func(float64) string { return hostile }
	for _, svg := range []string{
		drawn(t, p),
		drawn(t, Panel{Title: hostile, Subtitle: hostile, Rows: []Row{{Name: hostile, Conclusion: hostile}}}),
		drawn(t, Panel{
			Title: hostile, Subtitle: hostile,
			Rows: []Row{{Name: hostile, Conclusion: hostile}},
		}),
	} {
		if strings.Contains(svg, "<script") || strings.Count(svg, "</svg>") != 1 {
			t.Errorf("not escaped:\n%s", svg)
		}
	}
}

func TestTextIsAsWideAsItWasMeasured(t *testing.T) {
	svg := drawn(t, throughputChart())
	texts := regexp.MustCompile(`<text[^>]*>`).FindAllString(svg, -1)
	if len(texts) < 5 {
		t.Fatalf("%d texts, want title, labels and ticks in\n%s", len(texts), svg)
	}
	for _, text := range texts {
		if !regexp.MustCompile(`textLength="[1-9]`).MatchString(text) || strings.Contains(text, "font-family") {
			t.Errorf("%s", text)
		}
	}
}

func TestALongTitleIsCut(t *testing.T) {
	p := throughputChart()
	p.Title = strings.Repeat("long ", 100)
	if svg := drawn(t, p); !strings.Contains(svg, "…</text>") {
		t.Errorf("%s", svg)
	}
}

func TestAxisOfWhatCannotBeShown(t *testing.T) {
	for name, a := range map[string]Axis{
		"nothing":         Axis{Log: true}.FitToValues(),
		"zero":            Axis{Log: true}.FitToValues(0, 0),
		"zero, linear":    Axis{}.FitToValues(0),
		"infinite":        Axis{Log: true}.FitToValues(1, math.Inf(1), math.NaN()),
		"one":             Axis{Log: true}.FitToValues(7),
		"tiny, linear":    Axis{}.FitToValues(1e-12),
		"huge":            Axis{Log: true}.FitToValues(1e-9, 1e18),
		"nearly the same": Axis{Log: true}.FitToValues(1, 1.0000001),
	} {
		if !(a.Min < a.Max) || a.Log && a.Min <= 0 || math.IsInf(a.Max, 0) {
			t.Errorf("%s: from %g to %g", name, a.Min, a.Max)
		}
		p := throughputChart()
		p.Y = a
		p.Series[0].Points[0] = Point{
			X: 4 << 10, Low: math.Inf(-1), High: math.Inf(1),
		}
		svg := drawn(t, p)
		if m := regexp.MustCompile(`[^a-z](NaN|[-+]?Inf)`).FindString(svg); m != "" {
			t.Errorf("%s: %s in\n%s", name, m, svg)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Min: 0, Max: 21}, "[0 5 10 15 20]"},
		{Axis{Min: 0, Max: 0.35}, "[0 0.05 0.1 0.15 0.2 0.25 0.3 0.35]"},
		{Axis{Min: 0, Max: 7.5}, "[0 2 4 6]"},
		{Axis{Min: 0.4, Max: 14, Log: true}, "[0.5 1 2 5 10]"},
		{Axis{Min: 0.5, Max: 2000, Log: true}, "[1 10 100 1000]"},
		{Axis{Min: 1.1, Max: 3.2, Log: true}, "[1.5 2 3]"},
		{Axis{Min: 1.01, Max: 1.05, Log: true}, "[1.01 1.02 1.03 1.04 1.05]"},
		{Axis{Min: 1, Max: 8, Log: true, Values: []float64{8, 1, 8, 2}}, "[1 2 8]"},
	} {
		if got := fmt.Sprint(c.axis.tickPositions()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.axis, got, c.want)
		}
	}
}

func TestPNGHoldsAllPictures(t *testing.T) {
	one := Picture{Title: "a", Keys: []LegendKey{posix}, Panels: []Panel{throughputChart()}}
	four := Picture{
		Title: "b", Keys: []LegendKey{posix}, Panels: []Panel{
			throughputChart(), throughputChart(), throughputChart(),
			throughputChart(),
		},
	}
	size := func(pictures ...Picture) (int, int) {
		var b bytes.Buffer
		if err := PNG(&b, 3, pictures...); err != nil {
			t.Fatal(err)
		}
		if !HasSignature(b.Bytes()) {
			t.Error("the picture is not signed")
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		return img.Bounds().Dx(), img.Bounds().Dy()
	}
	sourced := one
	sourced.Source = strings.Repeat("a file system, a host and a date, ", 4)
	_, plain := size(one)
	if _, high := size(sourced); float64(high) < float64(plain)+2*dotsPerInch/72*sourceHeight {
		t.Errorf("%d high with two lines about the source, %d without", high, plain)
	}
	broken := four
	broken.Panels = slices.Clone(four.Panels)
	for i := range broken.Panels {
		broken.Panels[i].Row = min(i, 2)
	}
	oneWide, oneHigh := size(one)
	brokenWide, brokenHigh := size(broken)
	fourWide, fourHigh := size(four)
	wide, high := size(one, four)
	if brokenWide >= fourWide || brokenHigh <= fourHigh {
		t.Errorf("rows of one, one and two panels are %d×%d, rows of three and one %d×%d", brokenWide, brokenHigh,
			fourWide, fourHigh)
	}
	if oneWide >= fourWide || oneHigh >= fourHigh || wide != fourWide || high <= fourHigh {
		t.Errorf("%d×%d, %d×%d and together %d×%d", oneWide, oneHigh, fourWide, fourHigh, wide, high)
	}
}

func TestAPictureHasNoMorePanelsThanOneCanLookAt(t *testing.T) {
	f := Picture{Panels: make([]Panel, maxPanels/2)}
	for i := range f.Panels {
		f.Panels[i] = throughputChart()
	}
	if err := PNG(io.Discard, 3, f, f); err != nil {
		t.Error(err)
	}
	if err := PNG(io.Discard, 3, f, f, Picture{Panels: f.Panels[:1]}); !errors.Is(err, ErrTooMany) ||
		!strings.Contains(err.Error(), "101 panels") {
		t.Errorf("%v", err)
	}
}

func TestAWriterThatFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("disk full"))
	if err := PNG(w, 1, Picture{Panels: []Panel{throughputChart()}}); err == nil ||
		!strings.Contains(err.Error(), "picture: disk full") {
		t.Errorf("%v", err)
	}
}
