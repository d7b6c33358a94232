package figures

import (
	"fmt"
	"math"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Quantile prints the time that a part of the calls did not exceed, or - where the document does not tell.
func Quantile(l result.Latency, probability float64) string {
	for _, q := range l.Quantiles {
		if math.Abs(q.Probability-probability) < 1e-9 {
			return units.FormatSeconds(q.Seconds)
		}
	}
	return "-"
}

// Slowest names the rank whose calls took longest in the mean.
func Slowest(l result.Latency) string {
	if len(l.Slowest) == 0 {
		return "-"
	}
	s := l.Slowest[0]
	return fmt.Sprintf("%d on %s, mean %s", s.Rank, s.Host, units.FormatSeconds(s.Mean))
}
