package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// Pair is the comparison of two runs whose iterations were measured alternately. The caller computes all conclusions.
type Pair struct {
	RunIDs         [2]string
	Names          [2]string
	Configurations [2]string // description of what each run measured
	Differences    []PointDifference
	CommonNotes    []string   // notes about all differences
	Details        []string   // notes about some differences, and about intervals
	Table          [][]string // rows of the table; the first is the heading
	Conclusion     string     // the number of differences that were shown, in a sentence
}

// PointDifference is the difference between the second run and the first run of a pair, for one point.
type PointDifference struct {
	Operation     result.Operation
	API           string
	Processes     int
	TransferBytes uint64
	Name          string // description of the point
	Verdict       string // the conclusion, as text
	Significant   bool   // the interval shows a difference

	Ratio     float64 // throughput of the second run divided by that of the first run
	Low, High float64 // ends of the interval
	Interval  bool    // there are enough values for an interval
}

// containsRun reports whether a run belongs to the pair.
func (p Pair) containsRun(r *figures.Run) bool { return slices.Contains(p.RunIDs[:], r.RunID) }

// pointsOfPair returns the points of both runs that have a result. all holds the points of all runs.
func (p Pair) pointsOfPair(all [][]figures.Point) (points []figures.Point) {
	for _, id := range p.RunIDs {
		for _, one := range all {
			points = append(points, filterSlice(one, func(at figures.Point) bool {
				return at.Run.RunID == id && at.Missing == ""
			})...)
		}
	}
	return points
}

// namesWithSettings returns the names of both runs, each with the settings in which the runs differ. points holds the
// points of the pair.
func (p Pair) namesWithSettings(points []figures.Point) [2]string {
	var runs []*figures.Run
	for _, g := range groupByKey(points, func(at figures.Point) *figures.Run { return at.Run }) {
		runs = append(runs, g.key)
	}
	names := p.Names
	for run, differs := range figures.DifferingSettings(runs) {
		if differs != "" {
			names[slices.Index(p.RunIDs[:], run.RunID)] += " (" + differs + ")"
		}
	}
	return names
}

// rowOfDifference returns the row of panels in which a difference is shown. points holds the points of the pair.
func (p Pair) rowOfDifference(d PointDifference, points []figures.Point) panelRow {
	i := slices.IndexFunc(points, func(at figures.Point) bool {
		return at.Run.RunID == p.RunIDs[1] && at.Case.API == d.API && at.Operation == d.Operation &&
			at.Case.Processes == d.Processes && at.Case.TransferSize == d.TransferBytes
	})
	if i < 0 {
		return rowOfPoint(figures.Point{Operation: d.Operation})
	}
	return rowOfPoint(points[i])
}

// pictureName returns a name for a picture of the pair. No other pair of the page has the same name. A run id may
// contain any characters: each one that is not a letter, a digit or a hyphen becomes a hyphen.
func (p Pair) pictureName(of string) string {
	const most = 64
	id := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(p.RunIDs[0]))
	return of + "-" + id[:min(len(id), most)]
}

// formatDifferenceTick formats a ratio, at a tick of an axis, as a difference in per cent.
func formatDifferenceTick(ratio float64) string {
	percent := math.Round(1e8*(ratio-1)) / 1e6 // 0 if the ratio is 1 but for rounding errors
	if percent == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.3g %%", percent)
}

