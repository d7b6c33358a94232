package figures

import (
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Phase is the time of a part of an iteration.
type Phase struct {
	Name    string
	Seconds float64 // median over the samples, see result.Interval.Seconds
}

// PhaseNames are the names of phases in the order of time.
var PhaseNames = []string{"open", "dataset", "transfer", "sync", "close"}

// PhaseAccess is all that is done with datasets: the phases dataset and transfer together.
const PhaseAccess = "access"

// phases returns the times of PhaseNames: opening the file, what is done with datasets besides transfers, the
// transfers, making data durable if the run does that, and closing the file. Throughput is based on the sum of
// dataset, transfer and sync.
func phases(samples []result.Sample) []Phase {
	var all []Phase
	for _, name := range PhaseNames {
		if seconds, ok := phaseMedian(samples, name); ok {
			all = append(all, Phase{name, seconds})
		}
	}
	return all
}

// Seconds returns the time of one of PhaseNames, or of PhaseAccess: the median over the samples, each the window or,
// where it has none, the time of the slowest process. ok reports whether any sample has the phase.
func (p Point) Seconds(phase string) (seconds float64, ok bool) { return phaseMedian(p.Samples, phase) }

func phaseMedian(samples []result.Sample, name string) (seconds float64, ok bool) {
	var all []float64
	for _, s := range samples {
		if t, ok := phase(s, name); ok {
			all = append(all, t)
		}
	}
	return stats.Median(all, stats.Level).Median, len(all) > 0
}

func phase(s result.Sample, name string) (seconds float64, ok bool) {
	switch name {
	case "open":
		return s.Open.Seconds(), true
	case PhaseAccess:
		return s.Access.Seconds(), true
	case "dataset":
		return max(0, beyond(s.Access, s.Transfer)), true
	case "transfer":
		return s.Transfer.Seconds(), true
	case "close":
		return s.Close.Seconds(), true
	}
	if s.Sync == nil {
		return 0, false
	}
	return s.Sync.Seconds(), true
}

// beyond returns the time of an interval without that of a part of it: both windows, or if one of them has none, both
// those of the slowest process.
func beyond(whole, part result.Interval) float64 {
	if whole.Window > 0 && part.Window > 0 {
		return whole.Window - part.Window
	}
	return whole.Max - part.Max
}
