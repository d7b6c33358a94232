package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis is the horizontal or the vertical axis of a panel.
type Axis struct {
	Label      string // includes the unit
	Min, Max   float64
	Log        bool
	Time       bool                 // values are times, in seconds since 1970 (UnixSeconds)
	Values     []float64            // tick positions; if empty, they are chosen to fit the range
	FormatTick func(float64) string // formats tick labels; nil uses as few digits as identify the number
}

// FitToValues returns the axis with the smallest range that includes the values. It ignores values that the axis cannot
// show: NaN, infinities and, on a logarithmic axis, values that are not positive. A linear axis begins at 0 or at a
// negative value. Without values, the range is 1 to 10.
func (a Axis) FitToValues(values ...float64) Axis {
	a.Min, a.Max = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsInf(v, 0) && !math.IsNaN(v) && (v > 0 || !a.Log) {
			a.Min, a.Max = min(a.Min, v), max(a.Max, v)
		}
	}
	switch {
	case a.Min > a.Max:
		a.Min, a.Max = 1, 10
	case !a.Log:
		a.Min, a.Max = min(0, a.Min), a.Max*1.04
		if a.Max <= a.Min {
			a.Max = a.Min + 1
		}
	default:
		pad := max(math.Pow(a.Max/a.Min, 0.04), 1.03)
		a.Min, a.Max = a.Min/pad, a.Max*pad
	}
	return a
}

// configure sets the range, the scale and the ticks of an axis of a plot. room is the space for all tick labels; the
// function size returns the space that a label needs.
func (a Axis) configure(axis *plot.Axis, room vg.Length, size func(label string) vg.Length) {
	axis.Min, axis.Max = a.Min, a.Max
	if a.Log {
		axis.Scale = plot.LogScale{}
	}
	if a.Time {
		axis.Tick.Marker = plot.ConstantTicks(a.timeTicks(room, size))
		return
	}
	var ticks []plot.Tick
	for _, v := range a.tickPositions() {
		if v >= a.Min*(1-1e-9) && v <= a.Max*(1+1e-9) {
			ticks = append(ticks, plot.Tick{Value: v, Label: a.formatTick(v)})
		}
	}
	axis.Tick.Marker = plot.ConstantTicks(thinTicks(ticks, room, size))
}

// formatTick formats the label of a tick.
func (a Axis) formatTick(v float64) string {
	if a.FormatTick != nil {
		return a.FormatTick(v)
	}
	return a.formatValue(v)
}

