package page_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// The nights at which the results of nights change.
const (
	failedNight  = 11
	changedNight = 18 // reads become slower, and the HDF5 version changes
)

// nights returns one run for each of n nights, started at 02:01:30 UTC.
func nights(n int) []figures.Run {
	rng := rand.New(rand.NewPCG(3, 4))
	runs := make([]figures.Run, n)
	for i := range runs {
		r := figurestest.Sweep()
		r.Started = time.Date(2026, 10, 20+i, 2, 0, 90, 0, time.UTC)
		r.RunID = fmt.Sprintf("night-%02d", i)
		r.Name = "results/" + r.RunID + ".json"
		r.Job.Slurm = []result.KeyValue{{Key: "SLURM_JOB_ID", Value: fmt.Sprint(41000 + i)}}
		common := 1 + 0.02*rng.NormFloat64()
		for k := range r.Cases {
			for j := range r.Cases[k].Samples {
				s := &r.Cases[k].Samples[j]
				s.Bytes = uint64(float64(s.Bytes) * common * (1 + 0.02*rng.NormFloat64()))
				if i >= changedNight && s.Operation == result.OperationRead {
					s.Bytes = s.Bytes * 7 / 10
				}
			}
		}
		if i >= changedNight {
			r.Software.HDF5 = "1.14.3"
		}
		if i == failedNight {
			r.State = result.Failed
			r.Errors = []result.Error{{Message: "pwrite /scratch/data: no space left on device"}}
		}
		runs[i] = r
	}
	return runs
}

// contentOverTime returns the content of a page of runs over time.
func contentOverTime(t *testing.T, runs []figures.Run, references ...history.PinnedReference) page.Content {
	t.Helper()
	o := history.TrendOptions{References: references}
	digests := make([]history.RunDigest, len(runs))
	for i, r := range runs {
		digests[i] = o.Digests(history.Record{Path: r.Name, Document: r.Document})[0]
	}
	trend, err := history.TrendOf(o, digests)
	if err != nil {
		t.Fatal(err)
	}
	return contentOf(trend, runs)
}

// contentOf returns the content of a page of a trend, with those of the runs that it shows alone.
func contentOf(trend history.Trend, runs []figures.Run) page.Content {
	c, shown := page.Content{Trend: trend}, page.ShownRuns(trend)
	for _, r := range runs {
		if slices.Contains(shown, r.Name) {
			c.Runs = append(c.Runs, r)
		}
	}
	return c
}

func writtenContent(t *testing.T, c page.Content) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pageOverTime returns the page with runs over time.
func pageOverTime(t *testing.T, runs []figures.Run) string {
	t.Helper()
	return writtenContent(t, contentOverTime(t, runs))
}

// timelinePanels returns the panels that show runs over time.
func timelinePanels(c page.Content) (all []page.Panel) {
	for _, f := range page.Pictures(c) {
		for _, p := range f.Panels {
			if p.X.Time {
				all = append(all, p)
			}
		}
	}
	return all
}

func TestThirtyNightsAreOnePictureOfTheNewestRun(t *testing.T) {
	content := pageOverTime(t, nights(30))
	if len(content) > 1<<20 {
		t.Errorf("%d bytes, want at most 1 MiB", len(content))
	}
	for part, n := range map[string]int{
		`<section id="verdict"`: 1, `<section id="over-time"`: 1, `<section id="run-`: 1,
		`<section id="run-night-29"`: 1, `<section id="throughput"`: 1, "<tr><td>2026-": 29,
		`<tr><td><a href="#run-night-29">2026-11-18 02:01</a>`: 1,
		`<td>41007</td>`: 1, "<td>results/night-07.json</td>": 1,
		"<td>HDF5 was 1.10.8, now 1.14.3</td>": 2, // in the verdict, and in the list of runs
	} {
		if got := strings.Count(content, part); got != n {
			t.Errorf("%d times %s, want %d", got, part, n)
		}
	}
	row := regexp.MustCompile(`<tr><td>2026-11-07 02:01</td>.*<div>-\d\d\.\d % \(-3\d\.\d % to -2\d\.\d %\) ` +
		`since 2026-11-07, reads from memory</div></td>`)
	if !row.MatchString(content) {
		t.Error("the table does not tell of the change")
	}
	failed := `<tr><td>2026-10-31 02:01</td><td>41011</td><td><span class="state failed">failed</span> ` +
		`<span class="missing">pwrite /scratch/data: no space left on device</span></td>`
	if !strings.Contains(content, failed) {
		t.Error("the table does not say why a run has no figures")
	}
}