// differencesPicture makes a picture of the ratio between both runs for each point, with its interval. points holds the
// points of the pair.
func (p Pair) differencesPicture(points []figures.Point) Picture {
	var apis []string
	for _, d := range p.Differences {
		apis = append(apis, d.API)
	}
	palette := paletteOfNames(apis)
	ends := []float64{0.95, 1.05}
	for _, d := range p.Differences {
		ends = append(ends, d.Ratio)
		if d.Interval {
			ends = append(ends, d.Low, d.High)
		}
	}
	x := Axis{Min: slices.Min(ends), Max: min(slices.Max(ends), maxRatio), FormatTick: formatDifferenceTick}
	margin := 0.04 * (x.Max - x.Min)
	x.Min = max(0, x.Min-margin)
	if x.Max < maxRatio {
		x.Max += margin
	}
	names := p.namesWithSettings(points)
	subtitle := fmt.Sprintf("throughput of %s, compared with %s", names[1], names[0])
	var drawn []placedPanel[ForestPanel]
	shown := map[bool]bool{}
	past := false
	for _, g := range groupByKey(p.Differences,
		func(d PointDifference) panelRow { return p.rowOfDifference(d, points) }) {
		panel := ForestPanel{Title: g.key.String(), Subtitle: subtitle, X: x}
		for _, d := range g.items {
			b := ForestPanelRow{
				Key: palette.legendKeyForAPI(d.API, ""), Name: strings.TrimPrefix(d.Name, string(d.Operation)+", "),
				Conclusion: d.Verdict, Value: d.Ratio, Low: d.Ratio, High: d.Ratio, Hollow: !d.Significant,
			}
			if d.Interval {
				b.Low, b.High, b.Interval = d.Low, d.High, true
			}
			past, shown[d.Significant] = past || max(b.Value, b.High) > x.Max, true
			panel.Rows = append(panel.Rows, b)
		}
		drawn = append(drawn, placedPanel[ForestPanel]{g.key, panel})
	}
	all, starts := arrangeInRows(drawn)
	var keys []LegendKey
	for _, api := range palette {
		keys = append(keys, api.pen)
		keys[len(keys)-1].Name = api.Label
	}
	if shown[false] {
		keys = append(keys, LegendKey{Name: "no difference shown", Colour: Muted, Hollow: true})
	}
	if past {
		keys = append(keys, beyondKey)
	}
	return Picture{
		Name: p.pictureName("difference"), Title: fmt.Sprintf("%s compared with %s", names[1], names[0]),
		Caption: p.Conclusion + ". A bar is the interval of the difference; without a bar, there are too few values " +
			"for an interval.",
		Keys: keys, Panels: toPanels(all), RowStarts: starts,
	}
}

// paletteOfNames returns the palette (the colour and marker of each API) for APIs, given by name.
func paletteOfNames(names []string) palette {
	names = slices.Clone(names)
	slices.SortFunc(names, result.CompareAPIs)
	var apis []result.API
	for _, name := range slices.Compact(names) {
		apis = append(apis, result.APIOf(name))
	}
	return newPalette(apis)
}

// throughputPicture makes a picture with a panel for each API, number of processes and direction. Each panel shows both
// runs. points holds the points of the pair.
func (p Pair) throughputPicture(points []figures.Point) Picture {
	var rates, sizes []float64
	for _, at := range points {
		rates, sizes = append(rates, ratesOfPoint(at)...), append(sizes, float64(figures.TransferBytes(at.Case)))
	}
	y, unit := rateAxis(rates, needsLogAxis(rates))
	across := sizeAxis(sizes)
	x := func(at figures.Point) float64 { return float64(figures.TransferBytes(at.Case)) }
	if len(points) > 0 && !points[0].Run.HasTransferSize() {
		across = Axis{Label: "workload", Max: 2, Values: []float64{1}}
		across.FormatTick = func(float64) string { return points[0].TransferText() }
		x = func(figures.Point) float64 { return 1 }
	}
	type key struct {
		panelRow
		api       string
		processes int
	}
	names := p.namesWithSettings(points)
	var drawn []placedPanel[LinePanel]
	for _, g := range groupByKey(points, func(at figures.Point) key {
		return key{rowOfPoint(at), at.Case.API, at.Case.Processes}
	}) {
		panel := LinePanel{
			Title:    g.key.String() + ", " + figures.APILabel(g.key.api) + ", " + processesText(g.key.processes),
			Subtitle: y.Label, X: across, Y: y,
		}
		for i, id := range p.RunIDs {
			arm := filterSlice(g.items, func(at figures.Point) bool { return at.Run.RunID == id })
			for _, s := range seriesPerAPI(paletteOfNames([]string{g.key.api}), arm, unit, x) {
				s.Key.Name += ", " + names[i]
				s.Key.Dashed = i == 1
				for k := range s.Points {
					s.Points[k].Hollow = i == 1
				}
				panel.Series = append(panel.Series, s)
			}
		}
		drawn = append(drawn, placedPanel[LinePanel]{g.key.panelRow, panel})
	}
	all, starts := arrangeInRows(drawn)
	if len(all) == 0 {
		return Picture{}
	}
	return Picture{
		Name: p.pictureName("both"), Title: fmt.Sprintf("Throughput of %s and %s", names[0], names[1]),
		Caption: "Bytes divided by " + figures.WindowMeaning + ", of both in turns. " + marksCaption,
		Keys: append(distinctLegendKeys(all),
			filterSlice(sampleLegendKeys(points), func(k LegendKey) bool { return !k.Hollow })...),
		Panels: toPanels(all), RowStarts: starts,
	}
}
