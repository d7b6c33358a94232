package history_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/resulttest"
)

// describe describes what was found in a series of 30 daily runs. The series has no value in the run with index 5. The
// kernel changes with the run with index 20.
func describe(changes []stats.ChangePoint, incidents ...stats.Incident) history.Findings {
	var runs []history.SeriesRun
	var conditions [][]history.Condition
	b := stats.Branch{Changes: changes, Incidents: incidents}
	for i := range 30 {
		kernel := "old"
		if i >= 20 {
			kernel = "new"
		}
		runs = append(runs, history.SeriesRun{RunID: fmt.Sprintf("run%05d", i), Started: day.AddDate(0, 0, i)})
		conditions = append(conditions, []history.Condition{{Name: "kernel", Value: kernel}})
		if i != 5 {
			b.Nights = append(b.Nights, i)
		}
	}
	return history.DescribeFindings(runs, conditions, b)
}

func TestAnIncidentSaysFromWhenToWhen(t *testing.T) {
	found := describe(nil, stats.Incident{First: 19, Last: 21, Ratio: 0.6, Low: 0.5, High: 0.7, P: 0.01},
		stats.Incident{First: 27, Last: 28, Ongoing: true, Ratio: 1.5, Low: 0, High: math.Inf(1), P: 0.02})
	first, last := found.Incidents[0], found.Incidents[1]
	if !first.Since.Equal(day.AddDate(0, 0, 20)) || !first.Until.Equal(day.AddDate(0, 0, 22)) || first.Runs != 3 ||
		first.RunID != "run00020" || first.Index != 19 || first.Ongoing {
		t.Errorf("%+v", first)
	}
	if first.Ratio != 0.6 || *first.Low != 0.5 || *first.High != 0.7 || first.CorrectedP != 0.01 ||
		!slices.Equal(first.Differs, []history.ConditionChange{{Name: "kernel", Old: "old", New: "new"}}) {
		t.Errorf("%+v", first)
	}
	if !last.Ongoing || last.Runs != 2 || last.Low != nil || last.High != nil || last.Differs != nil ||
		!last.Until.Equal(day.AddDate(0, 0, 29)) {
		t.Errorf("%+v", last)
	}
	resulttest.Follows(t, "trend-1", history.Trend{
		Version: 1, Unused: []history.IncompleteRun{}, Series: []history.Series{},
		Groups: []history.SeriesGroup{{Findings: found}},
	})
}

func TestAnOngoingIncidentIsTheVerdict(t *testing.T) {
	fall, rise := []stats.ChangePoint{{At: 10, Ratio: 0.8}}, []stats.ChangePoint{{At: 10, Ratio: 1.2}}
	incident := func(ratio float64, ongoing bool) stats.Incident {
		return stats.Incident{First: 27, Last: 28, Ratio: ratio, Ongoing: ongoing}
	}
	for _, c := range []struct {
		found   history.Findings
		want    history.Verdict
		ongoing bool
	}{
		{describe(nil), history.NoDifference, false},
		{describe(fall), history.Worse, false},
		{describe(nil, incident(0.5, true)), history.Worse, true},
		{describe(fall, incident(1.5, true)), history.Better, true},
		{describe(rise, incident(0.5, true)), history.Worse, true},
		{describe(nil, incident(0.5, false)), history.NoDifference, false},
		{describe(rise, incident(0.5, false)), history.Better, false},
	} {
		if ongoing := c.found.OngoingIncident() != nil; c.found.Verdict != c.want || ongoing != c.ongoing {
			t.Errorf("%+v: want %s, ongoing %v", c.found, c.want, c.ongoing)
		}
	}
}
