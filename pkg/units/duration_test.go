package units_test

import (
	"testing"
	"time"

	"h5perf/pkg/units"
)

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1499 * time.Millisecond: "1 s", 89 * time.Second: "89 s", 90 * time.Second: "2 min",
		179 * time.Second: "3 min", 89 * time.Minute: "89 min", 90 * time.Minute: "1 h 30 min",
		3*time.Hour - time.Second: "3 h", 47*time.Hour + 59*time.Minute: "47 h 59 min", 48 * time.Hour: "2 d",
		102 * time.Hour: "4 d 6 h", 1<<63 - 1: "106752 d", 48*time.Hour + 31*time.Minute: "2 d 1 h",
	} {
		if got := units.FormatDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
