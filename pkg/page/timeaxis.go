package page

import (
	"math"
	"time"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// UnixSeconds returns a time as a position on a time axis: seconds since 1970.
func UnixSeconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// tickSpacing is a distance between the ticks of a time axis, and the format of their labels.
type tickSpacing struct {
	layout         string
	seconds, first int64 // ticks are at first plus multiples of seconds, in Unix time
	months         int   // if not 0, ticks are at the beginning of every so many months instead
}

// Durations in seconds.
const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	monday = 4 * day // the first Monday in 1970, in Unix time
)

// tickSpacings holds the possible distances between ticks, in ascending order.
var tickSpacings = []tickSpacing{
	{"2006-01-02 15:04:05", 1, 0, 0},
	{"2006-01-02 15:04:05", 10, 0, 0},
	{"2006-01-02 15:04", minute, 0, 0},
	{"2006-01-02 15:04", 10 * minute, 0, 0},
	{"2006-01-02 15:04", hour, 0, 0},
	{"2006-01-02 15:04", 3 * hour, 0, 0},
	{"2006-01-02 15:04", 6 * hour, 0, 0},
	{time.DateOnly, day, 0, 0},
	{time.DateOnly, 2 * day, 0, 0},
	{time.DateOnly, 7 * day, monday, 0},
	{time.DateOnly, 14 * day, monday, 0},
	{"2006-01", 0, 0, 1},
	{"2006-01", 0, 0, 3},
	{"2006-01", 0, 0, 6},
	{"2006", 0, 0, 12},
	{"2006", 0, 0, 5 * 12},
	{"2006", 0, 0, 10 * 12},
	{"2006", 0, 0, 100 * 12},
	{"2006", 0, 0, 1000 * 12},
	{"2006", 0, 0, 10000 * 12},
}

// timeAxis returns a linear axis of the times from first to last. Its tick labels are dates or times in UTC, as many as
// fit into room.
func timeAxis(first, last time.Time, room vg.Length) Axis {
	a := Axis{Label: "start of the run, UTC", Min: UnixSeconds(first), Max: UnixSeconds(last)}
	pad := max(0.02*(a.Max-a.Min), 1)
	if a.Max <= a.Min {
		pad = day / 2
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
	label := textStyle(Muted, textSize, text.XCenter, text.YTop)
	for _, c := range tickSpacings {
		most := int(room / (label.Width(c.layout) + 12))
		if ticks := c.tickPositions(a.Min, a.Max, max(2, most)); ticks != nil {
			a.Values = ticks
			a.FormatTick = func(v float64) string { return time.Unix(int64(v), 0).UTC().Format(c.layout) }
			break
		}
	}
	return a
}

// tickPositions returns the positions of the ticks between low and high, or nil if their number exceeds most.
func (c tickSpacing) tickPositions(low, high float64, most int) []float64 {
	ticks := []float64{}
	if c.months == 0 {
		step := float64(c.seconds)
		if (high-low)/step > float64(most)+1 {
			return nil
		}
		first := float64(c.first) + math.Ceil((low-float64(c.first))/step)*step
		for v := first; v <= high; v += step {
			ticks = append(ticks, v)
		}
	} else {
		from, to := time.Unix(int64(low), 0).UTC(), time.Unix(int64(high), 0).UTC()
		first := 12*from.Year() + int(from.Month()) - 1
		first -= first % c.months
		for m := first; m <= 12*to.Year()+12 && len(ticks) <= most; m += c.months {
			v := UnixSeconds(time.Date(0, time.Month(m+1), 1, 0, 0, 0, 0, time.UTC))
			if v >= low && v <= high {
				ticks = append(ticks, v)
			}
		}
	}
	if len(ticks) > most {
		return nil
	}
	return ticks
}
