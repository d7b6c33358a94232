package metrics

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/usage"
)

// Metric families with the results of measurements; Registry says when they are present.
var (
	sampleCount   = newFamily("samples", "Number of samples of a point.", pointLabelNames()...)
	markedSamples = newFamily("marked_samples",
		"Number of samples of a point that have a mark. "+markMeanings(), pointLabelNames("mark")...)
	fileBytes = newFamily("file_bytes",
		"Size of the files that rank 0 made in the last iteration, after filters. Absent if it is not known.",
		pointLabelNames()...)
	classRate = newFamily("class_objects_per_second",
		"Objects (groups, datasets, links, attributes) that a class of steps was for, divided by its time: median "+
			"over the samples of a point. Absent if there are few.", pointLabelNames("class")...)
	classTime = newFamily("class_duration_seconds",
		"Time of a class of steps: median over the samples of a point, each the window or, where the class has none, "+
			"the time of the slowest process. class: "+strings.Join(usage.Strings(result.ValuesOf[result.Class]()),
			", ")+
			". Absent if no step has the class.", pointLabelNames("class")...)
	unitRate = newFamily("units_per_second",
		"Units that a workload handles, as its file says (unit: samples, ...), divided by the time of all its steps, "+
			"also of computing: median over the samples of a point. Absent if the file does not say it.",
		pointLabelNames("unit")...)
	efficiency = newFamily("layer_efficiency_ratio",
		"Throughput of an API divided by the throughput of the next lower measured API (over), in the same case. If "+
			"the cases ran in random order, this is the median of the ratios of samples of the same iteration. "+
			"Otherwise it is the ratio of the medians. Absent if only one of the two APIs read "+
			"from the page cache.",
		pointLabelNames("over")...)
)

// rowFamilies maps the exported name of a statistic (figures.Row) to its metric family. It does not contain the times
// and rates of classes.
var rowFamilies = func() map[string]*prometheus.Desc {
	all := map[string]*prometheus.Desc{}
	for _, r := range figures.Rows {
		switch {
		case r.ShowsRange:
			all[r.ExportName()] = newFamily(r.ExportName(),
				r.Help+" statistic: median; lower and upper end of its "+stats.Interval+
					", if there are enough samples; min; max.", pointLabelNames("statistic")...)
		case r.Class == "" && r.RatedClass == "":
			all[r.ExportName()] = newFamily(r.ExportName(),
				r.Help+" Median over the samples of a point. Absent if they do not have it.",
				pointLabelNames()...)
		}
	}
	return all
}()

// markMeanings explains all marks in one text, for a help text.
func markMeanings() string {
	var words []string
	for _, m := range result.ValuesOf[result.Mark]() {
		words = append(words, string(m)+": "+figures.MarkMeaning(m))
	}
	return strings.Join(words, " ")
}

// pointLabelNames returns the names of the labels that identify a point, and after them the names in more.
func pointLabelNames(more ...string) []string {
	return append(slices.Clone(figures.LabelNames), more...)
}

// addFigures adds the results of all points. A point without throughput has at most unit rates and times of classes of
// steps.
func (c *metricCollection) addFigures(run figures.Run) {
	for _, p := range run.Points() {
		for _, r := range p.UnitRates() {
			c.addGauge(unitRate, r.Rate, pointLabelValues(p, r.Unit)...)
		}
		for _, r := range figures.Rows {
			c.addStatistic(r, p)
		}
		if p.Missing != "" {
			continue
		}
		c.addSamples(p)
		c.addLatency(p)
	}
	for _, r := range run.LayerRatios() {
		c.addLayerRatio(r)
	}
}

// pointLabelValues returns the values of the labels in pointLabelNames for the point p, and after them the values in
// more.
func pointLabelValues(p figures.Point, more ...string) []string {
	return append(labelValues(p.Labels()), more...)
}

func labelValues(labels []figures.Label) []string {
	values := make([]string, len(labels))
	for i, l := range labels {
		values[i] = l.Text()
	}
	return values
}

// addStatistic adds the value of the statistic r for a point, if the point has such a value.
func (c *metricCollection) addStatistic(r figures.Row, p figures.Point) {
	v, ok := r.PointValue(p)
	switch {
	case !ok:
	case r.Class != "":
		c.addGauge(classTime, v.Median, pointLabelValues(p, string(r.Class))...)
	case r.RatedClass != "":
		c.addGauge(classRate, v.Median, pointLabelValues(p, string(r.RatedClass))...)
	case !r.ShowsRange:
		c.addGauge(rowFamilies[r.ExportName()], v.Median, pointLabelValues(p)...)
	default:
		of := rowFamilies[r.ExportName()]
		c.addGauge(of, v.Median, pointLabelValues(p, "median")...)
		if v.Interval {
			c.addGauge(of, v.Low, pointLabelValues(p, "lower")...)
			c.addGauge(of, v.High, pointLabelValues(p, "upper")...)
		}
		c.addGauge(of, v.Min, pointLabelValues(p, "min")...)
		c.addGauge(of, v.Max, pointLabelValues(p, "max")...)
	}
}

// addSamples adds the number of samples of a point, and for each mark the number of samples that have it.
func (c *metricCollection) addSamples(p figures.Point) {
	c.addGauge(sampleCount, float64(p.Rate.N), pointLabelValues(p)...)
	if bytes, known := figures.WrittenFileBytes(p.Case, p.Operation); known {
		c.addGauge(fileBytes, float64(bytes), pointLabelValues(p)...)
	}
	for _, m := range result.ValuesOf[result.Mark]() {
		c.addGauge(markedSamples, float64(figures.NumMarked(p.Samples, m)), pointLabelValues(p, string(m))...)
	}
}

// addLayerRatio adds the ratio of two layers, unless one of the two layers read from the page cache and the other did
// not.
func (c *metricCollection) addLayerRatio(r figures.Ratio) {
	if r.HasSameCache() {
		c.addGauge(efficiency, r.Value.Median, pointLabelValues(r.Upper, r.Lower.Case.API)...)
	}
}
