package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count returns a number followed by a noun, such as "1 file" or "3 files". The parameter one is the singular of the
// noun, and many is its plural.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// FormatBytes formats a number of bytes for people: 64 KiB, 1.5 MiB. It uses the largest IEC unit in which the number
// is at least 1. It rounds to three significant digits, but never drops digits before the decimal point.
func FormatBytes(n float64) string {
	return formatScaled(n, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
}

// FormatRate formats a rate in bytes per second like FormatBytes, but with at least three significant digits: 1.20
// GiB/s.
func FormatRate(rate float64) string {
	number, unit, _ := strings.Cut(FormatBytes(rate), " ")
	whole, fraction, _ := strings.Cut(number, ".")
	if missing := 3 - len(strings.TrimLeft(whole+fraction, "0")); missing > 0 && rate != 0 {
		number = whole + "." + fraction + strings.Repeat("0", missing)
	}
	return number + " " + unit + "/s"
}

// RateUnit is a unit in which several rates are shown, so that they can be compared.
type RateUnit struct {
	Name           string  // such as MiB/s
	BytesPerSecond float64 // size of the unit
}

// RateUnitFor returns the largest unit in which a rate, the greatest of those to show, is at least 1.
func RateUnitFor(greatest float64) RateUnit {
	u := RateUnit{"B/s", 1}
	for _, next := range []string{"KiB/s", "MiB/s", "GiB/s", "TiB/s"} {
		if greatest < 1024*u.BytesPerSecond {
			break
		}
		u = RateUnit{next, 1024 * u.BytesPerSecond}
	}
	return u
}

// Format formats a rate in bytes per second, in this unit, with three significant digits or all digits of its whole
// number: 0.0123 GiB/s, 1.20 GiB/s, 1021 MiB/s.
func (u RateUnit) Format(rate float64) string { return u.FormatNumber(rate) + " " + u.Name }

// FormatNumber is like Format, without the unit.
func (u RateUnit) FormatNumber(rate float64) string {
	n := rate / u.BytesPerSecond
	if n == 0 || math.IsNaN(n) || math.IsInf(n, 0) {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	const digits = 3
	if math.Abs(n) >= 1000 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', digits, 64), 64)
	return strconv.FormatFloat(rounded, 'f', max(0, digits-1-int(math.Floor(math.Log10(math.Abs(rounded))))), 64)
}

// FormatSeconds formats a time, given in seconds, for people: 1.5 ms, 12.3 s. It uses at most three significant digits.
// It does not use minutes or hours.
func FormatSeconds(seconds float64) string {
	if seconds == 0 {
		return "0 s"
	}
	if seconds >= 1 {
		return formatDigits(seconds) + " s"
	}
	return formatScaled(seconds*1e9, 1000, "ns", "µs", "ms", "s")
}

// formatScaled formats a number with the largest unit in which it is at least 1. names holds the units in ascending
// order; each unit is step times the previous unit.
func formatScaled(n, step float64, names ...string) string {
	i := 0
	for i < len(names)-1 && math.Abs(n) >= step {
		n, i = n/step, i+1
	}
	text := formatDigits(n)
	if i < len(names)-1 && text == formatDigits(step) { // rounded up to the next unit
		text, i = "1", i+1
	}
	return text + " " + names[i]
}

// formatDigits formats a number with at most three significant digits, and all digits before the decimal point.
func formatDigits(n float64) string {
	if math.Abs(n) >= 100 {
		return strconv.FormatFloat(math.Round(n), 'f', -1, 64)
	}
	text := strconv.FormatFloat(n, 'g', 3, 64)
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return text
}

// FormatExactBytes formats a number of bytes as an integer. For 1024 bytes or more it adds the size in IEC units.
func FormatExactBytes(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d B (%s)", n, FormatBytes(float64(n)))
}

// FormatDuration formats a duration for people, rounded as for an estimate: 45 s, 12 min, 3 h 20 min, 4 d 6 h.
func FormatDuration(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", math.Round(d.Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", math.Round(d.Minutes()))
	case d < 48*time.Hour:
		return formatTwoUnits(int64(math.Round(d.Minutes())), 60, "h", "min")
	}
	return formatTwoUnits(int64(math.Round(d.Hours())), 24, "d", "h")
}

// formatTwoUnits formats n small units (such as minutes) as large and small units (hours and minutes). size is the
// number of small units in a large unit.
func formatTwoUnits(n, size int64, large, small string) string {
	if n%size == 0 {
		return fmt.Sprintf("%d %s", n/size, large)
	}
	return fmt.Sprintf("%d %s %d %s", n/size, large, n%size, small)
}
