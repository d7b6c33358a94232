package page

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"h5perf/pkg/figures"
)

// Comparison is the comparison of two or more runs whose iterations were measured alternately. The caller computes all
// conclusions.
type Comparison struct {
	RunIDs         []string // of the run with which the others are compared, then of the others
	Title          string
	Configurations []Configuration // description of what each run measured
	Differences    []Difference
	Conclusion     string     // the number of differences that were shown, in a sentence
	CommonNotes    []string   // notes about all differences
	Details        []string   // notes about some differences, and about intervals
	Table          [][]string // rows of the table; the first is the heading
	Race           []RaceLine // lines instead of differences, that of the first run first; nil: it is no race
}

// Configuration is the name of a run of a comparison, such as A, and what it measured.
type Configuration struct {
	Name, Text string
}

// Difference is the difference between a run of a comparison and the first one.
type Difference struct {
	Panel       string // title of the panel in which it is shown
	Compared    string // what is compared in the panel: its subtitle
	API         string
	Name        string // what was measured
	Conclusion  string // as text
	Note        string // more about it; may be empty
	Significant bool   // the interval shows a difference

	Ratio     float64 // value of the run divided by that of the first run
	Low, High float64 // ends of the interval
	Interval  bool    // there are enough values for an interval
}

// containsRun reports whether a run belongs to the comparison.
func (c Comparison) containsRun(r *figures.Run) bool { return slices.Contains(c.RunIDs, r.RunID) }

// pictureName returns a name for the picture of the comparison. No other comparison of the page has the same name.
func (c Comparison) pictureName() string { return "difference-" + LinkName(c.RunIDs[0]) }

// LinkName returns a name for links and files that consists of lower-case letters, digits and hyphens. Different texts
// have different names.
func LinkName(text string) string {
	const most = 48
	name := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(text))
	if name == text && len(name) <= most {
		return name
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text)) // never fails
	return fmt.Sprintf("%s-%08x", name[:min(len(name), most)], sum.Sum32())
}

// picture makes a picture of all differences, with their intervals, or of the race.
func (c Comparison) picture(source string) Picture {
	if c.Race != nil {
		return c.racePicture(source)
	}
	var ratios []float64
	for _, d := range c.Differences {
		ratios = append(ratios, d.Ratio)
		if d.Interval {
			ratios = append(ratios, d.Low, d.High)
		}
	}
	x := ratioAxis(ratios...)
	f := Picture{
		Name: c.pictureName(), Title: c.Title, Source: source,
		Caption: c.Conclusion + ". A bar is the interval of the difference; without a bar, there are too few values " +
			"for an interval.",
	}
	unclear := false
	titles := func(d Difference) [2]string { return [2]string{d.Panel, d.Compared} }
	for _, g := range groupByKey(c.Differences, titles) {
		panel := Panel{Title: g.key[0], Subtitle: g.key[1], X: x, Level: 1}
		for _, d := range g.items {
			row := Row{
				Key: newAPIKey(d.API), Name: d.Name, Conclusion: d.Conclusion, Note: d.Note,
				Value: d.Ratio, Low: d.Ratio, High: d.Ratio, Interval: d.Interval, Hollow: !d.Significant,
			}
			if d.Interval {
				row.Low, row.High = d.Low, d.High
			}
			unclear = unclear || row.Hollow
			panel.Rows = append(panel.Rows, row)
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Keys = distinctAPIKeys(f.Panels)
	if unclear {
		f.Keys = append(f.Keys, LegendKey{Name: "no difference shown", Colour: Muted, Hollow: true, NoLine: true})
	}
	return f
}
