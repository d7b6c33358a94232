package page_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/page"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func TestCautionsStandBehindTheFirstPicture(t *testing.T) {
	content := written(t, figurestest.Sweep())
	if a, b := strings.Index(content, "<aside"), strings.Index(content, `<section id="throughput"`); a < 0 || a > b {
		t.Errorf("cautions at %d, the second picture at %d", a, b)
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

func TestTheFirstPictureHasTheNumbersOfTheSummary(t *testing.T) {
	r := figurestest.Sweep()
	f := page.Pictures(page.Content{Runs: []figures.Run{r}})[0]
	var rows []page.Row
	for _, p := range f.Panels {
		forest := p
		if first := f.Panels[0].X; forest.X.Min != 0 || forest.X.Max != first.Max || forest.Level != 0 {
			t.Errorf("%s: an axis from %g to %g", forest.Title, forest.X.Min, forest.X.Max)
		}
		rows = append(rows, forest.Rows...)
	}
	var summary bytes.Buffer
	if err := report.WriteSummary(&summary, &r, "next"); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 {
		t.Errorf("%d rows, want three layers of two directions", len(rows))
	}
	for _, row := range rows {
		median, _, _ := strings.Cut(row.Conclusion, " (")
		if !strings.Contains(summary.String(), median) {
			t.Errorf("%s: %s is not in\n%s", row.Name, median, summary.String())
		}
		if ratio := strings.Contains(row.Note, " % of "); ratio != (row.Name != "POSIX") {
			t.Errorf("%s: %s", row.Name, row.Note)
		}
	}
}

func TestTheFirstPictureSaysWhichLayerHasNoFigure(t *testing.T) {
	r := figurestest.Failed()
	f := page.Pictures(page.Content{Runs: []figures.Run{r}})[0]
	for _, p := range f.Panels {
		rows := p.Rows
		if last := rows[len(rows)-1]; last.Conclusion != "no figure" || last.Note == "" || !math.IsNaN(last.Value) {
			t.Errorf("%+v", last)
		}
	}
}

func TestTimesOfLayersCanBeCompared(t *testing.T) {
	r := figurestest.Sweep()
	bars := 0
	for _, f := range page.Pictures(page.Content{Runs: []figures.Run{r}}) {
		for _, p := range f.Panels {
			b := p
			if b.Rows == nil || b.Rows[0].Segments == nil {
				continue
			}
			bars++
			if first := f.Panels[0]; b.X.Max != first.X.Max {
				t.Errorf("the axis of %q ends at %g, that of %q at %g", b.Title, b.X.Max, first.Title, first.X.Max)
			}
			for _, row := range b.Rows {
				counted := 0.0
				for i, s := range row.Segments {
					if s.Bracketed {
						counted += s.Value
					}
					if i > 0 && s.Bracketed && !row.Segments[i-1].Bracketed {
						t.Errorf("%s, %s: the bracket has a gap", b.Title, row.Name)
					}
					if file := strings.HasPrefix(s.Name, "file "); s.Bracketed == file && s.Name != "rest" {
						t.Errorf("%s, %s: %s has a bracket: %v", b.Title, row.Name, s.Name, s.Bracketed)
					}
				}
				if counted == 0 || counted >= row.Value {
					t.Errorf("%s, %s: a bracket of %g below %g", b.Title, row.Name, counted, row.Value)
				}
			}
		}
	}
	if bars != 2 {
		t.Errorf("%d panels, want one for each direction", bars)
	}
}
