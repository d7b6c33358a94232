package figures

import (
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Ratio is the throughput of a layer in relation to that of the layer below it, in the same case and direction. Below 1 the
// upper layer costs throughput.
type Ratio struct {
	Upper, Lower string // APIs
	Case         result.Case
	Operation    result.Operation
	Value        Value
	Paired       bool // the interval is that of ratios of samples measured close to one another
}

// Layers are the ratios of all cases that were measured through an API and the one that lies below it.
func (r *Run) Layers() []Ratio {
	points := r.Points()
	var ratios []Ratio
	for _, upper := range points {
		if upper.Missing != "" {
			continue
		}
		over := result.APIOf(upper.Case.API).Over
		for _, lower := range points {
			if lower.Missing == "" && lower.Case.API == over && lower.Operation == upper.Operation &&
				lower.Case.Processes == upper.Case.Processes && lower.Case.TransferBytes == upper.Case.TransferBytes {
				ratios = append(ratios, r.ratio(upper, lower))
			}
		}
	}
	return ratios
}

func (r *Run) ratio(upper, lower Point) Ratio {
	out := Ratio{Upper: upper.Case.API, Lower: lower.Case.API, Case: upper.Case, Operation: upper.Operation}
	if r.Parameters.Conditions.Order == result.OrderRandom {
		out.Value, out.Paired = pairedRatio(upper.Samples, lower.Samples), true
	} else {
		out.Value = ratioOfMedians(rates(upper), rates(lower))
	}
	return out
}

// pairedRatio is the median of the ratios of samples of the same iteration: with the cases of an iteration in random order
// they have met the same weather.
func pairedRatio(upper, lower []result.Sample) Value {
	below := map[int]float64{}
	for _, s := range lower {
		below[s.Iteration] = s.Throughput()
	}
	var ratios []float64
	for _, s := range upper {
		if rate := below[s.Iteration]; rate > 0 {
			ratios = append(ratios, s.Throughput()/rate)
		}
	}
	return value(ratios, stats.Level)
}

// ratioOfMedians is the ratio of two medians, with the interval from the least to the greatest ratio that their own
// intervals allow. Each of these holds its median but with half of what is left to stats.Level, so that both do with it.
func ratioOfMedians(upper, lower []float64) Value {
	const each = 1 - (1-stats.Level)/2
	u, l := value(upper, each), value(lower, each)
	return Value{
		Median: u.Median / l.Median, Low: u.Low / l.High, High: u.High / l.Low,
		Interval: u.Interval && l.Interval, Min: u.Min / l.Max, Max: u.Max / l.Min, N: min(u.N, l.N),
	}
}

func rates(p Point) []float64 {
	return result.Point{Case: p.Case, Operation: p.Operation, Samples: p.Samples}.Throughputs()
}