func TestPointsOverTimeAreRelative(t *testing.T) {
	runs := nights(30)
	reference := history.PinnedReference{
		Identity: runs[0].Identity, Time: time.Date(2026, 10, 25, 9, 0, 0, 0, time.UTC), Note: "acceptance",
		Runs: []string{"night-02", "night-03", "night-04"},
	}
	c := contentOverTime(t, runs, reference)
	panels := timelinePanels(c)
	if len(panels) != 2 || !strings.HasPrefix(panels[0].Title, "write,") || !strings.HasPrefix(panels[1].Title,
		"warm read,") {
		t.Fatalf("%d panels, want one for each direction", len(panels))
	}
	for i, p := range panels {
		operation := result.ValuesOf[result.Operation]()[i]
		for _, s := range p.Series {
			for _, at := range s.Points {
				n := slices.IndexFunc(runs, func(r figures.Run) bool { return page.UnixSeconds(r.Started) == at.X })
				product, count := 0.0, 0
				for _, series := range c.Trend.Series {
					if series.Operation != operation || figures.APILabel(series.API) != s.Key.Name {
						continue
					}
					value := func(id string) float64 {
						return series.Runs[slices.IndexFunc(series.Runs,
							func(r history.SeriesRun) bool { return r.RunID == id })].Median
					}
					level := []float64{value("night-02"), value("night-03"), value("night-04")}
					slices.Sort(level)
					product, count = product+math.Log(value(runs[n].RunID)/level[1]), count+1
				}
				if want := math.Exp(product / float64(count)); count != 6 || math.Abs(at.Y-want) > 1e-9 {
					t.Errorf("%s, %s: %g at %s, want %g of %d series", p.Title, s.Key.Name, at.Y, runs[n].RunID, want,
						count)
				}
				if at.Low > at.Y*1.01 || at.High < at.Y*0.99 {
					t.Errorf("%s: the middle half is %g to %g, the mean %g", p.Title, at.Low, at.High, at.Y)
				}
			}
			if len(s.Points) != 29 {
				t.Errorf("%s, %s: %d points, want one of each run with figures", p.Title, s.Key.Name, len(s.Points))
			}
		}
		if p.Y.Min != 0 || p.Level != 1 {
			t.Errorf("%s: an axis from %g, a level at %g", p.Title, p.Y.Min, p.Level)
		}
	}
	f := page.Pictures(c)[1]
	if !slices.ContainsFunc(f.Keys, func(k page.LegendKey) bool {
		return k.Name == "reference set 2026-10-25: acceptance" && k.Dashed
	}) || !strings.HasSuffix(f.Title, "relative to the reference") {
		t.Errorf("%q, %+v", f.Title, f.Keys)
	}
}

func TestPanelsOverTimeMarkWhatTrendFound(t *testing.T) {
	runs := nights(30)
	change := regexp.MustCompile(`^-\d\d\.\d % \(.*\) since 2026-11-07, reads from memory, HDF5 1.14.3$`)
	for i, p := range timelinePanels(contentOverTime(t, runs)) {
		if i == 0 && len(p.Changes) != 0 {
			t.Errorf("%s: %+v, though only reads changed", p.Title, p.Changes)
		}
		if i == 1 && (len(p.Changes) != 1 || !p.Changes[0].At.Equal(runs[changedNight].Started) ||
			!change.MatchString(p.Changes[0].Text)) {
			t.Errorf("%s: %+v, want a change at night %d", p.Title, p.Changes, changedNight)
		}
		var events []string
		for _, e := range p.Events {
			events = append(events, fmt.Sprint(e.At.Format(time.DateOnly), " ", e.Failed, " ", e.Text))
		}
		want := []string{"2026-10-31 true ", "2026-11-07 false "}
		if i == 1 { // only the last panel has texts
			want = []string{
				"2026-10-31 true failed: pwrite /scratch/data: no space left on device", "2026-11-07 false HDF5 1.14.3",
			}
		}
		if !slices.Equal(events, want) {
			t.Errorf("%s: events %q, want %q", p.Title, events, want)
		}
	}
}

