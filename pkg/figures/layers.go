package figures

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Ratio is the throughput of an I/O layer (API) divided by the throughput of the next lower layer that was measured,
// for the same number of processes, transfer size and direction. A ratio below 1 means that the upper layer is slower.
type Ratio struct {
	Upper, Lower Point
	Value        MedianEstimate
	Paired       bool // Value is the median of ratios of samples that were measured close to one another
}

// HasSameCache reports whether both layers read their data from memory, or both from storage. It returns true for
// writes.
func (r Ratio) HasSameCache() bool { return r.Upper.Cache == r.Lower.Cache }

// pointKey identifies a point within its run.
type pointKey struct {
	api       string
	operation result.Operation
	processes int
	transfer  uint64
	values    string // of --sweep
}

// pointKeyForAPI identifies the point of another API that has the same operation, number of processes, transfer size
// and values of --sweep.
func (p Point) pointKeyForAPI(api string) pointKey {
	return pointKey{api, p.Operation, p.Case.Processes, p.Case.TransferSize, result.ValuesText(p.Case.Values)}
}

// LayerRatios returns the ratio of each point to the point of the next lower layer that has throughput. A point has no
// ratio if it has no throughput, if no lower layer has throughput, or if the ratio needs samples of the same iteration
// and there are none.
func (r *Run) LayerRatios() []Ratio {
	if r.ratios != nil {
		return slices.Clone(r.ratios)
	}
	at := map[pointKey]Point{}
	points := r.Points()
	for _, p := range points {
		if p.Missing == "" {
			at[p.pointKeyForAPI(p.Case.API)] = p
		}
	}
	var ratios []Ratio
	for _, upper := range points {
		if upper.Missing != "" {
			continue
		}
		for api := result.APIOf(upper.Case.API).LowerAPI; api != ""; api = result.APIOf(api).LowerAPI {
			if lower, ok := at[upper.pointKeyForAPI(api)]; ok {
				ratio := Ratio{Upper: upper, Lower: lower}
				ratio.Value, ratio.Paired = r.ratioOfPoints(Rows[0], upper, lower)
				if ratio.Value.N > 0 {
					ratios = append(ratios, ratio)
				}
				break
			}
		}
	}
	return ratios
}

// ratioOfPoints returns a statistic of the point a, divided by that of b. If the cases ran in random order, it compares
// samples of the same iteration (paired), otherwise the medians.
func (r *Run) ratioOfPoints(row Row, a, b Point) (ratio MedianEstimate, paired bool) {
	if r.Parameters.Conditions.Order == option.OrderRandom {
		return pairedRatio(row, a, b), true
	}
	return medianOfEstimate(stats.RatioOfMedians(row.sampleValues(a), row.sampleValues(b), ratioLevel)), false
}

// medianOfRatios returns the median of the ratios whose upper layer the function counts accepts, with medians of the
// ends of their intervals. It ignores ratios of data that came from memory in one layer only. If lower layers differ,
// it uses the ratios to the lower layer of the first one. It returns nil without ratios.
func medianOfRatios(ratios []Ratio, counts func(Point) bool) (middle *Ratio) {
	var values []MedianEstimate
	for _, r := range ratios {
		if !counts(r.Upper) || !r.HasSameCache() || middle != nil && r.Lower.Case.API != middle.Lower.Case.API {
			continue
		}
		if middle == nil {
			middle = &r
		}
		values = append(values, r.Value)
	}
	if middle != nil {
		middle.Value = medianOfEstimates(values)
	}
	return middle
}

// medianOfEstimates returns the median of estimates, with medians of the ends of their intervals. If one of them has no
// interval, the result has none, and its range reaches from the smallest to the largest sample of all.
func medianOfEstimates(all []MedianEstimate) MedianEstimate {
	median := func(value func(MedianEstimate) float64) float64 {
		values := make([]float64, len(all))
		for i, v := range all {
			values[i] = value(v)
		}
		return stats.SampleMedian(values)
	}
	out := MedianEstimate{
		Median: median(func(v MedianEstimate) float64 { return v.Median }),
		Low:    median(func(v MedianEstimate) float64 { return v.Low }),
		High:   median(func(v MedianEstimate) float64 { return v.High }),
		Min:    all[0].Min, Max: all[0].Max, N: all[0].N, Interval: true,
	}
	for _, v := range all {
		out.Min, out.Max, out.N = min(out.Min, v.Min), max(out.Max, v.Max), min(out.N, v.N)
		out.Interval = out.Interval && v.Interval
		out.TooDependent = out.TooDependent || v.TooDependent
	}
	if !out.Interval {
		out.Low, out.High = out.Min, out.Max
	}
	return out
}

// pairedRatio returns the median of the ratios of a statistic of samples of the same iteration. Since the cases of an
// iteration run in random order, changes of the system over time affect both points alike.
func pairedRatio(row Row, a, b Point) MedianEstimate {
	below := map[int]float64{}
	for _, s := range b.Samples {
		below[s.Iteration], _ = row.SampleValue(b.Case, s)
	}
	var ratios []float64
	for _, s := range a.Samples {
		if x, is := row.SampleValue(a.Case, s); is && below[s.Iteration] > 0 {
			ratios = append(ratios, x/below[s.Iteration])
		}
	}
	return estimateMedian(ratios, stats.Level)
}

// ratioLevel is the confidence level of the intervals of two medians. With it, both intervals contain their medians
// with probability stats.Level (Bonferroni's inequality).
const ratioLevel = 1 - (1-stats.Level)/2
