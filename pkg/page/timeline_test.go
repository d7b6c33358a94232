package page

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
)

// night returns 2:00 UTC on day n after 20 October 2026.
func night(n int) time.Time { return time.Date(2026, 10, 20+n, 2, 0, 0, 0, time.UTC) }

// over returns a panel of one series with a point at each of these nights.
func over(nights ...int) Panel {
	s := Series{Key: posix}
	for _, n := range nights {
		s.Points = append(s.Points, Point{X: UnixSeconds(night(n)), Y: 100, Low: 90, High: 110, Interval: true})
	}
	return Panel{
		Title: "write", X: timeAxis(night(nights[0]), night(nights[len(nights)-1])),
		Y: Axis{}.FitToValues(110), Series: []Series{s},
	}
}

func TestTicksOfTimeAreDatesInUTC(t *testing.T) {
	utc := func(text string) time.Time {
		at, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.In(time.FixedZone("elsewhere", 5*3600))
	}
	for _, c := range []struct{ first, last, ticks string }{
		{"2026-10-20 02:00:00", "2026-10-20 02:00:20", "2026-10-20 02:00:00, 2026-10-20 02:00:10, 2026-10-20 02:00:20"},
		{
			"2026-10-20 02:00:00", "2026-10-20 02:00:00",
			"2026-10-19 18:00, 2026-10-20 00:00, 2026-10-20 06:00, 2026-10-20 12:00",
		},
		{"2026-10-20 22:00:00", "2026-10-23 02:00:00", "2026-10-21, 2026-10-22, 2026-10-23"},
		{"2026-10-20 02:00:00", "2026-11-18 02:00:00", "2026-10-26, 2026-11-02, 2026-11-09, 2026-11-16"}, // Mondays
		{"2026-02-03 02:00:00", "2026-08-01 02:00:00", "2026-02, 2026-03, 2026-04, 2026-05, 2026-06, 2026-07, 2026-08"},
		{"2024-06-01 02:00:00", "2026-11-18 02:00:00", "2024-07, 2025-01, 2025-07, 2026-01, 2026-07"},
		{"1995-06-01 02:00:00", "2003-01-02 02:00:00", "1996, 1997, 1998, 1999, 2000, 2001, 2002, 2003"},
		{
			"0001-01-01 00:00:00", "9999-12-31 23:59:59",
			"0000, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000",
		},
	} {
		a := timeAxis(utc(c.first), utc(c.last))
		var labels []string
		for _, tick := range a.timeTicks(480, func(label string) vg.Length { return eventStyle.Width(label) + 12 }) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, ", "); got != c.ticks {
			t.Errorf("%s to %s: %s, want %s", c.first, c.last, got, c.ticks)
		}
		if a.Min >= UnixSeconds(utc(c.first)) || a.Max <= UnixSeconds(utc(c.last)) {
			t.Errorf("%s to %s: from %g to %g", c.first, c.last, a.Min, a.Max)
		}
	}
}

// pieces counts the pieces of the line that joins the medians. It finds the line by its colour and width.
func pieces(svg string) int {
	line := regexp.MustCompile(`<path d="([^"]*)" style="fill:none;stroke:var\(--blue\);stroke-width:1\.4"`)
	return strings.Count(line.FindStringSubmatch(svg)[1], "M")
}

func TestALineHasAGapWhereTimePassedOrARunHasNoFigures(t *testing.T) {
	whole := over(0, 1, 2, 3, 4, 5)
	if n := pieces(drawn(t, whole)); n != 1 {
		t.Errorf("%d pieces without a gap", n)
	}
	if n := pieces(drawn(t, over(0, 1, 2, 3, 14, 15))); n != 2 {
		t.Errorf("%d pieces with eleven days without runs", n)
	}
	whole.Events = []Event{{At: night(2).Add(time.Hour), Text: "kernel"}}
	if n := pieces(drawn(t, whole)); n != 1 {
		t.Errorf("%d pieces, though nothing failed", n)
	}
	whole.Events[0].Failed = true
	if n := pieces(drawn(t, whole)); n != 2 {
		t.Errorf("%d pieces with a run that failed", n)
	}
}

// lengths returns the differences of the two numbers that a pattern finds in text, in points.
func lengths(t *testing.T, text, pattern string) (all []float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		from, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		to, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, math.Abs(to-from))
	}
	return all
}

