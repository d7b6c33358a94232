package metrics

import (
	"math"

	"h5perf/pkg/figures"

	"github.com/prometheus/client_golang/prometheus"
)

var dataCallTime = newFamily("operation_duration_seconds",
	"Time of data calls, over all processes and samples of a point. Times have an error of at most 0.4 %. A call is "+
		"counted in the first bucket whose upper bound is certainly not below its time. call: the function, such as "+
		"pwrite.",
	pointLabelNames("call")...)

// bucketBounds holds the upper bounds of the histogram buckets in seconds: 1, 2 and 5 times each power of ten, from
// 1 µs to 100 s.
var bucketBounds = func() (list []float64) {
	for exponent := -6; exponent < 2; exponent++ {
		for _, digit := range []float64{1, 2, 5} {
			list = append(list, digit*math.Pow10(exponent))
		}
	}
	return append(list, 100)
}()

// addLatency adds histograms of the times of data calls, if the run measured them. They are classic histograms, because
// a Pushgateway before 1.6 drops native histograms.
func (c *metricCollection) addLatency(p figures.Point) {
	for _, l := range p.Case.Latencies {
		if l.Operation != p.Operation {
			continue
		}
		buckets := map[float64]uint64{}
		for _, bound := range bucketBounds {
			n := uint64(0)
			for _, b := range l.Histogram {
				if b.To <= bound {
					n += b.Count
				}
			}
			buckets[bound] = n
		}
		sum := l.Mean * float64(l.Count)
		m, err := prometheus.NewConstHistogram(dataCallTime, l.Count, sum, buckets,
			visibleTexts(pointLabelValues(p, l.Call))...)
		c.addMetric(m, err)
	}
}
