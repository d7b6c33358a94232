package figurestest

import (
	"fmt"
	"maps"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// Runs returns runs that every output must show as Points and Words do, by what is special about them.
func Runs() map[string]figures.Run {
	turns, skipping, idle, alike := uneven(Sweep()), Sweep(), Workload(), Sweep()
	for i := range alike.Cases {
		for k := range alike.Cases[i].Samples {
			s := &alike.Cases[i].Samples[k]
			time := s.ClassInterval(workload.Transfer)
			time.Deviation = 0
			SetTime(s, workload.Transfer, time)
			if k%3 == 0 {
				s.Classes = nil
			}
			s.Access.Max, s.Access.Min = s.Access.Mean, s.Access.Mean
		}
	}
	counted := Counted()
	turns.Parameters.Conditions.Order = option.OrderRandom
	skipping.Cases = slices.DeleteFunc(skipping.Cases, func(c result.Case) bool { return c.API == result.MPIIO })
	for i := range idle.Cases {
		for k := range idle.Cases[i].Samples {
			idle.Cases[i].Samples[k].Bytes = 0
		}
	}
	return map[string]figures.Run{
		"sweep": Sweep(), "serial": Serial(), "few samples": uneven(Sweep()), "in turns": turns,
		"without a layer": skipping, "failed": Failed(), "workload": Workload(),
		"workload, few samples": uneven(Workload()), "workload without data": idle, "failed workload": WorkloadFailed(),
		"calls counted": counted, "processes alike, and samples without classes": alike,
	}
}

// uneven returns a run with steps of all classes, whose cases have 3 to 6 iterations: with different times, slowest
// ranks and marks.
func uneven(r figures.Run) figures.Run {
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Samples = slices.DeleteFunc(c.Samples, func(s result.Sample) bool { return s.Iteration > 3+i%4 })
		for k := range c.Samples {
			s, slower := &c.Samples[k], 1+float64((i+1)*k*k%7)/3
			s.Access.WindowSeconds, s.Access.MaxRank, s.Access.Max = s.Access.WindowSeconds*slower, k%3,
				s.Access.Max*slower
			if s.AccessAndSync != nil {
				s.AccessAndSync = &result.Interval{
					WindowSeconds: s.AccessAndSync.WindowSeconds * slower,
					Max:           s.AccessAndSync.Max,
				}
			}
			for class := range workload.NumClasses {
				time := s.ClassInterval(class)
				time.Max = time.Max*slower + 0.001
				SetTime(s, class, time)
			}
			for i := range s.Classes {
				s.Classes[i].Objects = uint64(1000 * (i + k + 1))
			}
		}
		c.Samples[0].Marks = append(c.Samples[0].Marks, result.MarkShort, result.MarkImplausible, result.MarkSkewed)
		c.Samples[1].Marks = append(c.Samples[1].Marks, result.MarkStaggered)
	}
	return r
}

// Points returns what outputs for programs show of each point of a run, by the names that exports have: labels as text,
// and numbers. What a point does not have is not there.
func Points(r *figures.Run) (all []map[string]any) {
	ratios := r.LayerRatios()
	for _, p := range r.Points() {
		shown := map[string]any{}
		for _, l := range p.Labels() {
			if l.Value != "" {
				shown[l.Name] = l.Text()
			}
		}
		for _, row := range figures.Rows {
			if v, ok := row.PointValue(p); ok {
				maps.Copy(shown, Numbers(row, v))
			}
		}
		if p.Missing == "" {
			shown["samples"] = float64(len(p.Samples))
			if bytes, files := figures.FileBytes(p.Case); files > 0 && p.Operation == result.OperationWrite {
				shown["file_bytes"] = float64(bytes)
			}
			for _, m := range result.ValuesOf[result.Mark]() {
				shown[string(m)+"_samples"] = float64(figures.NumMarked(p.Samples, m))
			}
		}
		for _, ratio := range ratios {
			if slices.Equal(ratio.Upper.Labels(), p.Labels()) && ratio.HasSameCache() {
				shown["layer_below"], shown["layer_paired"] = ratio.Lower.Case.API, fmt.Sprint(ratio.Paired)
				shown["layer_samples"] = float64(ratio.Value.N)
				maps.Copy(shown,
					Numbers(figures.Row{Name: "layer", Unit: figures.Fraction, ShowsRange: true}, ratio.Value))
			}
		}
		all = append(all, shown)
	}
	return all
}

// Numbers returns what outputs for programs show of a value of a row.
func Numbers(row figures.Row, v figures.MedianEstimate) map[string]any {
	if !row.ShowsRange {
		return map[string]any{row.ExportName(): v.Median}
	}
	numbers := map[string]any{}
	for name, x := range map[string]float64{
		"median": v.Median, "min": v.Min, "max": v.Max, "lower": v.Low, "upper": v.High,
	} {
		if v.Interval || name != "lower" && name != "upper" {
			numbers[row.Name+"_"+name+"_"+row.Unit.Suffix] = x
		}
	}
	return numbers
}

// Words returns the tables that people are shown of the points of a run: throughputs, where the time goes, and ratios
// of layers. The first line of each has headings; a table without others is nil. Cells without text are left out. none
// stands for a statistic that a point does not have.
func Words(r *figures.Run, none string) (rates, times, ratios [][]string) {
	line := func(processes, transfer, of, operation string, more ...string) []string {
		cells := append([]string{processes, transfer, of, operation}, more...)
		if !r.HasTransferSize() {
			cells[1] = ""
		}
		return slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
	}
	in := func(p figures.Point, of string, more ...string) []string {
		return line(fmt.Sprint(p.Case.Processes), p.TransferText(), of, string(p.Operation), more...)
	}
	points, rate := r.Points(), figures.Rows[0]
	rows := slices.DeleteFunc(slices.Clone(figures.Rows[1:]), func(row figures.Row) bool {
		return !slices.ContainsFunc(points, func(p figures.Point) bool { return row.PointText(p, "") != "" })
	})
	var headings []string
	for _, row := range rows {
		headings = append(headings, row.Heading)
	}
	heading := func(of string, more ...string) [][]string {
		return [][]string{line("processes", "transfer", of, "operation", more...)}
	}
	rates, times = heading("API", rate.Heading, stats.Interval, "samples", "marks"), heading("API", headings...)
	for _, p := range points {
		api := figures.APILabel(p.Case.API)
		if v, _ := rate.PointValue(p); p.Missing != "" {
			rates = append(rates, in(p, api, p.Missing))
		} else {
			rates = append(rates, in(p, api, rate.PointText(p, none), rate.RangeText(p), fmt.Sprint(v.N),
				p.Marks()))
		}
		var words []string
		for _, row := range rows {
			words = append(words, row.PointText(p, none))
		}
		if len(p.Samples) > 0 {
			times = append(times, in(p, api, words...))
		}
	}
	for i, of := range r.LayerRatios() {
		if i == 0 {
			ratios = heading("throughput of", "ratio", stats.Interval, "samples")
		}
		samples := fmt.Sprint(of.Value.N)
		if of.Paired {
			samples += " pairs"
		}
		ratios = append(ratios, in(of.Upper, of.Name(), figures.FormatRatio(of.Value.Median),
			of.Value.RangeText(figures.FormatRatio), samples))
	}
	return rates, times, ratios
}