// Objects per second have a picture of their own: a panel for each API, with a line for each class of steps.
func TestObjectsPerSecondAreShownOverTime(t *testing.T) {
	runs := nights(30)
	for i := range runs {
		for k := range runs[i].Cases {
			for j := range runs[i].Cases[k].Samples {
				s := &runs[i].Cases[k].Samples[j]
				if s.Operation != result.OperationWrite || runs[i].Cases[k].API == result.MPIIO {
					continue
				}
				for _, class := range []result.Class{"create", "unlink"} {
					seconds := 0.02 * (1 + 0.001*float64((i+j)%7))
					if class == "unlink" && i >= failedNight+2 && runs[i].Cases[k].API == result.POSIX {
						seconds *= 2
					}
					s.Classes = append(s.Classes, result.ClassTime{
						Class: class, Objects: 1000, Interval: result.Interval{Max: seconds, Mean: seconds},
					})
				}
			}
		}
	}
	pictures := page.Pictures(contentOverTime(t, runs))
	f := pictures[2]
	if pictures[1].Name != "over-time" || f.Name != "objects-over-time" ||
		f.Title != "Objects per second over time, relative to the median of all runs" || len(f.Panels) != 2 ||
		len(pictures[1].Panels) != 2 {
		t.Fatalf("%s, %s: %d panels, after %d of %s", f.Name, f.Title, len(f.Panels), len(pictures[1].Panels),
			pictures[1].Name)
	}
	for i, want := range []string{"write, POSIX, 12 series", "write, HDF5, 12 series"} {
		p := f.Panels[i]
		var names []string
		for _, s := range p.Series {
			names = append(names, s.Key.Name)
		}
		if p.Title != want || p.Subtitle != "objects per second, % of the median of all runs" ||
			!slices.Equal(names, []string{"create", "unlink"}) || len(p.Series[0].Points) != 29 {
			t.Errorf("%s, %s: lines %q", p.Title, p.Subtitle, names)
		}
		changed := slices.ContainsFunc(p.Changes, func(e page.Event) bool {
			return strings.Contains(e.Text, ", writes, POSIX, 1 MiB, unlink/s, 4 processes")
		})
		if changed != (i == 0) {
			t.Errorf("%s: changes %+v", p.Title, p.Changes)
		}
	}
	for _, p := range pictures[1].Panels {
		for _, e := range p.Changes {
			if strings.Contains(e.Text, "unlink") {
				t.Errorf("%s: %s", p.Title, e.Text)
			}
		}
	}
	if len(f.Keys) < 3 || f.Keys[0].Name != "create" || f.Keys[1].Name != "unlink" {
		t.Errorf("legend %+v", f.Keys)
	}
}

func TestPanelsOverTimeMarkTheEndOfSeries(t *testing.T) {
	runs := nights(30)
	for i := range runs[15:] {
		runs[15+i].Cases = slices.DeleteFunc(slices.Clone(runs[15+i].Cases),
			func(c result.Case) bool { return c.API != result.POSIX })
	}
	panels, want := timelinePanels(contentOverTime(t, runs)), "HDF5, MPI-IO: last run 2026-11-03"
	for _, p := range panels {
		if !slices.ContainsFunc(p.Changes, func(e page.Event) bool {
			return e.At.Equal(runs[14].Started) && e.Text == want
		}) {
			t.Errorf("%s: %+v", p.Title, p.Changes)
		}
	}
	if len(panels) == 0 {
		t.Error("no panels")
	}
}

func TestAChangeOfAllSeriesAloneIsMarkedInAllPanels(t *testing.T) {
	runs := nights(12)
	c := contentOverTime(t, runs)
	quiet(&c.Trend)
	since := history.ChangePoint{Change: history.Change{
		Since: runs[5].Started, RunID: runs[5].RunID, Index: 5, Ratio: 0.9,
	}}
	c.Trend.Groups[0].ChangePoints = []history.ChangePoint{since}
	for _, p := range timelinePanels(c) {
		if len(p.Changes) != 1 || p.Changes[0].Text != "-10.0 % since 2026-10-25" {
			t.Errorf("%s: %+v", p.Title, p.Changes)
		}
	}
	since.Ratio = 0.8 // not explained by the change of all
	for i := range c.Trend.Groups {
		if g := &c.Trend.Groups[i]; g.Operation == result.OperationWrite && g.API == "" {
			g.ChangePoints = []history.ChangePoint{since}
		}
	}
	for i, p := range timelinePanels(c) {
		if n := len(p.Changes); n != 1-i {
			t.Errorf("%s: %+v, want only the change of writes", p.Title, p.Changes)
		}
	}
}

