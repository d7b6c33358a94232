package figures

import (
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Ratio is the throughput of a layer in relation to that of the next lower one that was measured, in the same case and
// direction. Below 1 the upper layer costs throughput.
type Ratio struct {
	Upper, Lower Point
	Value        Value
	Paired       bool // the interval is that of ratios of samples measured close to one another
}

// Alike reports whether the data of both came from the same kind of place: memory or not, where they were read.
func (r Ratio) Alike() bool { return r.Upper.Cache == r.Lower.Cache }

// Skips reports whether there is a layer between the two that was not measured.
func (r Ratio) Skips() bool { return result.APIOf(r.Upper.Case.API).Over != r.Lower.Case.API }

// measurement is what points of different layers are compared in.
type measurement struct {
	api       string
	operation result.Operation
	processes int
	transfer  uint64
}

// Layers are the ratios of all points to that of the next lower layer that has a figure in the same case. Points
// without a figure, those with none below them, and those measured in turns that share no iteration, have no ratio.
func (r *Run) Layers() []Ratio {
	at := map[measurement]Point{}
	key := func(p Point, api string) measurement {
		return measurement{api, p.Operation, p.Case.Processes, p.Case.TransferBytes}
	}
	points := r.Points()
	for _, p := range points {
		if p.Missing == "" {
			at[key(p, p.Case.API)] = p
		}
	}
	var ratios []Ratio
	for _, upper := range points {
		if upper.Missing != "" {
			continue
		}
		for api := result.APIOf(upper.Case.API).Over; api != ""; api = result.APIOf(api).Over {
			if lower, ok := at[key(upper, api)]; ok {
				if ratio := r.ratio(upper, lower); ratio.Value.N > 0 {
					ratios = append(ratios, ratio)
				}
				break
			}
		}
	}
	return ratios
}

func (r *Run) ratio(upper, lower Point) Ratio {
	out := Ratio{Upper: upper, Lower: lower}
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
// intervals allow. Each of these holds its median but with half of what is left to stats.Level, so that both do with
// that.
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
