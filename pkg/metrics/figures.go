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

// Families of figures: see Registry.
var (
	samples = family("samples", "Number of samples of a point.", points()...)
	marked  = family("marked_samples",
		"Number of samples of a point that have a mark. "+meanings(), points("mark")...)
	classTime = family("class_duration_seconds",
		"Time of a class of steps: median over the samples of a point, each the window or, where the class has none, "+
			"the time of the slowest process. class: "+strings.Join(usage.Texts(result.All[result.Class]()), ", ")+
			". Absent if no step has the class.", points("class")...)
	unitRate = family("units_per_second",
		"Units that a workload handles, as its file says (unit: samples, ...), divided by the time of all its steps, "+
			"also of computing: median over the samples of a point. Absent if the file does not say it.",
		points("unit")...)
	efficiency = family("layer_efficiency_ratio",
		"Throughput of an API divided by the throughput of the next lower measured API (over), in the same case. If "+
			"the cases ran in random order, this is the median of the ratios of samples of the same iteration. "+
			"Otherwise it is the ratio of the medians. Absent if only one of the two APIs read "+
			"from the page cache.",
		points("over")...)
)

// statistics are the families of rows, but for those of classes, by the names of the rows.
var statistics = func() map[string]*prometheus.Desc {
	all := map[string]*prometheus.Desc{}
	for _, r := range figures.Rows {
		switch {
		case r.Full:
			all[r.Name] = family(r.Key(), r.Help+" statistic: median; lower and upper end of its "+stats.Interval+
				", if there are enough samples; min; max.", points("statistic")...)
		case r.Class == "":
			all[r.Name] = family(r.Key(), r.Help+" Median over the samples of a point. Absent if they do not have it.",
				points()...)
		}
	}
	return all
}()

// meanings returns what each mark means, in words.
func meanings() string {
	var words []string
	for _, m := range result.All[result.Mark]() {
		words = append(words, string(m)+": "+figures.Meaning(m))
	}
	return strings.Join(words, " ")
}

// points returns the names of the labels of a point and more.
func points(more ...string) []string { return append(slices.Clone(figures.LabelNames), more...) }

// figures adds the families of figures. A point without a throughput has at most times of classes.
func (c *collection) figures(run figures.Run) {
	for _, p := range run.Points() {
		for _, r := range p.UnitRates() {
			c.gauge(unitRate, r.Rate.Median, labels(p, r.Unit)...)
		}
		for _, r := range figures.Rows {
			c.statistic(r, p)
		}
		if p.Missing != "" {
			continue
		}
		c.samples(p)
		c.latency(p)
	}
	for _, r := range run.Layers() {
		c.efficiency(r)
	}
}

// labels returns the values of points: those of the labels of a point, then more.
func labels(p figures.Point, more ...string) []string { return append(texts(p.Labels()), more...) }

// texts returns the values of labels.
func texts(labels []figures.Label) []string {
	values := make([]string, len(labels))
	for i, l := range labels {
		values[i] = l.Text()
	}
	return values
}

// statistic adds a row of a point, unless the point does not have it.
func (c *collection) statistic(r figures.Row, p figures.Point) {
	v, ok := r.Value(p)
	switch {
	case !ok:
	case r.Class != "":
		c.gauge(classTime, v.Median, labels(p, string(r.Class))...)
	case !r.Full:
		c.gauge(statistics[r.Name], v.Median, labels(p)...)
	default:
		of := statistics[r.Name]
		c.gauge(of, v.Median, labels(p, "median")...)
		if v.Interval {
			c.gauge(of, v.Low, labels(p, "lower")...)
			c.gauge(of, v.High, labels(p, "upper")...)
		}
		c.gauge(of, v.Min, labels(p, "min")...)
		c.gauge(of, v.Max, labels(p, "max")...)
	}
}

// samples adds the number of samples of a point, and that of those with each mark.
func (c *collection) samples(p figures.Point) {
	c.gauge(samples, float64(p.Rate.N), labels(p)...)
	for _, m := range result.All[result.Mark]() {
		c.gauge(marked, float64(figures.Marked(p.Samples, m)), labels(p, string(m))...)
	}
}

// efficiency adds a ratio of layers, unless one of the two was read from memory and the other was not.
func (c *collection) efficiency(r figures.Ratio) {
	if r.Alike() {
		c.gauge(efficiency, r.Value.Median, labels(r.Upper, r.Lower.Case.API)...)
	}
}
