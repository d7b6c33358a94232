package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// The metadata part is the time that a run would save if files, objects and attributes took no time. Time in which a
// process waits in a close for processes that still transfer does not count.
func TestMetadataArePartOfTheTimeBesideTransfers(t *testing.T) {
	class := func(name result.Class, slowest, fastest float64) result.ClassTime {
		return result.ClassTime{Class: name, Interval: result.Interval{Max: slowest, Min: fastest}}
	}
	row := figures.Rows[slices.IndexFunc(figures.Rows,
		func(r figures.Row) bool { return r.Name == "metadata" })]
	for _, c := range []struct {
		name    string
		window  float64
		classes []result.ClassTime
		want    float64
	}{
		{
			"all write, and wait in close for the slowest", 10,
			[]result.ClassTime{class("file open", 0.5, 0.5), class("transfer", 9, 1), class("file close", 8.5, 0.5)},
			0.1,
		},
		{
			"one writes, the others wait in close", 10,
			[]result.ClassTime{class("file open", 0.1, 0.1), class("transfer", 9.8, 0), class("file close", 9.9, 0.1)},
			0.02,
		},
		{
			"attributes of all", 10,
			[]result.ClassTime{class("create", 1, 1), class("attribute", 8, 7), class("transfer", 0.5, 0.5)},
			0.9,
		},
		{
			"files of their own, without waits", 10,
			[]result.ClassTime{class("create", 2, 1), class("transfer", 5, 4), class("file close", 1, 0.5)},
			0.3,
		},
		{
			"a collective sync, in which processes wait for the slowest", 10,
			[]result.ClassTime{class("transfer", 6, 2), class("sync", 7, 3), class("file close", 2, 1)},
			0.1,
		},
		{"no transfers", 10, []result.ClassTime{class("create", 10, 9)}, 1},
		{
			"computing beside", 12,
			[]result.ClassTime{class("transfer", 5, 5), class("file close", 5, 5), class("compute", 2, 2)},
			0.5,
		},
	} {
		of := result.Interval{WindowSeconds: c.window, Max: c.window}
		s := result.Sample{OpenClose: of, Access: of, Classes: c.classes}
		if got, ok := row.SampleValue(result.Case{Processes: 4}, s); !ok || !about(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
