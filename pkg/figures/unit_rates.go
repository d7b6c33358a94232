package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// UnitRate is the number of units, such as samples of training data, that all processes together handled per second:
// the median over the samples of the point. The rate is the number of units divided by the time of all steps, including
// computing.
type UnitRate struct {
	Unit string
	Rate float64
}

// UnitRates returns a rate for each unit that the workload of the point handles, in the order of the document.
func (p Point) UnitRates() []UnitRate {
	var all []UnitRate
	for _, unit := range p.unitNames() {
		var rates []float64 // of the samples that handled the unit
		for _, s := range p.Samples {
			i := slices.IndexFunc(s.Handled, func(h result.HandledUnits) bool { return h.Unit == unit })
			if i >= 0 && s.OpenClose.Seconds() > 0 {
				rates = append(rates, float64(s.Handled[i].Number)/s.OpenClose.Seconds())
			}
		}
		if rate := stats.SampleMedian(rates); rate > 0 {
			all = append(all, UnitRate{unit, rate})
		}
	}
	return all
}

// unitNames returns the names of the units that the workload of the point handles, each once.
func (p Point) unitNames() []string {
	var all []string
	for _, s := range p.Samples {
		for _, h := range s.Handled {
			if !slices.Contains(all, h.Unit) {
				all = append(all, h.Unit)
			}
		}
	}
	return all
}

// minWholeRate is the rate from which on rates are shown without decimals.
const minWholeRate = 100

// UnitRateText formats the median rate of a unit, or returns "-" if the workload of the point does not handle it.
func (p Point) UnitRateText(unit string) string {
	for _, r := range p.UnitRates() {
		if r.Unit == unit {
			return formatCountRate(r.Rate)
		}
	}
	return "-"
}

// UnitNames returns the names of the units that the points handle, each once.
func UnitNames(points []Point) []string {
	var all []string
	for _, p := range points {
		for _, r := range p.UnitRates() {
			if !slices.Contains(all, r.Unit) {
				all = append(all, r.Unit)
			}
		}
	}
	return all
}

// UnitRateSentences returns, for each unit and direction, a sentence about the rates of all points, such as "With the
// time of computing, reads reach these samples per second: POSIX 120, HDF5 98.5.".
func (r *Run) UnitRateSentences() []string {
	var words []string
	points := r.Points()
	for _, unit := range UnitNames(points) {
		for _, operation := range result.ValuesOf[result.Operation]() {
			var rates []string
			for _, p := range points {
				if text := p.UnitRateText(unit); p.Operation == operation && text != "-" {
					rates = append(rates, APILabel(p.Case.API)+" "+text)
				}
			}
			if rates != nil {
				words = append(words, fmt.Sprintf("With the time of computing, %ss reach these %s per second: %s.",
					operation, unit, strings.Join(rates, ", ")))
			}
		}
	}
	return words
}
