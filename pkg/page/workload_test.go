package page_test

import (
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// pictureNames returns the names of the pictures of runs.
func pictureNames(runs ...figures.Run) (all []string) {
	for _, f := range page.Pictures(runs, history.Trend{}) {
		all = append(all, f.Name)
	}
	return all
}

func TestAWorkloadHasPicturesOfItsOwn(t *testing.T) {
	if got := pictureNames(figurestest.Workload()); !slices.Equal(got, []string{"classes"}) {
		t.Errorf("pictures of a workload: %v", got)
	}
	if both, want := pictureNames(figurestest.Sweep(), figurestest.Workload()),
		pictureNames(figurestest.Sweep()); !slices.Equal(both,
		want) {
		t.Errorf("pictures of a sweep and a workload: %v, want %v", both, want)
	}
	two := figurestest.Workload()
	for i := range two.Cases {
		c := two.Cases[i]
		c.Processes = 2
		two.Cases = append(two.Cases, c)
	}
	if got := pictureNames(two); !slices.Equal(got, []string{"classes", "scaling-write", "scaling-read"}) {
		t.Errorf("pictures of two numbers of processes: %v", got)
	}
	for _, f := range page.Pictures([]figures.Run{two}, history.Trend{}) {
		label := f.Panels[0].Label()
		if bars, is := f.Panels[0].(page.BarPanel); is {
			label = bars.Rows[0].Name
		}
		if !strings.HasPrefix(label, "vpic") {
			t.Errorf("%s: %s", f.Name, label)
		}
	}
}

func TestClassesStandApart(t *testing.T) {
	f := page.Pictures([]figures.Run{figurestest.Workload()}, history.Trend{})[0]
	var keys []string
	for _, k := range f.Keys {
		keys = append(keys, k.Name)
	}
	if want := []string{
		"file open", "create", "open", "attribute", "select", "transfer", "object close", "file close",
	}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	bars := f.Panels[0].(page.BarPanel)
	var rows []string
	for _, r := range bars.Rows {
		rows = append(rows, r.Name+" "+r.TotalText)
	}
	if want := []string{"vpic  POSIX 800 ms", "MPI-IO 900 ms", "HDF5 1.6 s"}; !slices.Equal(rows, want) {
		t.Errorf("%s: rows %v, want %v", bars.Title, rows, want)
	}
	if n := len(bars.Rows[0].Segments); n != 3 {
		t.Errorf("POSIX has %d parts, want transfers, and opening and closing files", n)
	}
}

func TestTheTimeOfNoClassIsShown(t *testing.T) {
	r := figurestest.Workload()
	for k := range r.Cases[0].Samples {
		s := &r.Cases[0].Samples[k] // its processes wait for a process that is slow in another epoch
		s.OpenClose.WindowSeconds += 0.25 * s.Access.WindowSeconds
	}
	f := page.Pictures([]figures.Run{r}, history.Trend{})[0]
	row := f.Panels[0].(page.BarPanel).Rows[0]
	last := row.Segments[len(row.Segments)-1]
	if f.Keys[len(f.Keys)-1].Name != "rest" || last.Colour != page.Grid || last.Value < 0.199 || last.Value > 0.201 {
		t.Errorf("%+v", row)
	}
}

func TestThePageOfAWorkload(t *testing.T) {
	r, half := figurestest.Workload(), figurestest.WorkloadFailed()
	content := written(t, r, half)
	for _, nonsense := range []string{">0 B<", "0 B,", "of 0 B", "NaN", "Inf", "transfer size", "0 × 0", " pattern"} {
		if strings.Contains(content, nonsense) {
			t.Errorf("the page says %q", nonsense)
		}
	}
	of := section(t, content, "run-"+r.RunID)
	for _, want := range []string{
		"<h3>Throughput</h3>", ">transfer rate<", "<td class=\"n\">46.8 %</td>", "<h3>What HDF5 costs</h3>",
		"<dt>Workload</dt><dd>vpic</dd>", "<dd>dumps=5 particles=1048576</dd>", ">attribute</th>",
		"<td class=\"n\">50 ms</td><td class=\"n\">300 ms</td><td class=\"n\">–</td>",
		"1.02 GiB, 1.02 times the data", "What layers cost",
	} {
		if !strings.Contains(of, want) {
			t.Errorf("no %q in the section of the run", want)
		}
	}
	if strings.Contains(of, ">Transfer<") || strings.Contains(of, ">sync</th>") {
		t.Error("a column of what there is not")
	}
	if !strings.Contains(content, "vpic, 4 processes") {
		t.Error("the highest rate is not that of a workload")
	}
	failed := section(t, content, "run-"+half.RunID)
	if !strings.Contains(failed, "<td colspan=\"4\" class=\"missing\">failed: ") ||
		!strings.Contains(failed, "no cost against MPI-IO, because it has no figure (failed).") {
		t.Error("what failed is not told")
	}
}

func TestAWorkloadWithoutDataHasNoEmptyChart(t *testing.T) {
	r := figurestest.Workload()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Bytes = 0
		}
	}
	if got := pictureNames(r); !slices.Equal(got, []string{"classes"}) {
		t.Errorf("pictures %v", got)
	}
	if content := written(t, r); strings.Contains(content, "NaN") || strings.Contains(content, "0 B/s") {
		t.Error("a rate of nothing")
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Classes = nil
		}
	}
	if got := pictureNames(r); len(got) != 0 {
		t.Errorf("pictures without times: %v", got)
	}
	for i := range r.Cases {
		r.Cases[i].State, r.Cases[i].Samples = result.Failed, nil
	}
	if got := pictureNames(r); len(got) != 0 {
		t.Errorf("pictures of what failed: %v", got)
	}
}

