package metrics

import (
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/usage"
)

// Families of figures: see Registry.
var (
	throughput = family("throughput_bytes_per_second",
		"Throughput of the samples of a point. The time starts when the first dataset is created or opened and ends "+
			"when the last dataset is closed. It includes the sync of the data if the run syncs. Of a workload, it is "+
			"that of all steps but computing. statistic: median; "+
			"lower and upper end of its "+stats.Interval+", if there are enough samples; min; max.",
		points("statistic")...)
	samples = family("samples", "Number of samples of a point.", points()...)
	marked  = family("marked_samples",
		"Number of samples of a point that have a mark. "+meanings(), points("mark")...)
	visibleTime = family("visible_duration_seconds",
		"Time on which the throughput of a point rests: median over its samples. Of a workload, it is the time of all "+
			"steps but computing.", points()...)
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

// meanings returns what each mark means, in words.
func meanings() string {
	var words []string
	for _, m := range result.All[result.Mark]() {
		words = append(words, string(m)+": "+figures.MarkMeaning(m))
	}
	return strings.Join(words, "; ") + "."
}

// points returns the names of the labels of a point and more.
func points(more ...string) []string { return append(slices.Clone(figures.LabelNames), more...) }

// figures adds the families of figures. A point without a throughput has at most times of classes.
func (c *collection) figures(run figures.Run) {
	for _, p := range run.Points() {
		for _, t := range p.ClassTimes() {
			c.gauge(classTime, t.Seconds, labels(p, string(t.Class))...)
		}
		for _, r := range p.UnitRates() {
			c.gauge(unitRate, r.Rate.Median, labels(p, r.Unit)...)
		}
		if p.Missing != "" {
			continue
		}
		c.throughput(p)
		c.gauge(visibleTime, p.Visible().Median, labels(p)...)
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

func (c *collection) throughput(p figures.Point) {
	c.gauge(throughput, p.Rate.Median, labels(p, "median")...)
	if p.Rate.Interval {
		c.gauge(throughput, p.Rate.Low, labels(p, "lower")...)
		c.gauge(throughput, p.Rate.High, labels(p, "upper")...)
	}
	c.gauge(throughput, p.Rate.Min, labels(p, "min")...)
	c.gauge(throughput, p.Rate.Max, labels(p, "max")...)
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