func TestAnIncidentIsABandAndALastingChangeIsALine(t *testing.T) {
	for _, c := range []struct {
		change Event
		runs   float64 // width of the band
	}{
		{Event{At: night(2), Text: "lasting"}, 0},
		{Event{At: night(2), Until: night(2), Text: "incident"}, 1},
		{Event{At: night(1), Until: night(3), Text: "incident"}, 3},
	} {
		p := over(0, 1, 2, 3, 4, 5)
		p.Changes = []Event{c.change}
		svg := drawn(t, p)
		lines := lengths(t, svg, `<path d="M[\d.]+,([\d.]+)V([\d.]+)" style="[^"]*var\(--text\);stroke-width:1\.4`)
		bands := lengths(t, svg, `<path d="M([\d.]+),[\d.]+H([\d.]+)V[\d.]+H[\d.]+Z" style="fill:var\(--grid\)"`)
		through := slices.ContainsFunc(lines, func(length float64) bool { return length > plotHeight/2 })
		if len(lines) != 1 || through != (c.runs == 0) {
			t.Errorf("%+v: lines %v", c.change, lines)
		}
		if wide := c.runs * 50; c.runs == 0 && bands != nil ||
			c.runs > 0 && (len(bands) != 1 || bands[0] < wide || bands[0] > 1.5*wide) {
			t.Errorf("%+v: bands %v", c.change, bands)
		}
	}
}

func TestDistancesInTimeAreToScale(t *testing.T) {
	marker := regexp.MustCompile(`<path d="([^"]*)" style="fill:var\(--blue\)"`)
	corner := regexp.MustCompile(`M([0-9.]+),`)
	var x []float64
	for _, m := range corner.FindAllStringSubmatch(marker.FindStringSubmatch(drawn(t, over(0, 1, 11)))[1], -1) {
		var v float64
		if _, err := fmt.Sscan(m[1], &v); err != nil {
			t.Fatal(err)
		}
		x = append(x, v)
	}
	if len(x) != 3 || x[2]-x[1] < 9.8*(x[1]-x[0]) || x[2]-x[1] > 10.2*(x[1]-x[0]) {
		t.Errorf("points at %v, want the second distance to be ten times the first", x)
	}
}

func TestWordsOfEventsDoNotCoverOthers(t *testing.T) {
	var events []Event
	for i := range 12 {
		text := fmt.Sprint("kernel 6.1.", i, strings.Repeat(" and more", i%3*4))
		events = append(events, Event{At: night(i), Text: text})
	}
	p := over(0, 11)
	all, height := p.placeEvents(events, p.arrangeParts(), eventStyle)
	const rows = maxEventRows
	if height != rows*eventHeight+4 {
		t.Errorf("rows are %g high, want %d rows", height, rows)
	}
	words := 0
	for i, a := range all {
		if a.Text == "" {
			continue
		}
		words++
		if a.left < 0 || a.right > panelWidth || a.row >= rows || a.start < a.x &&
			a.start+eventStyle.Width(a.Text) > a.x {
			t.Errorf("%+v is cut, or covers its mark", a)
		}
		for _, b := range all[:i] {
			if b.Text != "" && a.row == b.row && a.left < b.right && b.left < a.right {
				t.Errorf("%+v covers %+v", a, b)
			}
		}
	}
	if words < rows {
		t.Errorf("%d words", words)
	}
	if !slices.ContainsFunc(all, func(p placedEvent) bool { return strings.HasSuffix(p.Text, "…") }) {
		t.Error("no words are shortened")
	}
}

func TestAWidePanelHasARowOfAPicture(t *testing.T) {
	wide, small := over(0, 1, 2), over(0, 1, 2)
	wide.Wide = true
	var b bytes.Buffer
	f := Picture{Title: "over time", Panels: []Panel{wide, small, small, wide}}
	for i := range f.Panels {
		f.Panels[i].Row = []int{0, 1, 1, 2}[i]
	}
	if err := PNG(&b, 2, f); err != nil {
		t.Fatal(err)
	}
	picture, err := png.DecodeConfig(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, h := small.Size()
	const scale = dotsPerInch / 72
	if want := scale * (pageWidth + 2*margin); picture.Width != want {
		t.Errorf("%d wide, want %d", picture.Width, want)
	}
	if rows := (float64(picture.Height)/scale - 2*margin - titleHeight) / float64(h+panelGap); int(rows) != 3 {
		t.Errorf("%.1f rows, want 3", rows)
	}
}

func TestPathsAreShort(t *testing.T) {
	const z = -1 // closes the path
	for want, corners := range map[string][]vg.Length{
		"M1,3V7.5H3.3Z":          {1.0312, 2.96, 1.0312, 7.5, 3.25, 7.5, z},
		"M1,1ZM2,2V3":            {1, 1, z, 2, 2, 2, 3},
		"M1,1V1":                 {1, 1, 1.04, 1.04},
		"M0,0L123456,7":          {1e-05, -0.01, 123456, 7},
		"M0,0L1.1,1.1L3.3,3.3V4": {0, 0, 1.11, 1.11, 3.33, 3.33, 3.33, 4},
	} {
		var path vg.Path
		for i := 0; i < len(corners); {
			if corners[i] == z {
				path.Close()
				i++
				continue
			}
			at := vg.Point{X: corners[i], Y: -corners[i+1]}
			if i == 0 || corners[i-1] == z {
				path.Move(at)
			} else {
				path.Line(at)
			}
			i += 2
		}
		if got := new(svgCanvas).pathData(path); got != want {
			t.Errorf("%v is %s, want %s", corners, got, want)
		}
	}
}
