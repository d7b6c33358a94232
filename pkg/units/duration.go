package units

import (
	"fmt"
	"math"
	"time"
)

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
