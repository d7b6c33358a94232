package metrics

import (
	"slices"
	"strconv"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// pointLabels are the labels that identify a point. In serial runs pattern, geometry and mode are empty.
// transfer_bytes is the size of the whole transfer buffer, in any number of dimensions. Conditions that affect the
// meaning of a figure are labels, so that figures of different meaning are never in one series: sync of a write
// (none, close, phase, each), cache of a read (warm, cold, mixed, unknown).
var pointLabels = []string{
	"api", "operation", "pattern", "geometry", "mode", "layout", "transfer_bytes", "processes", "sync", "cache",
}

// Families that only a complete run has.
var (
	throughput = family("throughput_bytes_per_second",
		"Throughput of the samples of a point, over the time from the first dataset's creation or opening to the last "+
			"one's close, and making the data durable where the run does that. statistic: median; lower and upper end "+
			"of its "+stats.Interval+", where there are samples enough for one; min and max.", points("statistic")...)
	samples = family("samples", "Samples of a point.", points()...)
	marked  = family("marked_samples",
		"Samples of a point whose figure is not that of the storage. mark: warm (read from the page cache or memory), "+
			"short (under a second), implausible (above what memory can copy).", points("mark")...)
	phaseTime = family("phase_duration_seconds",
		"Median over the samples of a point of what the slowest process took. phase: open and close (of files), "+
			"access (datasets, with their transfers), transfer (alone, within access), sync (where data are made "+
			"durable).", points("phase")...)
	efficiency = family("layer_efficiency_ratio",
		"Throughput of an API : that of the next lower API that was measured (over), same case. With cases in random "+
			"order the median of the ratios of samples of the same iteration, else the ratio of the medians. "+
			"Absent where one read came from the page cache and the other did not.", points("over")...)
)

// points returns the labels of a point and more.
func points(more ...string) []string { return append(slices.Clone(pointLabels), more...) }

// figures adds the families that only a complete run has. A point without a figure adds nothing.
func (c *collection) figures(doc result.Document) {
	run := figures.Run{Document: doc}
	for _, p := range run.Points() {
		if p.Missing != "" {
			continue
		}
		c.throughput(p)
		c.phases(p)
		c.latency(p)
	}
	for _, r := range run.Layers() {
		c.efficiency(r)
	}
}

// labels returns the values of points: those of pointLabels, then more.
func labels(p figures.Point, more ...string) []string {
	q, sync := p.Run.Parameters, ""
	if p.Operation == result.OperationWrite {
		sync = string(q.Conditions.Sync)
	}
	return append([]string{
		p.Case.API, string(p.Operation), string(q.Pattern), string(q.Geometry), string(q.Mode), string(q.Layout),
		strconv.FormatUint(p.Case.BufferBytes, 10), strconv.Itoa(p.Case.Processes), sync, p.Cache,
	}, more...)
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

func (c *collection) phases(p figures.Point) {
	for _, phase := range []string{"open", figures.PhaseAccess, "transfer", "sync", "close"} {
		if seconds, ok := p.Seconds(phase); ok {
			c.gauge(phaseTime, seconds, labels(p, phase)...)
		}
	}
}

// efficiency adds a ratio of layers, unless one of the two was read from memory and the other was not.
func (c *collection) efficiency(r figures.Ratio) {
	if r.Alike() {
		c.gauge(efficiency, r.Value.Median, labels(r.Upper, r.Lower.Case.API)...)
	}
}
