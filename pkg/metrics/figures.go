package metrics

import (
	"slices"
	"strconv"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// pointLabels name a point. In serial runs pattern, geometry and mode are empty. transfer_bytes is the whole buffer of a
// transfer, in any number of dimensions. What a figure rests on is part of its name, so that unlike ones never stand in one
// series: sync of a write (none, close, phase, each), cache of a read (warm, cold, mixed, unknown).
var pointLabels = []string{"api", "operation", "pattern", "geometry", "mode", "layout", "transfer_bytes", "processes", "sync", "cache"}

// Families of a run that measured everything.
var (
	throughput = family("throughput_bytes_per_second", "Throughput of the samples of a point, over the time from the first dataset's creation or opening to the last one's close, and making the data durable where the run does that. statistic: median; lower and upper end of its "+stats.Interval+", where there are samples enough for one; min and max.", points("statistic")...)
	samples    = family("samples", "Samples of a point.", points()...)
	marked     = family("marked_samples", "Samples of a point whose figure is not that of the storage. mark: warm (read from the page cache or memory), short (under a second), implausible (above what memory can copy).", points("mark")...)
	phaseTime  = family("phase_duration_seconds", "Median over the samples of a point of what the slowest process took. phase: open and close (of files), access (datasets, with their transfers), transfer (alone, within access), sync (where data are made durable).", points("phase")...)
	efficiency = family("layer_efficiency_ratio", "Median throughput of an API : that of the API below it (over), same case. Absent where one read came from the page cache and the other did not.", points("over")...)
)

// points are the labels of a family that has more than those of a point.
func points(more ...string) []string { return append(slices.Clone(pointLabels), more...) }

// figures are all families that a failed run has not.
func (c *collection) figures(doc result.Document) {
	var all []point
	for _, k := range doc.Cases {
		for _, p := range k.Points() {
			all = append(all, newPoint(doc.Parameters, p))
		}
	}
	for _, p := range all {
		c.throughput(p)
		c.phases(p)
		c.latency(p)
		c.efficiency(p, all)
	}
}

// point is a point with its labels.
type point struct {
	result.Point
	estimate stats.Estimate // of its throughput
	labels   []string
	cache    string
}

func newPoint(p result.Parameters, q result.Point) point {
	sync, cache := "", ""
	if q.Operation == result.OperationWrite {
		sync = string(p.Conditions.Sync)
	} else {
		cache = cacheOf(q)
	}
	return point{
		Point: q, estimate: stats.Median(q.Throughputs(), stats.Level), cache: cache,
		labels: []string{
			q.Case.API, string(q.Operation), string(p.Pattern), string(p.Geometry), string(p.Mode), string(p.Layout),
			strconv.FormatUint(q.Case.BufferBytes, 10), strconv.Itoa(q.Case.Processes), sync, cache,
		},
	}
}

// with are the labels of a point and more.
func (p point) with(more ...string) []string { return append(slices.Clone(p.labels), more...) }

// cacheOf tells where the samples of a read came from.
func cacheOf(p result.Point) string {
	warm, cold := 0, 0
	for _, s := range p.Samples {
		switch {
		case s.Has(result.Warm):
			warm++
		case s.Cache != nil && s.Cache.Method != result.CacheNone:
			cold++
		}
	}
	switch len(p.Samples) {
	case warm:
		return "warm"
	case cold:
		return "cold"
	case warm + cold:
		return "mixed"
	}
	return "unknown"
}

func (c *collection) throughput(p point) {
	e := p.estimate
	c.gauge(throughput, e.Median, p.with("median")...)
	if e.Finite() {
		c.gauge(throughput, e.Low, p.with("lower")...)
		c.gauge(throughput, e.High, p.with("upper")...)
	}
	c.gauge(throughput, e.Min, p.with("min")...)
	c.gauge(throughput, e.Max, p.with("max")...)
	c.gauge(samples, float64(e.N), p.labels...)
	for _, m := range result.All[result.Mark]() {
		n := 0
		for _, s := range p.Samples {
			if s.Has(m) {
				n++
			}
		}
		c.gauge(marked, float64(n), p.with(string(m))...)
	}
}

func (c *collection) phases(p point) {
	for _, phase := range []struct {
		name string
		of   func(result.Sample) *result.Interval
	}{
		{"open", func(s result.Sample) *result.Interval { return &s.Open }},
		{"access", func(s result.Sample) *result.Interval { return &s.Access }},
		{"transfer", func(s result.Sample) *result.Interval { return &s.Transfer }},
		{"sync", func(s result.Sample) *result.Interval { return s.Sync }},
		{"close", func(s result.Sample) *result.Interval { return &s.Close }},
	} {
		var seconds []float64
		for _, s := range p.Samples {
			if t := phase.of(s); t != nil {
				seconds = append(seconds, t.Max)
			}
		}
		if len(seconds) > 0 {
			c.gauge(phaseTime, stats.Median(seconds, stats.Level).Median, p.with(phase.name)...)
		}
	}
}

// layers are the APIs from the file system upwards.
var layers = []string{"posix", "mpiio", "phdf5", "hdf5"}

// efficiency compares a point with that of the next lower layer that was measured.
func (c *collection) efficiency(p point, all []point) {
	for _, over := range slices.Backward(layers[:max(0, slices.Index(layers, p.Case.API))]) {
		i := slices.IndexFunc(all, func(q point) bool {
			return q.Case.API == over && q.Operation == p.Operation && q.Case.Processes == p.Case.Processes &&
				q.Case.TransferBytes == p.Case.TransferBytes
		})
		if i < 0 {
			continue
		}
		if all[i].cache == p.cache && all[i].estimate.Median > 0 {
			c.gauge(efficiency, p.estimate.Median/all[i].estimate.Median, p.with(over)...)
		}
		return
	}
}
