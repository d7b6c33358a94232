package page_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// overview is the first part of a page about an operation.
type glance struct {
	title, flag string
	rows        []string // each API with its throughput, or why it has none
	costs       []string // all texts in the picture
}

// parseOverviews parses the first part of a page.
func parseOverviews(t *testing.T, content string) (all []glance) {
	t.Helper()
	heading := regexp.MustCompile(`<h3>([^<]*?)(?: <strong class="flag">([^<]*)</strong>)?</h3>`)
	row := regexp.MustCompile(`<th scope="row">([^<]*)</th>(?:<td class="n">|<td [^>]*class="missing">)(.*?)</td>`)
	text := regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
	for _, part := range strings.Split(section(t, content, "best"), `<div class="glance`)[1:] {
		h := heading.FindStringSubmatch(part)
		g := glance{title: h[1], flag: h[2]}
		for _, m := range row.FindAllStringSubmatch(part, -1) {
			g.rows = append(g.rows, m[1]+" "+m[2])
		}
		for _, m := range text.FindAllStringSubmatch(part, -1) {
			g.costs = append(g.costs, html.UnescapeString(m[1]))
		}
		all = append(all, g)
	}
	return all
}

func TestTheFirstScreenComparesLayersInOneCase(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases[3] = figurestest.Case(4, 256<<10, result.POSIX, 1e6, 8) // the highest throughput of POSIX, in another case
	both := parseOverviews(t, written(t, r))
	if len(both) != 2 {
		t.Fatalf("%d glances, want one of each direction", len(both))
	}
	for i, want := range []glance{
		{
			title: "Write, 1 MiB, 4 processes",
			rows:  []string{"POSIX <b>40.2 MiB/s</b>", "MPI-IO <b>28.1 MiB/s</b>", "HDF5 <b>16.1 MiB/s</b>"},
		},
		{
			title: "Warm read, 1 MiB, 4 processes", flag: "warm",
			rows: []string{"POSIX 80.4 MiB/s", "MPI-IO 56.3 MiB/s", "HDF5 32.2 MiB/s"},
		},
	} {
		got := both[i]
		if got.title != want.title || got.flag != want.flag || !slices.Equal(got.rows, want.rows) {
			t.Errorf("%+v, want %+v", got, want)
		}
		for _, cost := range []string{
			"MPI-IO : POSIX", "70 % (45 to 108 %)", "HDF5 : MPI-IO", "57 % (37 to 88 %)", "100 %",
		} {
			if !slices.Contains(got.costs, cost) {
				t.Errorf("%s: no %q in %q", got.title, cost, got.costs)
			}
		}
	}
}

