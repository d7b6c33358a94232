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

// trend returns the trend of the runs that do not belong to a pair.
func trend(t *testing.T, runs []figures.Run, references ...history.PinnedReference) history.Trend {
	t.Helper()
	var records []history.Record
	for _, r := range runs {
		if r.Pair == nil {
			records = append(records, history.Record{Path: r.Name, Document: r.Document})
		}
	}
	found, err := history.TrendOf(history.TrendOptions{References: references}, records)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// pageOverTime returns the page with runs over time.
func pageOverTime(t *testing.T, runs []figures.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, runs, trend(t, runs)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// timelinePanels returns the panels that show runs over time.
func timelinePanels(runs []figures.Run, found history.Trend) (all []page.TimelinePanel) {
	for _, f := range page.Pictures(runs, found) {
		for _, p := range f.Panels {
			if panel, ok := p.(page.TimelinePanel); ok {
				all = append(all, panel)
			}
		}
	}
	return all
}

func TestThirtyNightsAreOneFigureOfTheNewestRun(t *testing.T) {
	content := pageOverTime(t, nights(30))
	if len(content) > 1<<20 {
		t.Errorf("%d bytes, want at most 1 MiB", len(content))
	}
	for part, n := range map[string]int{
		`<section id="over-time"`: 1, `<section id="run-`: 1, `<section id="run-night-29"`: 1,
		`<section id="throughput-write"`: 1, "<tr><td>2026-": 29,
		`<tr><td><a href="#run-night-29">2026-11-18 02:01</a>`: 1,
		`<td>41007</td>`: 1, "<td>results/night-07.json</td>": 1,
		"<td>HDF5 was 1.10.8, now 1.14.3</td>": 1,
	} {
		if got := strings.Count(content, part); got != n {
			t.Errorf("%d times %s, want %d", got, part, n)
		}
	}
	row := regexp.MustCompile(`<tr><td>2026-11-07 02:01</td>.*<div>all 18 series of read, warm: -\d\d\.\d % ` +
		`\(-3\d\.\d % to -2\d\.\d %\)</div></td>`)
	if !row.MatchString(content) {
		t.Error("the table does not tell of the change")
	}
	failed := `<tr><td>2026-10-31 02:01</td><td>41011</td><td><span class="state failed">failed</span> ` +
		`<span class="missing">pwrite /scratch/data: no space left on device</span></td>`
	if !strings.Contains(content, failed) {
		t.Error("the table does not say why a run has no figures")
	}
}

func TestPanelsOverTimeHaveTheFiguresOfTheRuns(t *testing.T) {
	runs := nights(30)
	found := trend(t, runs)
	panels := timelinePanels(runs, found)
	if len(panels) != 2*6 {
		t.Fatalf("%d panels, want 2 of each of 6 cases", len(panels))
	}
	for i, p := range panels {
		if p.Wide != (i < 2) {
			t.Errorf("%s: wide %v; only the first case is", p.Title, p.Wide)
		}
		if p.Kind != []string{"write", "read, warm"}[min(1, i%2)] && i < 2 || len(p.Series) != 3 {
			t.Errorf("%d: %s of %d APIs", i, p.Kind, len(p.Series))
		}
		seen := 0
		for _, r := range runs {
			for _, of := range r.Points() {
				title := fmt.Sprintf("%d processes, %s", of.Case.Processes, of.TransferText())
				if !strings.HasPrefix(p.Title, string(of.Operation)) || !strings.HasSuffix(p.Title, title) {
					continue
				}
				for _, s := range p.Series {
					x := page.UnixSeconds(r.Started)
					at := slices.IndexFunc(s.Points, func(p page.Point) bool { return p.X == x })
					switch {
					case s.Key.Name != figures.APILabel(of.Case.API):
					case r.State == result.Failed:
						if at >= 0 {
							t.Errorf("%s: a figure of a run that failed", p.Title)
						}
					case at < 0 || !near(s.Points[at], of, p.Y):
						t.Errorf("%s, %s: not the figures of %s", p.Title, s.Key.Name, r.RunID)
					default:
						seen++
					}
				}
			}
		}
		if seen != 3*29 {
			t.Errorf("%s: %d figures, want %d", p.Title, seen, 3*29)
		}
	}
}

// near reports whether a point is drawn with the values of another, in the unit of an axis.
func near(drawn page.Point, of figures.Point, y page.Axis) bool {
	unit := map[string]float64{"MiB/s": 1 << 20, "GiB/s": 1 << 30, "KiB/s": 1 << 10}[y.Label[len(y.Label)-5:]]
	same := func(a, b float64) bool { return math.Abs(a*unit-b) < 1e-6*b }
	return same(drawn.Y, of.Rate.Median) && same(drawn.Low, of.Rate.Low) && same(drawn.High, of.Rate.High) &&
		drawn.Interval == of.Rate.Interval && !drawn.Hollow
}

func TestPanelsOverTimeMarkWhatTrendFound(t *testing.T) {
	runs := nights(30)
	found := trend(t, runs)
	change := regexp.MustCompile(`^(-\d\d\.\d %)( to -\d\d\.\d %)? since 2026-11-07$`)
	for i, p := range timelinePanels(runs, found) {
		if p.Kind == "write" {
			if len(p.Changes) != 0 {
				t.Errorf("%s: %+v, though only reads changed", p.Title, p.Changes)
			}
		} else if len(p.Changes) != 1 || !p.Changes[0].At.Equal(runs[changedNight].Started) {
			t.Errorf("%s: %+v, want a change at night %d", p.Title, p.Changes, changedNight)
		} else if words := change.FindStringSubmatch(p.Changes[0].Text); words == nil ||
			!slices.ContainsFunc(found.Series, func(s history.Series) bool {
				return len(s.ChangePoints) == 1 &&
					fmt.Sprintf("%+.1f %%", 100*(s.ChangePoints[0].Ratio-1)) == words[1]
			}) {
			t.Errorf("%s: %q, which no series has", p.Title, p.Changes[0].Text)
		}
		var events []string
		for _, e := range p.Events {
			events = append(events, fmt.Sprint(e.At.Format(time.DateOnly), " ", e.Failed, " ", e.Text))
		}
		want := []string{"2026-10-31 true ", "2026-11-07 false "}
		if i == 1 { // only the last wide panel has texts
			want = []string{
				"2026-10-31 true failed: pwrite /scratch/data: no space left on device", "2026-11-07 false HDF5 1.14.3",
			}
		}
		if !slices.Equal(events, want) {
			t.Errorf("%s: events %q, want %q", p.Title, events, want)
		}
	}
}

func TestPanelsOverTimeMarkTheEndOfSeries(t *testing.T) {
	runs := nights(30)
	for i := range runs[15:] {
		runs[15+i].Cases = slices.DeleteFunc(slices.Clone(runs[15+i].Cases),
			func(c result.Case) bool { return c.API != result.POSIX })
	}
	panels, want := timelinePanels(runs, trend(t, runs)), "MPI-IO, HDF5: last run 2026-11-03"
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
	found := trend(t, runs)
	quiet(&found)
	since := history.ChangePoint{Change: history.Change{
		Since: runs[5].Started, RunID: runs[5].RunID, Index: 5, Ratio: 0.9,
	}}
	found.Groups[0].ChangePoints = []history.ChangePoint{since}
	for _, p := range timelinePanels(runs, found) {
		if len(p.Changes) != 1 || p.Changes[0].Text != "all 36 series -10.0 % since 2026-10-25" {
			t.Errorf("%s: %+v", p.Title, p.Changes)
		}
	}
	for i := range found.Groups {
		if found.Groups[i].Operation == result.OperationWrite && found.Groups[i].API == "" {
			found.Groups[i].ChangePoints = []history.ChangePoint{since}
		}
	}
	for _, p := range timelinePanels(runs, found) {
		if n := len(p.Changes); n != map[string]int{"write": 1}[p.Kind] {
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
	found := trend(t, runs)
	quiet(&found)
	plain := page.Pictures(runs, found)[0]
	incident := incidentAt(runs, 5, 7, 0.6)
	found.Groups[0].Incidents = []history.Incident{incident, incidentAt(runs, 9, 9, 1.5)}
	lasting := history.ChangePoint{Change: incident.Change} // one incident does not hide it
	found.Groups[0].ChangePoints = []history.ChangePoint{lasting}
	for i := range found.Series {
		if s := &found.Series[i]; s.Operation == result.OperationWrite {
			s.Incidents = []history.Incident{incident}
		}
	}
	picture := page.Pictures(runs, found)[0]
	for _, p := range timelinePanels(runs, found) {
		var got []string
		for _, e := range p.Changes {
			got = append(got, e.Text)
			if band := !e.Until.IsZero(); band != strings.HasPrefix(e.Text, "incident: ") {
				t.Errorf("%s: %s until %s", p.Title, e.Text, e.Until)
			}
		}
		want := []string{
			"all 36 series -40.0 % since 2026-10-25", "incident: all 36 series +50.0 % on 2026-10-29",
		}
		if p.Kind == "write" {
			want = slices.Insert(want, 0, "incident: -40.0 % from 2026-10-25 to 2026-10-27")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", p.Title, got, want)
		}
	}
	const caption = "A band is an incident: a change that lasts for one to five runs"
	if strings.Contains(plain.Caption, caption) || !strings.Contains(picture.Caption, caption) ||
		!strings.Contains(picture.Caption, "A vertical line is a lasting change") {
		t.Errorf("captions %q and %q", plain.Caption, picture.Caption)
	}
}

func TestTheListOfRunsTellsOfIncidents(t *testing.T) {
	runs := nights(12)
	found := trend(t, runs)
	quiet(&found)
	found.Series[0].Incidents = []history.Incident{incidentAt(runs, 5, 7, 0.6)}
	var b bytes.Buffer
	if err := page.Write(&b, runs, found); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`<tr><td>2026-10-25 02:01</td>.*` +
		`<div>write, POSIX, [^<]*: incident of 3 runs, -40\.0 %</div>`)
	if !row.MatchString(b.String()) {
		t.Error("the table does not tell of the incident")
	}
}

func TestTheCaseOfAnOngoingIncidentIsTheMainOne(t *testing.T) {
	runs := nights(12)
	found := trend(t, runs)
	quiet(&found)
	main := timelinePanels(runs, found)[0].Title
	s := &found.Series[slices.IndexFunc(found.Series, func(s history.Series) bool {
		return s.Operation == result.OperationWrite && !strings.Contains(main, fmt.Sprint(s.Processes, " proc"))
	})]
	s.Incidents = []history.Incident{incidentAt(runs, 10, 10, 0.6)}
	if title := timelinePanels(runs, found)[0].Title; title != main {
		t.Errorf("%q is first, though its incident is over", title)
	}
	s.Incidents[0].Ongoing = true
	if title := timelinePanels(runs, found)[0].Title; !strings.Contains(title, fmt.Sprint(s.Processes, " proc")) {
		t.Errorf("%q is first, want the case with an incident", title)
	}
}

func TestTheReferenceIsALineOverTime(t *testing.T) {
	runs := nights(30)
	pinned := history.PinnedReference{
		Identity: runs[0].Identity, Time: time.Date(2026, 10, 25, 9, 0, 0, 0, time.UTC), Note: "acceptance",
		Runs: []string{"night-02", "night-03", "night-04"},
	}
	found := trend(t, runs, pinned)
	for _, p := range timelinePanels(runs, found) {
		if len(p.ReferenceLines) != 3 {
			t.Fatalf("%s: %d levels, want one for each API", p.Title, len(p.ReferenceLines))
		}
		named := 0
		for i, l := range p.ReferenceLines {
			values := []float64{p.Series[i].Points[2].Y, p.Series[i].Points[3].Y, p.Series[i].Points[4].Y}
			slices.Sort(values)
			if math.Abs(l.Y-values[1]) > 1e-9*l.Y || !l.From.Equal(runs[2].Started) ||
				l.Colour != p.Series[i].Key.Colour {
				t.Errorf("%s: %+v, want the median %g of the reference", p.Title, l, values[1])
			}
			named += strings.Count(l.Text, "reference")
		}
		if named != 1 {
			t.Errorf("%s: %d names", p.Title, named)
		}
	}
	f := page.Pictures(runs, found)[0]
	if !slices.ContainsFunc(f.Keys, func(k page.LegendKey) bool {
		return k.Name == "reference set 2026-10-25: acceptance" && k.Level
	}) || !strings.Contains(f.Caption, "Of 36 series that can be compared with the reference (3 runs, set "+
		"2026-10-25), 18 are below it and 0 above it. All 18 series of read, warm -28.8 %.") {
		t.Errorf("%q, %+v", f.Caption, f.Keys)
	}
}

func TestARunWithoutALaterOneOfItsPointsIsShownAlone(t *testing.T) {
	shown := func(runs []figures.Run) (ids []string) {
		for _, m := range regexp.MustCompile(`<section id="run-([^"]*)"`).FindAllStringSubmatch(pageOverTime(t,
			runs), -1) {
			ids = append(ids, m[1])
		}
		return ids
	}
	runs := nights(failedNight + 1)
	if ids := shown(runs); !slices.Equal(ids, []string{"night-11", "night-10"}) {
		t.Errorf("%s, want the newest run, which failed, and the newest with figures", ids)
	}
	runs = nights(4)
	runs[1].Cases = runs[1].Cases[9:]                                   // two processes
	runs[3].Parameters.Conditions.Sync, runs[3].RunID = "each", "other" // not comparable with the others
	if ids := shown(runs); !slices.Equal(ids, []string{"other", "night-02"}) {
		t.Errorf("%s", ids)
	}
	runs = nights(2)
	runs[0].Cases, runs[1].Cases = runs[0].Cases[:9], runs[1].Cases[9:]
	if content := pageOverTime(t, runs); strings.Contains(content, "over-time") ||
		!strings.Contains(content, `<section id="scaling-write"`) {
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
	var wide []string
	for _, p := range timelinePanels(runs, trend(t, runs)) {
		if p.Wide {
			wide = append(wide, fmt.Sprint(p.Kind, " ", len(p.Series)))
		}
	}
	if want := []string{"write 3", "read 1", "read, warm 2"}; !slices.Equal(wide, want) {
		t.Errorf("%q, want %q", wide, want)
	}
}

func TestACappedRunIsOpenOverTime(t *testing.T) {
	runs := nights(3)
	for k := range runs[1].Cases {
		runs[1].Cases[k].EndedBy = result.EndedByDeadline
	}
	found := trend(t, runs)
	for _, p := range timelinePanels(runs, found) {
		for _, s := range p.Series {
			if s.Points[0].Hollow || !s.Points[1].Hollow || s.Points[2].Hollow {
				t.Errorf("%s: %+v", p.Title, s.Points)
			}
		}
	}
	if f := page.Pictures(runs, found)[0]; !slices.ContainsFunc(f.Keys,
		func(k page.LegendKey) bool { return k.Hollow }) {
		t.Error("no key says why")
	}
}

func TestFailuresForOneReasonHaveItsWordsOnce(t *testing.T) {
	runs := nights(8)
	for i := 2; i < 7; i++ {
		runs[i].State, runs[i].Errors = result.Failed, []result.Error{{Message: "no space"}}
	}
	runs[6].Errors[0].Message = "stale handle"
	var texts []string
	for _, e := range timelinePanels(runs, trend(t, runs))[1].Events {
		texts = append(texts, e.Text)
	}
	if want := []string{"", "", "", "4 runs failed: no space", "failed: stale handle"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

func TestFoldedPanelsOverTimeHaveARowForEachDirection(t *testing.T) {
	content := section(t, pageOverTime(t, nights(3)), "over-time")
	if !strings.Contains(content, `<figure style="--columns:3">`) {
		t.Error("panels are not in three columns, each as wide as a third of the wide ones")
	}
	_, folded, _ := strings.Cut(content, "<summary>10 more</summary>")
	var rows []string
	for _, row := range strings.Split(folded, `<div class="panels">`)[1:] {
		kinds := regexp.MustCompile(`aria-label="(write|read, warm), `).FindAllStringSubmatch(row, -1)
		rows = append(rows, fmt.Sprint(len(kinds), " ", kinds[0][1], " ", kinds[len(kinds)-1][1]))
	}
	if want := []string{"5 write write", "5 read, warm read, warm"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
}
