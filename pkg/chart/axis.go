package chart

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis is one of the two axes of a panel.
type Axis struct {
	Label    string // with the unit
	Min, Max float64
	Log      bool
	Values   []float64            // what ticks may stand at; none is what fits the range
	Print    func(float64) string // of ticks; nil is as few digits as tell the number
}

// Cover is the axis with the least range that holds the values; nothing that a logarithm has not is taken for a value. A
// linear axis begins at 0. Without values it reaches from 1 to 10.
func (a Axis) Cover(values ...float64) Axis {
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

// apply sets an axis of a plot with this much room for ticks, each of which needs what size tells of its label.
func (a Axis) apply(to *plot.Axis, room vg.Length, size func(label string) vg.Length) {
	to.Min, to.Max = a.Min, a.Max
	if a.Log {
		to.Scale = plot.LogScale{}
	}
	show := a.Print
	if show == nil {
		show = func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	}
	var ticks []plot.Tick
	for _, v := range a.ticks() {
		if v >= a.Min*(1-1e-9) && v <= a.Max*(1+1e-9) {
			ticks = append(ticks, plot.Tick{Value: v, Label: show(v)})
		}
	}
	to.Tick.Marker = plot.ConstantTicks(thin(ticks, room, size))
}

// thin keeps every k-th tick, with the least k for which the labels fit the room.
func thin(ticks []plot.Tick, room vg.Length, size func(string) vg.Length) []plot.Tick {
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

// steps are what the ticks of a logarithmic axis may be, besides powers of ten.
var steps = [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}}

func (a Axis) ticks() []float64 {
	if len(a.Values) > 0 {
		return slices.Compact(slices.Sorted(slices.Values(a.Values)))
	}
	if a.Log {
		for _, step := range steps {
			if ticks := a.logTicks(step); len(ticks) >= 3 {
				return ticks
			}
		}
	}
	return a.evenTicks()
}

func (a Axis) logTicks(step []float64) (ticks []float64) {
	for e := math.Floor(math.Log10(a.Min)); e <= math.Ceil(math.Log10(a.Max)); e++ {
		for _, s := range step {
			if v := decimal(s, e); v >= a.Min && v <= a.Max {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// evenTicks are 4 to 8 multiples of 1, 2 or 5 and a power of ten.
func (a Axis) evenTicks() (ticks []float64) {
	e := math.Floor(math.Log10((a.Max - a.Min) / 4))
	for _, s := range []float64{5, 2, 1} {
		step := decimal(s, e)
		first, last := math.Ceil(a.Min/step-1e-9), math.Floor(a.Max/step+1e-9)
		if last-first < 3 {
			continue
		}
		for k := first; k <= last; k++ {
			ticks = append(ticks, decimal(k*s, e)+0) // + 0: of -0 it makes 0
		}
		break
	}
	return ticks
}

// decimal is s × 10^e, as near as decimal digits tell it: 0.3, not 0.30000000000000004.
func decimal(s, e float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(s*math.Pow(10, e), 'g', 12, 64), 64)
	return v
}
