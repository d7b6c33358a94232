package page

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// throughputPicture makes a picture of throughput over transfer size for one operation. It has a panel for each run and
// number of processes.
func throughputPicture(apis palette, points []figures.Point, operation result.Operation) Picture {
	rates := map[result.Operation][]float64{}
	for _, p := range points {
		rates[p.Operation] = append(rates[p.Operation], ratesOfPoint(p)...)
	}
	// the same scale for both operations, so that they can be compared
	both := needsLogAxis(rates[result.OperationWrite]) || needsLogAxis(rates[result.OperationRead])
	y, unit := rateAxis(rates[operation], both)
	points = filterSlice(points, func(p figures.Point) bool { return p.Operation == operation })
	var sizes []float64
	for _, p := range points {
		sizes = append(sizes, float64(figures.TransferBytes(p.Case)))
	}
	type key struct {
		runProcesses
		panelRow
	}
	names := namesOfPoints(points)
	apart := slices.ContainsFunc(points, func(p figures.Point) bool { return rowOfPoint(p) != rowOfPoint(points[0]) })
	var drawn []placedPanel[LinePanel]
	for _, g := range groupByKey(points, func(p figures.Point) key { return key{runProcessesOf(p), rowOfPoint(p)} }) {
		what := processesText(g.key.processes)
		if g.key.panelRow == warmReads {
			what += ", warm"
		} else if apart {
			what += ", not warm"
		}
		title, below := g.key.panelTitles(names, what, y.Label)
		drawn = append(drawn, placedPanel[LinePanel]{g.key.panelRow, LinePanel{
			Title: title, Subtitle: below, X: sizeAxis(sizes), Y: y,
			Series: seriesPerAPI(apis, g.items, unit,
				func(p figures.Point) float64 { return float64(figures.TransferBytes(p.Case)) }),
		}})
	}
	all, starts := arrangeInRows(drawn)
	return Picture{
		Name:    "throughput-" + string(operation),
		Title:   "Throughput of " + string(operation) + "s against transfer size",
		Caption: "Bytes divided by " + figures.WindowMeaning + ": " + measuredText(points) + " " + marksCaption,
		Keys:    append(distinctLegendKeys(all), sampleLegendKeys(points)...), Panels: toPanels(all), RowStarts: starts,
	}
}

// marksCaption is the part of a caption that explains the marks of a point.
var marksCaption = "A marker is the median. A bar with caps is its " + stats.Interval +
	". A bar without caps is the range of the samples, if there are too few for an interval. The small shapes " +
	"are samples."

// ratesOfPoint returns all throughputs that a picture shows for a point: median, interval and samples.
func ratesOfPoint(p figures.Point) []float64 {
	rates := []float64{p.Rate.Median, p.Rate.Low, p.Rate.High}
	for _, s := range p.Samples {
		rates = append(rates, s.Throughput())
	}
	return rates
}

// seriesPerAPI returns a series for each API. Throughputs are divided by unit, the unit of the axis in bytes per
// second; the function x returns the position of a point on the X axis.
func seriesPerAPI(apis palette, points []figures.Point, unit float64, x func(figures.Point) float64) []Series {
	var all []Series
	for _, api := range apis {
		s := Series{Key: apis.legendKeyForAPI(api.Name, api.Label)}
		for _, p := range points {
			if p.Case.API != api.Name {
				continue
			}
			point := Point{
				X: x(p), Y: p.Rate.Median / unit, Low: p.Rate.Low / unit, High: p.Rate.High / unit,
				Interval: p.Rate.Interval, Hollow: p.Partial != "",
			}
			for _, sample := range p.Samples {
				point.Dots = append(point.Dots, Dot{Y: sample.Throughput() / unit, Shape: sampleShape(sample)})
			}
			s.Points = append(s.Points, point)
		}
		if len(s.Points) > 0 {
			s.Sort()
			all = append(all, s)
		}
	}
	return all
}

// filterSlice returns the values for which the function wanted returns true, in the same order.
func filterSlice[V any](all []V, wanted func(V) bool) []V {
	var some []V
	for _, v := range all {
		if wanted(v) {
			some = append(some, v)
		}
	}
	return some
}

// measuredText describes what the measured time of points includes, and whether reads came from a page cache.
func measuredText(points []figures.Point) string {
	sweeps := filterSlice(points, func(p figures.Point) bool { return p.Run.HasTransferSize() })
	var sentences []string
	if len(sweeps) > 0 {
		sentences = append(sentences, measuredTextOfSweeps(sweeps))
	}
	if len(sweeps) < len(points) {
		sentences = append(sentences, "all steps of workloads but computing.")
	}
	return strings.Join(sentences, " ")
}

func measuredTextOfSweeps(points []figures.Point) string {
	var samples []result.Sample
	for _, p := range points {
		samples = append(samples, p.Samples...)
	}
	if points[0].Operation == result.OperationRead {
		return "datasets opened, read and closed; " + pageCacheText(samples) + "."
	}
	synced := filterSlice(samples, func(s result.Sample) bool { return s.AccessAndSync != nil })
	switch len(synced) {
	case 0:
		return "datasets created, written and closed. " + figures.NotSynced.Text
	case len(samples):
		return "datasets created, written, closed and synced."
	}
	return fmt.Sprintf("datasets created, written and closed; %d of %d samples with sync.", len(synced), len(samples))
}

// pageCacheText describes how much of the data was in the page caches of the nodes before reads.
func pageCacheText(samples []result.Sample) string {
	cold := filterSlice(samples, func(s result.Sample) bool { return !s.HasMark(result.MarkWarm) })
	if len(cold) == 0 {
		return "all samples were read from the memory of the client (warm)"
	}
	others, words := "each sample", "no sample is marked as read from the memory of the client"
	if warm := len(samples) - len(cold); warm > 0 {
		others, words = "the other samples", units.Count(warm,
			fmt.Sprintf("of %d samples was", len(samples)), fmt.Sprintf("of %d samples were", len(samples)))+
			" read from the memory of the client (warm)"
	}
	var most result.Cache
	for _, s := range cold {
		if _, known := s.ResidentRatio(); !known {
			return words + "; before " + others + ", the part of the data in the page cache is unknown"
		}
		if s.Cache.MaxResident+s.Cache.Uncertainty >= most.MaxResident+most.Uncertainty {
			most = *s.Cache
		}
	}
	return fmt.Sprintf("%s; before %s, at most %s of the data was in the page cache (caches of servers are not "+
		"visible)",
		words, others, figures.ResidencyText(most))
}