func TestDumpsAreDrawnInTheOrderOfTime(t *testing.T) {
	r := figurestest.Dumped(figurestest.Workload(), 8, 2)
	fs := page.Pictures([]figures.Run{r}, history.Trend{})
	f := fs[slices.IndexFunc(fs, func(f page.Picture) bool { return f.Name == "dumps" })]
	if rows := f.Rows(); len(rows) != 2 || len(rows[0]) != 3 || len(rows[1]) != 3 {
		t.Fatalf("%d rows, want one of writes and one of reads, each with three APIs", len(rows))
	}
	for i, p := range slices.Concat(f.Rows()...) {
		c := p.(page.ColumnPanel)
		of := r.Points()[(i%3)*2+i/3]
		if want := figures.APILabel(of.Case.API) + ", " + string(of.Operation) +
			", vpic, 4 processes"; c.Title != want {
			t.Errorf("%q, want %q", c.Title, want)
		}
		if row := f.Rows()[i/3]; row[0].(page.ColumnPanel).Y.Max != c.Y.Max || c.Y.Max < c.Columns[7].TotalHeight() {
			t.Errorf("%s: the axis ends at %g", c.Title, c.Y.Max)
		}
		for k, d := range of.DumpTimes() {
			got := c.Columns[k]
			if got.From != float64(k)+0.5 || got.To != float64(k)+1.5 || got.Segments[0].Value != d.Transfers ||
				got.Segments[1].Value != d.Structure || got.Segments[2].Value != d.Other {
				t.Errorf("%s: %+v, want %+v", c.Title, got, d)
			}
			for n, part := range got.Segments {
				if part.Colour != f.Keys[n].Colour {
					t.Errorf("%s: part %d has no key", c.Title, n)
				}
			}
		}
		if first, last := c.Columns[0].TotalHeight(), c.Columns[7].TotalHeight(); math.Abs(last-2*first) > 0.01*last {
			t.Errorf("%s: the first dump is %g high, the last one %g", c.Title, first, last)
		}
	}
	content := written(t, r)
	if strings.Count(sectionPanels(t, content, "dumps"), "<svg") != 6 {
		t.Error("not all panels are on the page")
	}
	if text := r.DumpSlowdown(); text == "" || !strings.Contains(content, "<p>Dumps took longer later: "+text+".</p>") {
		t.Errorf("the page does not say %q", text)
	}
}

