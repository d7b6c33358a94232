package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// Pair is two runs that were measured in turns, and how they compare. All that is concluded about them comes from the
// caller.
type Pair struct {
	RunIDs         [2]string
	Names          [2]string
	Configurations [2]string // what was measured, in words
	Differences    []Difference
	Shared         []string   // what is to be known of all differences
	Details        []string   // what is to be known of some of them, and of their intervals
	Table          [][]string // heading and rows
	Conclusion     string     // how many differences were shown
}

// Difference is how the second run of a pair differs from the first one in a point.
type Difference struct {
	Operation     result.Operation
	API           string
	Processes     int
	TransferBytes uint64
	Name          string // the point in words
	Verdict       string // what is concluded, in words
	Shown         bool   // a difference was shown

	Ratio     float64 // throughput of the second run : that of the first one
	Low, High float64 // ends of the interval
	Interval  bool    // there are values enough for an interval
}

// has reports whether a run is one of the pair.
func (p Pair) has(r *figures.Run) bool { return slices.Contains(p.RunIDs[:], r.RunID) }

// of returns the points of both runs that have a figure. all holds the points of all runs.
func (p Pair) of(all [][]figures.Point) (points []figures.Point) {
	for _, id := range p.RunIDs {
		for _, one := range all {
			points = append(points, only(one, func(at figures.Point) bool {
				return at.Run.RunID == id && at.Missing == ""
			})...)
		}
	}
	return points
}

// named returns the names of both, each with the settings in which they differ. points are those of the pair.
func (p Pair) named(points []figures.Point) [2]string {
	var runs []*figures.Run
	for _, g := range grouped(points, func(at figures.Point) *figures.Run { return at.Run }) {
		runs = append(runs, g.key)
	}
	names := p.Names
	for run, differs := range figures.Differing(runs) {
		if differs != "" {
			names[slices.Index(p.RunIDs[:], run.RunID)] += " (" + differs + ")"
		}
	}
	return names
}

// row returns the row of a difference. points are those of the pair.
func (p Pair) row(d Difference, points []figures.Point) row {
	i := slices.IndexFunc(points, func(at figures.Point) bool {
		return at.Run.RunID == p.RunIDs[1] && at.Case.API == d.API && at.Operation == d.Operation &&
			at.Case.Processes == d.Processes && at.Case.TransferSize == d.TransferBytes
	})
	if i < 0 {
		return rowOf(figures.Point{Operation: d.Operation})
	}
	return rowOf(points[i])
}

// name returns a name for the pictures of the pair, which differs from those of other pairs of the page. A run id may
// be anything: what is no letter, digit or hyphen becomes a hyphen.
func (p Pair) name(of string) string {
	const most = 64
	id := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(p.RunIDs[0]))
	return of + "-" + id[:min(len(id), most)]
}

// change formats a ratio as a difference.
func change(ratio float64) string {
	percent := math.Round(1e8*(ratio-1)) / 1e6 // 0 for what is not exactly 1
	if percent == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.3g %%", percent)
}

