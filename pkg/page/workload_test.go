package page_test

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// pictureNames returns the names of the pictures of runs.
func pictureNames(runs ...figures.Run) (all []string) {
	for _, f := range page.Pictures(page.Content{Runs: runs}) {
		all = append(all, f.Name)
	}
	return all
}

func TestAWorkloadHasItsPictures(t *testing.T) {
	if got := pictureNames(figurestest.Workload()); !slices.Equal(got, []string{"layers", "times"}) {
		t.Errorf("pictures of a workload: %v", got)
	}
	three := figurestest.Workload()
	for _, n := range []int{2, 1} {
		for _, c := range three.Cases[:len(figurestest.Workload().Cases)] {
			c.Processes = n
			three.Cases = append(three.Cases, c)
		}
	}
	if got := pictureNames(three); !slices.Equal(got, []string{"layers", "scaling", "times"}) {
		t.Errorf("pictures of three numbers of processes: %v", got)
	}
}

func TestClassesStandApart(t *testing.T) {
	f := page.Pictures(page.Content{Runs: []figures.Run{figurestest.Workload()}})[1]
	var keys []string
	for _, k := range f.Keys {
		keys = append(keys, k.Name)
	}
	if want := []string{
		"file open", "create", "open", "attribute", "select", "transfer", "object close", "file close",
	}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	bars := f.Panels[0]
	var rows []string
	for _, r := range bars.Rows {
		rows = append(rows, r.Name+" "+r.Conclusion)
	}
	if want := []string{"POSIX 800 ms", "MPI-IO 900 ms", "HDF5 1.6 s"}; !slices.Equal(rows, want) {
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
	f := page.Pictures(page.Content{Runs: []figures.Run{r}})[1]
	row := f.Panels[0].Rows[0]
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
		">attribute</th>",
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
	facts := section(t, content, "conditions")
	for _, want := range []string{"<dt>Workload</dt><dd>vpic</dd>", "<dd>dumps=5 particles=1048576</dd>"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q among the conditions", want)
		}
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
	if got := pictureNames(r); !slices.Equal(got, []string{"times"}) {
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

// dumpPanels returns the panels of the times of dumps.
func dumpPanels(r figures.Run) (all []page.Panel) {
	for _, f := range page.Pictures(page.Content{Runs: []figures.Run{r}}) {
		for _, p := range f.Panels {
			if p.X.Label == "dump" {
				all = append(all, p)
			}
		}
	}
	return all
}

func TestDumpsAreDrawnInTheOrderOfTime(t *testing.T) {
	r := figurestest.Dumped(figurestest.Workload(), 8, 2)
	panels := dumpPanels(r)
	if len(panels) != 6 {
		t.Fatalf("%d panels, want one for each of three APIs and two directions", len(panels))
	}
	for i, p := range panels {
		of := r.Points()[(i%3)*2+i/3]
		if want := string(of.Operation) + ", " + figures.APILabel(of.Case.API); p.Title != want {
			t.Errorf("%q, want %q", p.Title, want)
		}
		for k, d := range of.DumpTimes() {
			for n, want := range []float64{d.Transfers, d.Structure, d.Other} {
				if at := p.Series[n].Points[k]; at.X != float64(k)+1 || at.Y != want {
					t.Errorf("%s, %s: %+v, want %g at dump %d", p.Title, p.Series[n].Key.Name, at, want, k+1)
				}
			}
		}
	}
	if few := dumpPanels(figurestest.Dumped(figurestest.Workload(), 3, 2)); len(few) != 0 {
		t.Errorf("%d panels of three dumps, want none", len(few))
	}
	if text := r.DumpSlowdown(); text == "" || !strings.Contains(written(t, r), "<p>Dumps took longer later: "+
		""+text+".</p>") {
		t.Errorf("the page does not say %q", text)
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
	for _, f := range page.Pictures(page.Content{Runs: runs}) {
		if !strings.HasSuffix(f.Title, ": workload vpic, different layout") {
			t.Errorf("title of a picture %q", f.Title)
		}
		for _, layout := range []string{"contiguous", "chunked", "compact"} {
			if !slices.ContainsFunc(f.Panels, func(p page.Panel) bool {
				return strings.Contains(p.Label(), "layout="+layout) && !strings.Contains(p.Label(), "2026")
			}) {
				t.Errorf("%s: no panel of layout=%s without a time", f.Name, layout)
			}
		}
	}
	content := written(t, runs...)
	for _, want := range []string{
		"<title>h5perf: 3 runs, workload vpic, different layout, 2026-03-04, lustre at /scratch on n1</title>",
		"</time></a> workload vpic, layout=chunked\n",
		"<h2>Run of 2026-03-04 12:00:00 UTC, workload vpic, layout=compact, lustre at /scratch on n1 ",
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
	for _, n := range []int{2, 1} {
		for _, r := range runs[:3] { // the same with fewer processes
			r.RunID += fmt.Sprint(n)
			r.Cases = slices.Clone(r.Cases)
			for i := range r.Cases {
				r.Cases[i].Processes = n
			}
			runs = append(runs, r)
		}
	}
	for _, f := range page.Pictures(page.Content{Runs: runs}) {
		if f.Name != "scaling" {
			continue
		}
		var labels []string
		for _, p := range f.Panels {
			labels = append(labels, p.Title)
		}
		want := []string{"write, layout=contiguous", "write, layout=chunked", "write, layout=compact"}
		if !slices.Equal(labels[:3], want) {
			t.Errorf("curves %q, want %q", labels, want)
		}
		return
	}
	t.Error("no picture of scaling")
}

func TestThePageHasAColumnOfTransfers(t *testing.T) {
	r := figurestest.Workload()
	const (
		heading = `<th scope="col" class="wrap">Transfers</th>`
		cell    = `<td class="wrap">collective, linked chunks</td>`
	)
	if strings.Contains(written(t, r), heading) {
		t.Error("a column of transfers without collective ones")
	}
	r.Cases[2].Effective = &result.Effective{
		CollectiveWrites: &result.Collective{Collective: 9, Optimization: []string{"H5D_MPIO_LINK_CHUNK"}},
	}
	text := written(t, r)
	if n := strings.Count(text, cell); n != 1 || strings.Count(text, heading) != 1 {
		t.Errorf("%d cells of the writes of HDF5, want one", n)
	}
}

func TestThePageComparesTheValuesOfAChoice(t *testing.T) {
	r := figurestest.Workload()
	var parts []figures.Run
	for _, filter := range []string{"gzip", "none"} {
		part := r
		part.Cases = slices.Clone(r.Cases)
		for i := range part.Cases {
			part.Cases[i].Values = []result.KeyValue{{Key: "filter", Value: filter}}
		}
		parts = append(parts, part)
	}
	text := section(t, written(t, parts...), "choices")
	if want := "time divided by that of filter=none: gzip 1.00 ("; !strings.Contains(text, want) {
		t.Errorf("no %q in %s", want, text)
	}
}

func TestThePageJudgesStatementsOnceForAllPartsOfARun(t *testing.T) {
	r := figurestest.Workload()
	if strings.Contains(written(t, r), `<section id="statements">`) {
		t.Error("statements of a workload without any")
	}
	r.Parameters.Workload.Statements = []result.Statement{{Text: "Chunks are fast", Transfers: "collective"}}
	r.Cases[2].Effective = &result.Effective{CollectiveWrites: &result.Collective{Collective: 9}}
	other := r
	other.Cases = slices.Clone(r.Cases)
	other.Cases[2].Effective = &result.Effective{CollectiveWrites: &result.Collective{Independent: 9}}
	text := section(t, written(t, r, other), "statements")
	if n := strings.Count(text, `<td>write</td><td class="wrap">`); n != 2 {
		t.Errorf("%d writes in the table of all cases, want one of each part:\n%s", n, text)
	}
	const want = "Chunks are fast: with HDF5 1.10.8 true in part, 1 of 2."
	if strings.Count(text, want) != 1 {
		t.Errorf("no %q, once, in %s", want, text)
	}
}