// quiet removes what was found in a trend.
func quiet(found *history.Trend) {
	for i := range found.Series {
		found.Series[i].Findings = history.Findings{}
	}
	for i := range found.Groups {
		found.Groups[i].Findings = history.Findings{}
	}
}

// incidentAt returns an incident that begins at an index of runs.
func incidentAt(runs []figures.Run, first, last int, ratio float64) history.Incident {
	return history.Incident{
		Change: history.Change{
			Since: runs[first].Started, RunID: runs[first].RunID, Index: first, Ratio: ratio,
		},
		Until: runs[last].Started, Runs: last - first + 1,
	}
}

func TestIncidentsAreBandsOverTime(t *testing.T) {
	runs := nights(12)
	c := contentOverTime(t, runs)
	quiet(&c.Trend)
	plain := page.Pictures(c)[1]
	incident := incidentAt(runs, 5, 7, 0.6)
	c.Trend.Groups[0].Incidents = []history.Incident{incident, incidentAt(runs, 9, 9, 1.5)}
	for _, p := range timelinePanels(c) {
		var got []string
		for _, e := range p.Changes {
			got = append(got, e.Text)
			if e.Until.IsZero() {
				t.Errorf("%s: %s has no end", p.Title, e.Text)
			}
		}
		want := []string{"incident: -40.0 % from 2026-10-25 to 2026-10-27", "incident: +50.0 % on 2026-10-29"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", p.Title, got, want)
		}
	}
	const caption = "A grey band is an incident: a change that lasts for one to five runs"
	if picture := page.Pictures(c)[1]; strings.Contains(plain.Caption, caption) || !strings.Contains(picture.Caption,
		caption) {
		t.Errorf("captions %q and %q", plain.Caption, picture.Caption)
	}
	row := regexp.MustCompile(`<tr><td>2026-10-25 02:01</td>.*<div>incident: -40\.0 % from ` +
		`2026-10-25 to 2026-10-27</div>`)
	if !row.MatchString(writtenContent(t, c)) {
		t.Error("the table does not tell of the incident")
	}
}

// Where no search was possible, the page begins with that, and not with the absence of a fall.
func TestThePageSaysFirstThatNoSearchWasPossible(t *testing.T) {
	verdict := func(runs []figures.Run) (title, note string) {
		c := contentOverTime(t, runs)
		quiet(&c.Trend)
		strip := page.Pictures(c)[0]
		rows := strip.Panels[0].Rows
		return strip.Title, rows[len(rows)-1].Note
	}
	title, note := verdict(nights(2))
	const want = "no search was possible: too few runs to look for a change; the longest has 2 runs, and needs 8 more; "
	if title != "Too few runs to see whether a file system fell" || !strings.HasPrefix(note, want) {
		t.Errorf("%s: %s", title, note)
	}
	title, note = verdict(nights(10))
	if title != "0 of 1 file system fell" || !strings.HasPrefix(note, "no lasting change found; ") {
		t.Errorf("%s: %s", title, note)
	}
	runs := nights(10)
	for _, r := range nights(3) {
		r.Identity.Filesystem, r.RunID = "/work", "work-"+r.RunID
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b figures.Run) int { return a.Started.Compare(b.Started) })
	if title, _ = verdict(runs); title != "0 of 2 file systems fell; 1 with too few runs to see it" {
		t.Error(title)
	}
}

func TestTheCaptionSaysHowManyRunsAreMissing(t *testing.T) {
	const missing = "36 series: too few runs to look for a change; the longest has %d runs, and needs %d more."
	for _, c := range []struct {
		runs    int
		nightly bool
		want    string
	}{
		{9, false, fmt.Sprintf(missing, 9, 1) + " A search with 'h5perf trend --nightly' needs 14 runs. A marker"},
		{9, true, fmt.Sprintf(missing, 9, 5) + " A marker"},
		{10, false, "No lasting change was found. A search with 'h5perf trend --nightly' needs 14 runs. A marker"},
		{11, true, fmt.Sprintf(missing, 11, 3) + " A marker"},
	} {
		content := contentOverTime(t, nights(c.runs))
		quiet(&content.Trend)
		content.Trend.Nightly = c.nightly
		if got := page.Pictures(content)[1].Caption; !strings.HasPrefix(got, c.want) {
			t.Errorf("%d runs, nightly %t: %q, want %q", c.runs, c.nightly, got, c.want)
		}
	}
	content := contentOverTime(t, nights(30))
	if got := page.Pictures(content)[1].Caption; strings.Contains(got, "--nightly") {
		t.Errorf("30 runs: %q", got)
	}
}

