package history_test

import (
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

func TestAChangeIsToldOnceOfTheWidestGroup(t *testing.T) {
	at := func(index int, ratio float64) []history.ChangePoint {
		return []history.ChangePoint{{Index: index, Ratio: ratio}}
	}
	trend := history.Trend{
		Groups: []history.SeriesGroup{
			{ID: "a,/write,n", ChangePoints: at(20, 0.8)},
			{ID: "a,/write,n/write", Operation: "write", ChangePoints: at(21, 0.79)}, // the same one
			{ID: "a,/write,n/read", Operation: "read", ChangePoints: at(20, 1.2)},
			{ID: "a,/write,n/read warm", Operation: "read", PageCache: history.WarmCache, ChangePoints: at(20, 1.2)},
			{ID: "a,/write,n/write/phdf5", Operation: "write", API: result.PHDF5, ChangePoints: at(20, 0.4)},
			{ID: "a,/writes,n/write", Operation: "write", ChangePoints: at(20, 0.8)}, // another tree
		},
		Series: []history.Series{
			{
				Place: history.Place{
					Operation: "write", API: result.POSIX, Processes: 1, BufferBytes: 16 << 20,
				}, Group: "a,/write,n", ChangePoints: at(40, 0.8), // later
			},
			{
				Place: history.Place{Operation: "write", API: result.PHDF5, Processes: 4, Workload: "vpic"},
				Group: "a,/write,n", ChangePoints: at(22, 0.41), // as for all series of its API
			},
		},
	}
	var told []string
	for _, f := range trend.LastingChanges() {
		told = append(told, f.ScopeText())
	}
	want := []string{
		"everything", "reads", "reads from memory", "writes, HDF5", "writes", "writes, POSIX, 16 MiB, 1 process",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
