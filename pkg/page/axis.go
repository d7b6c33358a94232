package page

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis is the horizontal or the vertical axis of a panel.
type Axis struct {
	Label      string // includes the unit
	Min, Max   float64
	Log        bool
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
	show := a.FormatTick
	if show == nil {
		show = func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	}
	var ticks []plot.Tick
	for _, v := range a.tickPositions() {
		if v >= a.Min*(1-1e-9) && v <= a.Max*(1+1e-9) {
			ticks = append(ticks, plot.Tick{Value: v, Label: show(v)})
		}
	}
	axis.Tick.Marker = plot.ConstantTicks(thinTicks(ticks, room, size))
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

// roundedDecimal returns s × 10^e, rounded to 12 significant decimal digits: 0.3, not 0.30000000000000004.
func roundedDecimal(s, e float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(s*math.Pow(10, e), 'g', 12, 64), 64)
	return v
}