// twoFileSystems returns runs on two file systems: reads on the second one became slower.
func twoFileSystems() []figures.Run {
	runs := nights(30)
	for _, r := range nights(changedNight) {
		r.Identity.Filesystem = "/home"
		r.RunID, r.Name = "home-"+r.RunID, "results/home-"+r.RunID+".json"
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b figures.Run) int { return a.Started.Compare(b.Started) })
	return runs
}

func TestAPageOfTwoFileSystemsBeginsWithTheOneThatFell(t *testing.T) {
	c := contentOverTime(t, twoFileSystems())
	strip := page.Pictures(c)[0]
	rows := strip.Panels[0].Rows
	if strip.Title != "1 of 2 file systems fell" || len(rows) != 2 || rows[0].Name != "c1, /scratch, nightly" ||
		rows[0].Hollow ||
		rows[0].Value < 0.65 || rows[0].Value > 0.76 || !rows[1].Hollow || math.Abs(rows[1].Value-1) > 0.1 {
		t.Errorf("%s: %+v", strip.Title, rows)
	}
	for _, want := range []string{
		"70 % (", "since 2026-11-07", "HDF5 was 1.10.8, now 1.14.3",
		"newest run 2026-11-18",
	} {
		if text := rows[0].Conclusion + "; " + rows[0].Note; !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	c.Links = page.Links{
		Index: "index.html", Run: func(path string) string { return "of?" + path },
		Timeline: func(name string) string { return name + ".html" },
	}
	content := writtenContent(t, c)
	for _, want := range []string{
		"<h1>/scratch: now 7", `<a href="index.html">`, `<a href="of?results/home-night-03.json">2026-10-23 02:01</a>`,
		`.html">c1, /scratch, nightly</a>`, `<section id="run-night-29">`,
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(content, `<section id="run-`); n != 1 {
		t.Errorf("%d runs are shown alone, want the newest one of the file system that fell", n)
	}
}

func TestARunWithoutALaterOneOfItsPointsIsShownAlone(t *testing.T) {
	shown := func(runs []figures.Run) (ids []string) {
		for _, r := range contentOverTime(t, runs).Runs {
			ids = append(ids, r.RunID)
		}
		return ids
	}
	runs := nights(failedNight + 1)
	if ids := shown(runs); !slices.Equal(ids, []string{"night-10", "night-11"}) {
		t.Errorf("%s, want the newest run, which failed, and the newest with figures", ids)
	}
	runs = nights(4)
	runs[1].Cases = runs[1].Cases[9:]                                   // two processes
	runs[3].Parameters.Conditions.Sync, runs[3].RunID = "each", "other" // not comparable with the others
	if ids := shown(runs); !slices.Equal(ids, []string{"night-02", "other"}) {
		t.Errorf("%s", ids)
	}
	runs = nights(2)
	runs[0].Cases, runs[1].Cases = runs[0].Cases[:9], runs[1].Cases[9:]
	if content := pageOverTime(t, runs); strings.Contains(content, "over-time") {
		t.Error("runs with other numbers of processes are shown over time")
	}
}

func TestWarmReadsOverTimeAreApart(t *testing.T) {
	runs := nights(3)
	for i := range runs {
		for k := range runs[i].Cases {
			if c := &runs[i].Cases[k]; c.API == "posix" {
				for j := range c.Samples {
					c.Samples[j].Marks = nil
				}
			}
		}
	}
	var titles []string
	for _, p := range timelinePanels(contentOverTime(t, runs)) {
		titles = append(titles, fmt.Sprint(p.Title, " ", len(p.Series)))
	}
	if want := []string{"write, 18 series 3", "read, 6 series 1", "warm read, 12 series 2"}; !slices.Equal(titles,
		want) {
		t.Errorf("%q, want %q", titles, want)
	}
}

func TestFailuresForOneReasonHaveItsWordsOnce(t *testing.T) {
	runs := nights(8)
	for i := 2; i < 7; i++ {
		runs[i].State, runs[i].Errors = result.Failed, []result.Error{{Message: "no space"}}
	}
	runs[6].Errors[0].Message = "stale handle"
	var texts []string
	for _, e := range timelinePanels(contentOverTime(t, runs))[1].Events {
		texts = append(texts, e.Text)
	}
	if want := []string{"", "", "", "4 runs failed: no space", "failed: stale handle"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}
