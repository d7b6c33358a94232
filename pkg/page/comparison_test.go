package page_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// inTurns returns two runs that were measured in turns, and their comparison.
func inTurns(of func() figures.Run) ([]figures.Run, page.Comparison) {
	runs := []figures.Run{of(), of()}
	runs[1].RunID = runs[0].RunID + "-b"
	c := page.Comparison{
		Title:          "B compared with A",
		Configurations: []page.Configuration{{Name: "A", Text: "-A mpiio"}, {Name: "B", Text: "-A mpiio -C"}},
		CommonNotes:    []string{"differs: mode: independent in A, collective in B"},
		Details:        []string{"outliers in B"},
		Table:          [][]string{{"verdict", "point"}, {"B is 12 % slower", "write, POSIX"}},
		Conclusion:     "3 points: 1 with a slower B",
		Differences: []page.Difference{
			{
				Panel: "write", Compared: "throughput", API: "posix", Name: "POSIX, 4 processes",
				Conclusion: "B is 12 % slower", Significant: true, Ratio: 0.88, Low: 0.85, High: 0.9, Interval: true,
			},
			{
				Panel: "read", Compared: "throughput", API: "phdf5", Name: "HDF5, 4 processes",
				Conclusion: "no difference shown", Ratio: 1.02,
			},
			{
				Panel: "read", Compared: "throughput", API: "mpiio", Name: "MPI-IO, 4 processes",
				Conclusion: "B is 600 % faster", Significant: true, Ratio: 7, Low: 6, High: 8, Interval: true,
			},
		},
	}
	for i := range runs {
		arm := result.ValuesOf[result.Arm]()[i]
		runs[i].Pair = &result.Pair{Arm: arm, PartnerRunID: runs[1-i].RunID}
		c.RunIDs = append(c.RunIDs, runs[i].RunID)
	}
	return runs, c
}

// Pictures are written to files with their names.
func TestTheRunIDOfAComparisonLeadsNowhere(t *testing.T) {
	names := map[string]bool{}
	for _, id := range []string{"x/../../Escaped " + strings.Repeat("y", 300), "a/b", "a-b", "A-b"} {
		runs, c := inTurns(figurestest.Sweep)
		runs[0].RunID, c.RunIDs[0] = id, id
		name := page.Pictures(page.Content{Runs: runs, Comparisons: []page.Comparison{c}})[0].Name
		if !regexp.MustCompile(`^[a-z0-9-]{1,80}$`).MatchString(name) || names[name] {
			t.Errorf("a picture has the name %s", name)
		}
		names[name] = true
	}
}

func TestDifferencesAreDrawnAsTheyWereFound(t *testing.T) {
	runs, c := inTurns(figurestest.Sweep)
	pictures := page.Pictures(page.Content{Runs: runs, Comparisons: []page.Comparison{c}})
	if len(pictures) != 1 {
		t.Errorf("%d pictures, want only that of the differences", len(pictures))
	}
	f := pictures[0]
	var drawn []string
	for _, panel := range f.Panels {
		forest := panel
		drawn = append(drawn, forest.Title)
		for _, r := range forest.Rows {
			drawn = append(drawn, fmt.Sprintf("%s: %s, %g (%g to %g %v) open %v",
				r.Name, r.Conclusion, r.Value, r.Low, r.High, r.Interval, r.Hollow))
		}
		if x := forest.X; !x.Log || x.Min > 0.85 || x.Max < 8 || x.FormatTick(0.5) != "1/2" || x.FormatTick(4) != "4" {
			t.Errorf("an axis from %g to %g", x.Min, x.Max)
		}
	}
	want := []string{
		"write", "POSIX, 4 processes: B is 12 % slower, 0.88 (0.85 to 0.9 true) open false",
		"read", "HDF5, 4 processes: no difference shown, 1.02 (1.02 to 1.02 false) open true",
		"MPI-IO, 4 processes: B is 600 % faster, 7 (6 to 8 true) open false",
	}
	if !slices.Equal(drawn, want) {
		t.Errorf("%q, want %q", drawn, want)
	}
	if n := len(f.Keys); n != 4 || !f.Keys[n-1].Hollow {
		t.Errorf("keys %+v, want those of 3 APIs and of no difference", f.Keys)
	}
}

func TestThePageOfAComparisonBeginsWithItsDifferences(t *testing.T) {
	runs, c := inTurns(figurestest.Sweep)
	var b bytes.Buffer
	if err := page.Write(&b, page.Content{Runs: runs, Comparisons: []page.Comparison{c}}); err != nil {
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
	if strings.Contains(content, `<section id="layers">`) {
		t.Error("the layers of one of the runs stand for both")
	}
	if n := strings.Count(content, "<dt>Launcher</dt>"); n != 0 && n != 1 || strings.Count(content,
		"<dt>Machine</dt>") != 1 {
		t.Error("facts that both runs have stand twice")
	}
}