func TestTheFirstScreenSaysWhyAFigureIsMissing(t *testing.T) {
	content := written(t, figurestest.Failed())
	first, _, _ := strings.Cut(content, "<section id=\"run-")
	for _, want := range []string{
		`<p class="missing">Failed: 4 of 4 cases, first POSIX, 4 processes, transfers of 64 KiB: pwrite ` +
			`/scratch/data_1.posix: no space left on device</p>`,
		`<strong class="flag">partial</strong>`,
	} {
		if !strings.Contains(first, want) {
			_, body, _ := strings.Cut(first, "<body>")
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if strings.Contains(written(t, figurestest.Sweep()), `<p class="missing">`) {
		t.Error("a complete run has a cause")
	}
}

func TestCautionsStandBeforeThePictures(t *testing.T) {
	content := written(t, figurestest.Sweep())
	if a, b := strings.Index(content, "<aside"), strings.Index(content, "<figure"); a < 0 || a > b {
		t.Errorf("cautions at %d, the first picture at %d", a, b)
	}
	good := figurestest.Sweep()
	good.Cases = good.Cases[:1]
	c := &good.Cases[0]
	c.Samples = slices.DeleteFunc(c.Samples, func(s result.Sample) bool { return s.Operation == result.OperationRead })
	for i := range c.Samples {
		c.Samples[i].Marks = nil
	}
	if content := written(t, good); !strings.Contains(content, `<aside class="good">`) ||
		!strings.Contains(content, "Nothing that h5perf can see speaks against these figures.") {
		t.Error("a page without cautions does not say so")
	}
	c.Samples = nil
	if content := written(t, good); strings.Contains(content, `<aside class="good">`) ||
		strings.Contains(content, "these figures") || !strings.Contains(content, "<p>No case has samples.</p>") {
		t.Error("a page without figures says that nothing speaks against them")
	}
}

func TestCostsHaveALinearAxisInPerCent(t *testing.T) {
	for _, f := range page.Pictures([]figures.Run{figurestest.Sweep()}, history.Trend{}) {
		if f.Name != "layers" {
			continue
		}
		l := f.Panels[0].(page.LinePanel)
		var ticks []string
		for _, v := range l.Y.Values {
			ticks = append(ticks, l.Y.FormatTick(v))
		}
		if l.Y.Log || l.Y.Min != 0 || strings.Join(ticks, " ") != "0 % 50 % 80 % 100 % 120 %" {
			t.Errorf("an axis from %g to %g, logarithmic %v, with %q", l.Y.Min, l.Y.Max, l.Y.Log, ticks)
		}
	}
	r := figurestest.Sweep()
	r.Cases[1] = figurestest.Case(4, 64<<10, result.MPIIO, 1e6, 8) // much faster than POSIX
	for _, f := range page.Pictures([]figures.Run{r}, history.Trend{}) {
		if l, is := f.Panels[0].(page.LinePanel); f.Name == "layers" && (!is || l.Y.Max != 2 || !l.ArrowsBeyondAxis) {
			t.Errorf("the axis ends at %g", l.Y.Max)
		} else if f.Name == "layers" && !f.Keys[len(f.Keys)-1].Arrow {
			t.Errorf("no key explains the arrow: %+v", f.Keys)
		}
	}
}

func TestDirectionsHaveRowsOfTheirOwn(t *testing.T) {
	r := figurestest.Sweep()
	for i := range r.Cases[:3] { // 4 processes with 64 KiB
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	rows := map[string]string{}
	for _, f := range page.Pictures([]figures.Run{r}, history.Trend{}) {
		var all []string
		for _, row := range f.Rows() {
			var titles []string
			for _, p := range row {
				title, _, _ := strings.Cut(p.Label(), ":")
				titles = append(titles, title)
			}
			all = append(all, strings.Join(titles, " + "))
		}
		rows[f.Name] = strings.Join(all, " | ")
	}
	const twice = "write, 2 processes + write, 4 processes | read, 4 processes | warm read, 2 processes + warm read, " +
		"4 processes"
	for name, want := range map[string]string{
		"layers": twice, "classes": twice, "throughput-write": "2 processes + 4 processes",
		"throughput-read": "4 processes, not warm | 2 processes, warm + 4 processes, warm",
	} {
		if rows[name] != want {
			t.Errorf("%s: %s, want %s", name, rows[name], want)
		}
	}
}

func TestTimesOfLayersCanBeCompared(t *testing.T) {
	for _, f := range page.Pictures([]figures.Run{figurestest.Sweep()}, history.Trend{}) {
		if f.Name != "classes" {
			continue
		}
		for _, p := range f.Panels {
			b := p.(page.BarPanel)
			if first := f.Panels[0].(page.BarPanel); b.X.Max != first.X.Max {
				t.Errorf("the axis of %q ends at %g, that of %q at %g", b.Title, b.X.Max, first.Title, first.X.Max)
			}
			if b.Rows[2].TotalLength() <= b.Rows[0].TotalLength() {
				t.Errorf("%s: the bar of HDF5 is %g long, that of POSIX %g", b.Title, b.Rows[2].TotalLength(),
					b.Rows[0].TotalLength())
			}
		}
	}
	slow := figurestest.Sweep()
	for i := range slow.Cases[:3] { // 4 processes with 64 KiB
		slow.Cases[i] = figurestest.Case(4, 64<<10, slow.Cases[i].API, 10, 8)
	}
	var titles []string
	for _, f := range page.Pictures([]figures.Run{slow}, history.Trend{}) {
		for _, p := range f.Panels {
			if b, is := p.(page.BarPanel); is && strings.HasPrefix(b.Title, "write") {
				titles = append(titles, b.Title)
				longest := 0.0
				for _, r := range b.Rows {
					longest = max(longest, r.TotalLength())
				}
				if b.X.Max > 1.1*longest {
					t.Errorf("%s: the longest bar is %g, the axis ends at %g", b.Title, longest, b.X.Max)
				}
			}
		}
	}
	want := []string{
		"write, 2 processes", "write, 4 processes, 64 KiB", "write, 4 processes, 256 KiB", "write, 4 processes, 1 MiB",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

func TestKindsOfSamplesHaveShapesOfTheirOwn(t *testing.T) {
	shapes := map[page.Shape][]result.Mark{}
	for _, marks := range [][]result.Mark{
		nil,
		{result.MarkWarm},
		{result.MarkShort},
		{result.MarkWarm, result.MarkShort},
		{result.MarkStaggered},
		{result.MarkShort, result.MarkDisturbed},
		{result.MarkImplausible},
	} {
		r := figurestest.Sweep()
		r.Cases = r.Cases[:1]
		r.Cases[0].Samples[0].Marks = marks
		f := page.Pictures([]figures.Run{r}, history.Trend{})[0]
		shape := f.Panels[0].(page.LinePanel).Series[0].Points[0].Dots[0].Shape
		if other, twice := shapes[shape]; twice {
			t.Errorf("%q is drawn as %q", marks, other)
		}
		shapes[shape] = marks
		for _, m := range marks {
			if !slices.ContainsFunc(f.Keys, func(k page.LegendKey) bool {
				return k.Sample != nil && strings.Contains(k.Name, string(m))
			}) {
				t.Errorf("no key explains %s", m)
			}
		}
	}
}
