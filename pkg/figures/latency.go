package figures

import (
	"fmt"
	"math"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// QuantileText formats a quantile of the times of data calls: the time that a call does not exceed with this
// probability. It returns "-" if the document does not have this quantile.
func QuantileText(l result.Latency, probability float64) string {
	for _, q := range l.Quantiles {
		if math.Abs(q.Probability-probability) < 1e-9 {
			return units.FormatSeconds(q.Seconds)
		}
	}
	return "-"
}

// SlowestCallRank names the rank with the largest mean time of a call, its host, and that time. It returns "-" if the
// rank is unknown.
func SlowestCallRank(l result.Latency) string {
	if len(l.SlowestRanks) == 0 {
		return "-"
	}
	s := l.SlowestRanks[0]
	return fmt.Sprintf("%d on %s, mean %s", s.Rank, s.Host, units.FormatSeconds(s.Mean))
}