func TestManyDumpsHaveFewTicks(t *testing.T) {
	r := figurestest.Dumped(figurestest.Workload(), 2, 1)
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Dumps[0].Last, r.Cases[i].Samples[k].Dumps[1].First = 500, 501
			r.Cases[i].Samples[k].Dumps[1].Last = 1000
		}
	}
	for _, f := range page.Pictures([]figures.Run{r}, history.Trend{}) {
		if c, is := f.Panels[0].(page.ColumnPanel); is && (len(c.X.Values) > 11 || c.Columns[0].To != 500.5 ||
			c.X.Min > 0.5 || c.X.Max < 1000) {
			t.Errorf("%d ticks from %g to %g, the first column ends at %g", len(c.X.Values), c.X.Min, c.X.Max,
				c.Columns[0].To)
		}
	}
}

// variants returns runs of a workload with different layouts. HDF5 is slower in each next run.
func variants() []figures.Run {
	var runs []figures.Run
	for i, layout := range []string{"contiguous", "chunked", "compact"} {
		r := figurestest.Workload()
		r.RunID += layout
		w := r.Parameters.Workload
		w.Chosen = []result.KeyValue{{Key: "layout", Value: layout}}
		if i > 0 {
			w.Requested = []result.KeyValue{{Key: "layout", Value: layout}}
		}
		for k := range r.Cases {
			for s := range r.Cases[k].Samples {
				r.Cases[k].Samples[s].Access.WindowSeconds *= float64(1 + i)
			}
		}
		runs = append(runs, r)
	}
	return runs
}

func TestVariantsOfAWorkloadAreToldApart(t *testing.T) {
	runs := variants()
	for _, f := range page.Pictures(runs, history.Trend{}) {
		if !strings.HasSuffix(f.Title, ": workload vpic, different layout") {
			t.Errorf("title of a picture %q", f.Title)
		}
		for i, p := range f.Panels {
			want := "layout=" + []string{"contiguous", "chunked", "compact"}[i%3]
			if label := p.Label(); !strings.Contains(label, want) || strings.Contains(label, "2026") {
				t.Errorf("%s: picture %q, want %s and no time", f.Name, label, want)
			}
		}
	}
	content := written(t, runs...)
	for _, want := range []string{
		"<title>h5perf: 3 runs, workload vpic, different layout, 2026-03-04, lustre at /scratch on n1</title>",
		"</time></a> workload vpic, layout=chunked\n",
		"<h2>Run of 2026-03-04 12:00:00 UTC, workload vpic, layout=compact, lustre at /scratch on n1</h2>",
		"<h3>Write, vpic, 4 processes, layout=contiguous",
		"Of 3 cases of 3 runs that have figures of as many APIs, this is the one in which HDF5 is fastest: " +
			"layout=contiguous. In the slowest one, HDF5 reaches 213 MiB/s.",
	} {
		if !strings.Contains(html.UnescapeString(content), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	one := "<title>h5perf: workload vpic, layout=chunked, 2026-03-04, lustre at /scratch on n1</title>"
	if content := html.UnescapeString(written(t, runs[1])); !strings.Contains(content, one) {
		t.Errorf("the page of one run does not have %q", one)
	}
}

func TestCurvesOfVariantsAreToldApart(t *testing.T) {
	runs := variants()
	for _, r := range runs[:3] { // the same with half of the processes
		r.RunID += "-half"
		r.Cases = slices.Clone(r.Cases)
		for i := range r.Cases {
			r.Cases[i].Processes = 2
		}
		runs = append(runs, r)
	}
	for _, f := range page.Pictures(runs, history.Trend{}) {
		if f.Name != "scaling-write" {
			continue
		}
		var labels []string
		for _, p := range f.Panels {
			labels = append(labels, p.(page.LinePanel).Title)
		}
		want := []string{"vpic, layout=contiguous", "vpic, layout=chunked", "vpic, layout=compact"}
		if !slices.Equal(labels, want) {
			t.Errorf("curves %q, want %q", labels, want)
		}
		return
	}
	t.Error("no picture of scaling")
}