// formatValue formats a value of the axis with as few digits as identify the number.
func (a Axis) formatValue(v float64) string {
	if a.Time {
		return time.Unix(int64(v), 0).UTC().Format(time.RFC3339)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ratioAxis returns a logarithmic axis for ratios of throughputs, which includes 1. Its ticks are powers of two; if the
// ratios are close to 1, they are differences in per cent.
func ratioAxis(ratios ...float64) Axis {
	a := Axis{Log: true}.FitToValues(append(slices.Clone(ratios), 0.95, 1.05)...)
	if a.Max/a.Min < 3 {
		a.Values, a.FormatTick = Axis{Min: a.Min, Max: a.Max}.evenTicks(), func(ratio float64) string {
			if ratio == 1 {
				return "0 %"
			}
			return fmt.Sprintf("%+.3g %%", 100*ratio-100)
		}
		return a
	}
	for halves := -12.0; halves <= 12; halves++ {
		a.Values = append(a.Values, math.Pow(2, halves))
	}
	a.FormatTick = func(v float64) string {
		if v < 1 {
			return "1/" + a.formatValue(1/v)
		}
		return a.formatValue(v)
	}
	return a
}

// thinTicks keeps every k-th tick, with the smallest k for which the labels fit into room.
func thinTicks(ticks []plot.Tick, room vg.Length, size func(string) vg.Length) []plot.Tick {
	for k := 1; ; k++ {
		var kept []plot.Tick
		var need vg.Length
		for i := 0; i < len(ticks); i += k {
			kept = append(kept, ticks[i])
			need = max(need, size(ticks[i].Label))
		}
		if len(kept) <= 2 || need*vg.Length(len(kept)) <= room {
			return kept
		}
	}
}

// tickMantissas holds the mantissas to try for ticks of a logarithmic axis, fewest first.
var tickMantissas = [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}}

// tickPositions returns the positions of the ticks, in ascending order.
func (a Axis) tickPositions() []float64 {
	if len(a.Values) > 0 {
		return slices.Compact(slices.Sorted(slices.Values(a.Values)))
	}
	if a.Log {
		for _, step := range tickMantissas {
			if ticks := a.logTicks(step); len(ticks) >= 3 {
				return ticks
			}
		}
	}
	return a.evenTicks()
}

// logTicks returns the tick positions of a logarithmic axis: all values within its range whose mantissa (first digits)
// is in step.
func (a Axis) logTicks(step []float64) (ticks []float64) {
	for e := math.Floor(math.Log10(a.Min)); e <= math.Ceil(math.Log10(a.Max)); e++ {
		for _, s := range step {
			if v := roundedDecimal(s, e); v >= a.Min && v <= a.Max {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// evenTicks returns at least four tick positions at equal distances: multiples of 1, 2 or 5 times a power of ten.
func (a Axis) evenTicks() (ticks []float64) {
	e := math.Floor(math.Log10((a.Max - a.Min) / 4))
	for _, s := range []float64{5, 2, 1} {
		step := roundedDecimal(s, e)
		first, last := math.Ceil(a.Min/step-1e-9), math.Floor(a.Max/step+1e-9)
		if last-first < 3 {
			continue
		}
		for k := first; k <= last; k++ {
			ticks = append(ticks, roundedDecimal(k*s, e)+0) // + 0 turns -0 into 0
		}
		break
	}
	return ticks
}

// roundedDecimal returns the number that is nearest to s × 10^e: 0.3, not 0.30000000000000004.
func roundedDecimal(s, e float64) float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", s, e), 64)
	return v
}

// UnixSeconds returns a time as a position on a time axis: seconds since 1970.
func UnixSeconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// timeAxis returns a linear axis of the times from first to last.
func timeAxis(first, last time.Time) Axis {
	from, to := UnixSeconds(first), UnixSeconds(last)
	pad := max(0.02*(to-from), 1)
	if to <= from {
		pad = (12 * time.Hour).Seconds()
	}
	return Axis{Label: "start of the run, UTC", Time: true, Min: from - pad, Max: to + pad}
}

// tickSpacings holds the possible distances between the ticks of a time axis in ascending order, and the formats of
// their labels. A distance is a multiple of a unit or, without a unit, of a month.
var tickSpacings = []struct {
	layout    string
	unit      time.Duration
	multiples []int
}{
	{time.DateTime, time.Second, []int{1, 10}},
	{"2006-01-02 15:04", time.Minute, []int{1, 10, 60, 3 * 60, 6 * 60}},
	{time.DateOnly, 24 * time.Hour, []int{1, 2, 7, 14}}, // of weeks on Mondays, as the first day of year 1
	{"2006-01", 0, []int{1, 3, 6}},
	{"2006", 0, []int{12, 5 * 12, 10 * 12, 100 * 12, 1000 * 12, 10_000 * 12}},
}

// timeTicks returns the ticks of a time axis: as many dates or times in UTC as fit into room.
func (a Axis) timeTicks(room vg.Length, size func(label string) vg.Length) (ticks []plot.Tick) {
	low := time.Unix(int64(math.Floor(a.Min)), 0).UTC()
	month := 12*low.Year() + int(low.Month()) - 1
	for _, s := range tickSpacings {
		most := max(2, int(room/size(s.layout)))
		for _, n := range s.multiples {
			step, months := time.Duration(n)*s.unit, 0
			at := low.Truncate(step)
			if s.unit == 0 {
				at, months = time.Date(0, time.Month(month-month%n+1), 1, 0, 0, 0, 0, time.UTC), n
			}
			for ticks = nil; UnixSeconds(at) <= a.Max && len(ticks) <= most; at = at.Add(step).AddDate(0, months, 0) {
				if UnixSeconds(at) >= a.Min {
					ticks = append(ticks, plot.Tick{Value: UnixSeconds(at), Label: at.Format(s.layout)})
				}
			}
			if len(ticks) <= most {
				return ticks
			}
		}
	}
	return nil
}
