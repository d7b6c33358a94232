package page_test

import (
	"bytes"
	"fmt"
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

// inTurns returns two runs that were measured in turns, and their pair.
func inTurns(of func() figures.Run) ([]figures.Run, page.Pair) {
	runs := []figures.Run{of(), of()}
	runs[1].RunID = runs[0].RunID + "-b"
	p := page.Pair{
		Names: [2]string{"A", "B"}, Configurations: [2]string{"-A mpiio", "-A mpiio -C"},
		CommonNotes: []string{"differs: mode: independent in A, collective in B"}, Details: []string{"outliers in B"},
		Table:      [][]string{{"verdict", "point"}, {"B is 12 % slower", "write, POSIX"}},
		Conclusion: "3 points: 1 with a slower B",
		Differences: []page.PointDifference{
			{
				Operation: "write", API: "posix", Processes: 4, TransferBytes: 64 << 10,
				Name: "write, POSIX, 4 processes", Verdict: "B is 12 % slower", Significant: true,
				Ratio: 0.88, Low: 0.85, High: 0.9, Interval: true,
			},
			{
				Operation: "read", API: "phdf5", Processes: 4, TransferBytes: 64 << 10,
				Name: "read, HDF5, 4 processes", Verdict: "no difference shown", Ratio: 1.02,
			},
			{
				Operation: "read", API: "mpiio", Processes: 4, TransferBytes: 64 << 10,
				Name: "read, MPI-IO, 4 processes", Verdict: "B is 600 % faster", Significant: true,
				Ratio: 7, Low: 6, High: 8, Interval: true,
			},
		},
	}
	for i := range runs {
		arm := result.ValuesOf[result.Arm]()[i]
		runs[i].Pair = &result.Pair{Arm: arm, PartnerRunID: runs[1-i].RunID}
		p.RunIDs[i] = runs[i].RunID
	}
	return runs, p
}

// Pictures are written to files with their names.
func TestTheRunIDOfAPairLeadsNowhere(t *testing.T) {
	runs, p := inTurns(figurestest.Sweep)
	runs[0].RunID = "x/../../Escaped " + strings.Repeat("y", 300)
	p.RunIDs[0] = runs[0].RunID
	for _, f := range page.Pictures(runs, history.Trend{}, p) {
		if !regexp.MustCompile(`^[a-z0-9-]{1,80}$`).MatchString(f.Name) {
			t.Errorf("a picture has the name %s", f.Name)
		}
	}
}

func TestTheDifferencesOfAPairAreDrawnAsTheyWereFound(t *testing.T) {
	runs, p := inTurns(figurestest.Sweep)
	f := page.Pictures(runs, history.Trend{}, p)[0]
	var drawn []string
	for _, panel := range f.Panels {
		forest := panel.(page.ForestPanel)
		drawn = append(drawn, forest.Title)
		for _, r := range forest.Rows {
			drawn = append(drawn, fmt.Sprintf("%s: %s, %g (%g to %g %v) open %v",
				r.Name, r.Conclusion, r.Value, r.Low, r.High, r.Interval, r.Hollow))
		}
		if x := forest.X; x.Min > 0.85 || x.Max != 2 || x.FormatTick(0.85) != "-15 %" || x.FormatTick(1) != "0 %" {
			t.Errorf("an axis from %s to %s", x.FormatTick(x.Min), x.FormatTick(x.Max))
		}
	}
	want := []string{
		"write", "POSIX, 4 processes: B is 12 % slower, 0.88 (0.85 to 0.9 true) open false",
		"warm read", "HDF5, 4 processes: no difference shown, 1.02 (1.02 to 1.02 false) open true",
		"MPI-IO, 4 processes: B is 600 % faster, 7 (6 to 8 true) open false",
	}
	if !slices.Equal(drawn, want) {
		t.Errorf("%q, want %q", drawn, want)
	}
	if n := len(f.Keys); n != 5 || !f.Keys[n-2].Hollow || !f.Keys[n-1].Arrow {
		t.Errorf("keys %+v, want those of 3 APIs, of no difference and of what is beyond the axis", f.Keys)
	}
}

func TestBothRunsOfAPairAreInOnePanel(t *testing.T) {
	for name, of := range map[string]func() figures.Run{"sweep": figurestest.Sweep, "workload": figurestest.Workload} {
		runs, p := inTurns(of)
		both := page.Pictures(runs, history.Trend{}, p)[1]
		points := 0
		for _, r := range runs {
			points += len(r.Points())
		}
		for _, panel := range both.Panels {
			l := panel.(page.LinePanel)
			if len(l.Series) != 2 || l.Series[0].Key.Dashed || !l.Series[1].Key.Dashed ||
				!strings.HasSuffix(l.Series[0].Key.Name, ", A") || !strings.HasSuffix(l.Series[1].Key.Name, ", B") {
				t.Errorf("%s: %s has the series %+v", name, l.Title, l.Series)
			}
			for i, s := range l.Series {
				for _, at := range s.Points {
					points--
					if at.Hollow != (i == 1) || at.X < l.X.Min || at.X > l.X.Max {
						t.Errorf("%s: %s, point %+v", name, l.Title, at)
					}
				}
			}
		}
		if points != 0 {
			t.Errorf("%s: %d points are not drawn", name, points)
		}
		for _, f := range page.Pictures(runs, history.Trend{}, p)[2:] {
			if strings.HasPrefix(f.Name, "throughput") {
				t.Errorf("%s: %s draws the runs again", name, f.Name)
			}
		}
	}
}

func TestThePageOfAPairBeginsWithItsDifferences(t *testing.T) {
	runs, p := inTurns(figurestest.Sweep)
	var b bytes.Buffer
	if err := page.Write(&b, runs, history.Trend{}, p); err != nil {
		t.Fatal(err)
	}
	content := b.String()
	first, _, _ := strings.Cut(content, "<aside")
	for _, want := range []string{
		"<dt>A</dt><dd>-A mpiio</dd>", "<dt>B</dt><dd>-A mpiio -C</dd>", ">B is 12 % slower</text>",
		"<li>differs: mode: independent in A, collective in B</li>", "<li>outliers in B</li>",
		"<th scope=\"col\">verdict</th>", "<td>B is 12 % slower</td><td>write, POSIX</td>",
		"3 points: 1 with a slower B",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q before the cautions", want)
		}
	}
	if strings.Contains(content, `<section id="best">`) {
		t.Error("the layers of one of the runs stand for both")
	}
	if n := strings.Count(content, `id="both-`); n != 1 {
		t.Errorf("%d pictures of both", n)
	}
}

func TestBothConfigurationsAreNamedByWhatDiffers(t *testing.T) {
	runs, p := inTurns(figurestest.Sweep)
	runs[1].Parameters.Mode = result.ModeCollective
	titles := map[string]string{}
	for _, f := range page.Pictures(runs, history.Trend{}, p) {
		name, _, _ := strings.Cut(f.Name, "-")
		titles[name] = f.Title
		if name == "both" && !strings.HasSuffix(f.Keys[1].Name, ", B (collective=on)") {
			t.Errorf("keys %+v", f.Keys)
		}
	}
	if titles["difference"] != "B (collective=on) compared with A (collective=off)" ||
		!strings.HasPrefix(titles["both"], "Throughput of A (collective=off) and B (collective=on): ") {
		t.Errorf("titles %v", titles)
	}
}
