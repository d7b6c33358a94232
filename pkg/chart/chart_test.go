package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

var posix = Key{Name: "POSIX", Ink: Blue}

// throughput returns a panel of a series with n samples at each of three values of X.
func throughput(n int) Lines {
	s := Series{Key: posix}
	var all []float64
	for _, x := range []float64{4 << 10, 64 << 10, 1 << 20} {
		p := Point{X: x, Y: 100, Low: 90, High: 110, Interval: true}
		for i := range n {
			p.Dots = append(p.Dots, Dot{Y: 90 + float64(i)})
		}
		s.Points, all = append(s.Points, p), append(all, x)
	}
	return Lines{
		Title: "2 processes", X: Axis{Label: "transfer size", Log: true, Values: all}.Cover(all...),
		Y: Axis{Label: "throughput in MiB/s"}.Cover(110), Series: []Series{s},
	}
}

func drawn(t *testing.T, p Panel) string {
	t.Helper()
	s, err := SVG(p)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return s
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
}

// dots returns the number of discs and rings: nothing else has arcs.
func dots(svg string) int {
	return len(regexp.MustCompile(`<path d="M[^A"]*A[^A"]*A[^A"]*Z"`).FindAllString(svg, -1))
}

func TestEverySampleIsADot(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17} {
		if got := dots(drawn(t, throughput(n))); got != 3*n {
			t.Errorf("%d samples at each of three places: %d dots", n, got)
		}
	}
}

func TestWhatAnAxisCannotShowIsLeftOut(t *testing.T) {
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		l := throughput(2)
		l.Series[0].Points = append([]Point{{X: x, Y: 100, Dots: []Dot{{Y: 100}}}}, l.Series[0].Points...)
		if got := dots(drawn(t, l)); got != 3*2 {
			t.Errorf("a point at %g: %d dots", x, got)
		}
	}
}

func TestShapesCanBeToldApart(t *testing.T) {
	seen := map[string]Shape{}
	for _, s := range []Shape{{}, {Hollow: true}, {Small: true}, {Cross: true}, {Hollow: true, Small: true}} {
		svg := drawn(t, Key{Ink: Muted, Sample: &s})
		if other, same := seen[svg]; same {
			t.Errorf("%+v is drawn as %+v", s, other)
		}
		seen[svg] = s
	}
	ring := drawn(t, Key{Ink: Muted, Sample: &Shape{Hollow: true}})
	if !strings.Contains(ring, "fill:none") {
		t.Errorf("a warm sample is not hollow:\n%s", ring)
	}
}

func TestColoursFollowTheTheme(t *testing.T) {
	for _, p := range []Panel{
		throughput(3), Bars{Title: "a", Rows: []Row{{Name: "b", Parts: []Part{{Slate, 1}}, Whole: "1 s"}}}, posix,
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
	for _, i := range inks {
		least := 3.0
		switch i {
		case Paper, Grid:
			continue
		case Text, Muted:
			least = 4.5
		}
		for theme, ratio := range map[string]float64{
			"light": contrast(i.light, Paper.light), "dark": contrast(i.dark, Paper.dark),
		} {
			if ratio < least {
				t.Errorf("%s, %s: contrast %.2f, want %.1f", i.name, theme, ratio, least)
			}
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.
func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(rgb uint32) float64 {
	part := func(shift int) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func TestTextIsEscaped(t *testing.T) {
	const hostile = `</text></svg><script>alert(1)</script>"&fill:#0072B2`
	p := throughput(1)
	p.Title, p.X.Label, p.Y.Label = hostile, hostile, hostile
	p.X.Print = func(float64) string { return hostile }
	for _, svg := range []string{
		drawn(t, p), drawn(t, Bars{Title: hostile, Subtitle: hostile, Rows: []Row{{Name: hostile, Whole: hostile}}}),
	} {
		if strings.Contains(svg, "<script") || strings.Count(svg, "</svg>") != 1 {
			t.Errorf("not escaped:\n%s", svg)
		}
	}
}

func TestTextIsAsWideAsItWasMeasured(t *testing.T) {
	svg := drawn(t, throughput(1))
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
	p := throughput(1)
	p.Title = strings.Repeat("long ", 100)
	if svg := drawn(t, p); !strings.Contains(svg, "…</text>") {
		t.Errorf("%s", svg)
	}
}

func TestAxisOfWhatCannotBeShown(t *testing.T) {
	for name, a := range map[string]Axis{
		"nothing":         Axis{Log: true}.Cover(),
		"zero":            Axis{Log: true}.Cover(0, 0),
		"zero, linear":    Axis{}.Cover(0),
		"infinite":        Axis{Log: true}.Cover(1, math.Inf(1), math.NaN()),
		"one":             Axis{Log: true}.Cover(7),
		"tiny, linear":    Axis{}.Cover(1e-12),
		"huge":            Axis{Log: true}.Cover(1e-9, 1e18),
		"nearly the same": Axis{Log: true}.Cover(1, 1.0000001),
	} {
		if !(a.Min < a.Max) || a.Log && a.Min <= 0 || math.IsInf(a.Max, 0) {
			t.Errorf("%s: from %g to %g", name, a.Min, a.Max)
		}
		p := throughput(1)
		p.Y = a
		p.Series[0].Points[0] = Point{
			X: 4 << 10, Dots: []Dot{{Y: 0}, {Y: math.NaN()}}, Low: math.Inf(-1), High: math.Inf(1),
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
		if got := fmt.Sprint(c.axis.ticks()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.axis, got, c.want)
		}
	}
}

func TestPNGHoldsAllFigures(t *testing.T) {
	one := Figure{Title: "a", Keys: []Key{posix}, Panels: []Panel{throughput(1)}}
	four := Figure{
		Title: "b", Keys: []Key{posix}, Panels: []Panel{throughput(1), throughput(2), throughput(3), throughput(4)},
	}
	size := func(figures ...Figure) (int, int) {
		var b bytes.Buffer
		if err := PNG(&b, 3, figures...); err != nil {
			t.Fatal(err)
		}
		if !Signed(b.Bytes()) {
			t.Error("the picture is not signed")
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		return img.Bounds().Dx(), img.Bounds().Dy()
	}
	oneWide, oneHigh := size(one)
	fourWide, fourHigh := size(four)
	wide, high := size(one, four)
	if oneWide >= fourWide || oneHigh >= fourHigh || wide != fourWide || high <= fourHigh {
		t.Errorf("%d×%d, %d×%d and together %d×%d", oneWide, oneHigh, fourWide, fourHigh, wide, high)
	}
}

func TestAPictureHasNoMorePanelsThanOneCanLookAt(t *testing.T) {
	f := Figure{Panels: make([]Panel, maxPanels/2)}
	for i := range f.Panels {
		f.Panels[i] = posix
	}
	if err := PNG(io.Discard, 3, f, f); err != nil {
		t.Error(err)
	}
	if err := PNG(io.Discard, 3, f, f, Figure{Panels: []Panel{posix}}); !errors.Is(err, ErrTooMany) ||
		!strings.Contains(err.Error(), "101 panels") {
		t.Errorf("%v", err)
	}
}

func TestAWriterThatFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("disk full"))
	if err := PNG(w, 1, Figure{Panels: []Panel{throughput(1)}}); err == nil ||
		!strings.Contains(err.Error(), "picture: disk full") {
		t.Errorf("%v", err)
	}
}