// differences draws the ratio of each point with its interval. points are those of the pair.
func (p Pair) differences(points []figures.Point) Picture {
	var apis []string
	for _, d := range p.Differences {
		apis = append(apis, d.API)
	}
	palette := paletteOf(apis)
	ends := []float64{0.95, 1.05}
	for _, d := range p.Differences {
		ends = append(ends, d.Ratio)
		if d.Interval {
			ends = append(ends, d.Low, d.High)
		}
	}
	x := Axis{Min: slices.Min(ends), Max: min(slices.Max(ends), mostRatio), Print: change}
	margin := 0.04 * (x.Max - x.Min)
	x.Min = max(0, x.Min-margin)
	if x.Max < mostRatio {
		x.Max += margin
	}
	names := p.named(points)
	subtitle := fmt.Sprintf("throughput of %s, compared with %s", names[1], names[0])
	var drawn []placed[Forest]
	shown := map[bool]bool{}
	past := false
	for _, g := range grouped(p.Differences, func(d Difference) row { return p.row(d, points) }) {
		panel := Forest{Title: g.key.String(), Subtitle: subtitle, X: x}
		for _, d := range g.items {
			b := Branch{
				Key: palette.key(d.API, ""), Name: strings.TrimPrefix(d.Name, string(d.Operation)+", "),
				Words: d.Verdict, Value: d.Ratio, Low: d.Ratio, High: d.Ratio, Open: !d.Shown,
			}
			if d.Interval {
				b.Low, b.High, b.Interval = d.Low, d.High, true
			}
			past, shown[d.Shown] = past || max(b.Value, b.High) > x.Max, true
			panel.Rows = append(panel.Rows, b)
		}
		drawn = append(drawn, placed[Forest]{g.key, panel})
	}
	all, starts := inRows(drawn)
	var keys []Key
	for _, api := range palette {
		keys = append(keys, api.pen)
		keys[len(keys)-1].Name = api.Label
	}
	if shown[false] {
		keys = append(keys, Key{Name: "no difference shown", Ink: Muted, Open: true})
	}
	if past {
		keys = append(keys, beyond)
	}
	return Picture{
		Name: p.name("difference"), Title: fmt.Sprintf("%s compared with %s", names[1], names[0]),
		Caption: p.Conclusion + ". A bar is the interval of the difference; without a bar, there are too few values " +
			"for an interval.",
		Keys: keys, Panels: panels(all), Starts: starts,
	}
}

// paletteOf returns the palette of APIs of these names.
func paletteOf(names []string) palette {
	names = slices.Clone(names)
	slices.SortFunc(names, result.CompareAPIs)
	var apis []result.API
	for _, name := range slices.Compact(names) {
		apis = append(apis, result.APIOf(name))
	}
	return newPalette(apis)
}

// throughput draws both runs in one panel for each API, number of processes and direction. points are those of the
// pair.
func (p Pair) throughput(points []figures.Point) Picture {
	var rates, sizes []float64
	for _, at := range points {
		rates, sizes = append(rates, shown(at)...), append(sizes, float64(figures.Size(at.Case)))
	}
	y, unit := rateAxis(rates, wide(rates))
	across := sizeAxis(sizes)
	x := func(at figures.Point) float64 { return float64(figures.Size(at.Case)) }
	if len(points) > 0 && !points[0].Run.Sized() {
		across = Axis{Label: "workload", Max: 2, Values: []float64{1}}
		across.Print = func(float64) string { return points[0].What() }
		x = func(figures.Point) float64 { return 1 }
	}
	type key struct {
		row
		api       string
		processes int
	}
	names := p.named(points)
	var drawn []placed[Lines]
	for _, g := range grouped(points, func(at figures.Point) key {
		return key{rowOf(at), at.Case.API, at.Case.Processes}
	}) {
		panel := Lines{
			Title: g.key.String() + ", " + figures.API(g.key.api) + ", " + processes(g.key.processes),
			Below: y.Label, X: across, Y: y,
		}
		for i, id := range p.RunIDs {
			arm := only(g.items, func(at figures.Point) bool { return at.Run.RunID == id })
			for _, s := range series(paletteOf([]string{g.key.api}), arm, unit, x) {
				s.Key.Name += ", " + names[i]
				s.Key.Dashed = i == 1
				for k := range s.Points {
					s.Points[k].Open = i == 1
				}
				panel.Series = append(panel.Series, s)
			}
		}
		drawn = append(drawn, placed[Lines]{g.key.row, panel})
	}
	all, starts := inRows(drawn)
	if len(all) == 0 {
		return Picture{}
	}
	return Picture{
		Name: p.name("both"), Title: fmt.Sprintf("Throughput of %s and %s", names[0], names[1]),
		Caption: "Bytes divided by " + figures.Window + ", of both in turns. " + marked,
		Keys:    append(distinct(all), only(sampleKeys(points), func(k Key) bool { return !k.Open })...),
		Panels:  panels(all), Starts: starts,
	}
}
