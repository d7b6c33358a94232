package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// aDay returns the start of the run of a day.
func aDay(day int) time.Time { return time.Date(2026, 3, 1+day, 2, 0, 0, 0, time.UTC) }

// changedOn returns a change by 40 % that began on a day, with another kernel.
func changedOn(day int) history.Change {
	return history.Change{
		Since: aDay(day), Index: day, Ratio: 0.6, Low: new(0.55), High: new(0.65), CorrectedP: 0.001,
		Differs: []history.ConditionChange{{Name: "kernel", Old: "6.1", New: fmt.Sprint("6.", day)}},
	}
}

// incidentOn returns an incident of three runs.
func incidentOn(day int, ongoing bool) history.Incident {
	return history.Incident{Change: changedOn(day), Until: aDay(day + 2), Runs: 3, Ongoing: ongoing}
}

// disturbed returns a trend of two series of 30 daily runs, and of their group. Writes fell on day 9, and have an
// incident on day 17 and an ongoing one. All series together had an incident on day 18.
func disturbed() history.Trend {
	identity := result.Identity{Cluster: "c", Filesystem: "/scratch", Label: "nightly"}
	series := func(operation result.Operation) history.Series {
		s := history.Series{
			Identity: identity, Place: history.Place{Operation: operation, API: result.POSIX, Processes: 4, Nodes: 1},
			Group: "c,/scratch,nightly", Findings: history.Findings{Verdict: history.NoDifference},
		}
		for day := range 30 {
			s.Runs = append(s.Runs, history.SeriesRun{RunID: fmt.Sprint(day), Started: aDay(day), Median: 1e9})
		}
		return s
	}
	writes := series(result.OperationWrite)
	writes.Findings = history.Findings{
		ChangePoints: []history.ChangePoint{{Change: changedOn(9)}},
		Incidents:    []history.Incident{incidentOn(17, false), incidentOn(27, true)}, Verdict: history.Worse,
	}
	return history.Trend{
		Runs: 30, Series: []history.Series{writes, series(result.OperationRead)},
		Groups: []history.SeriesGroup{{
			ID: "c,/scratch,nightly", Identity: identity, NumSeries: 2, Runs: 30, Findings: history.Findings{
				Incidents: []history.Incident{incidentOn(18, false)}, Verdict: history.NoDifference,
			},
		}},
	}
}

func TestTrendTellsIncidentsApart(t *testing.T) {
	text := plaintest.Unwrap(trendText(disturbed()))
	series := "write, POSIX, 4 processes, 0 B, c, /scratch, nightly"
	for _, want := range []string{
		"\nworse, incident  " + series + "  30  954 MiB/s  2026-03-28 02:00\n",
		"\nworse, incident  " + series + "  -40.0 %  -45.0 % to -35.0 %  0.001\n",
		"\n" + series + ": earlier change at 2026-03-10 02:00: -40.0 % (-45.0 % to -35.0 %), p 0.001\n",
		"\n" + series + ": changed at 2026-03-28 02:00: kernel 6.1 -> 6.27\n",
		"\nall 2 series, c, /scratch, nightly: incident from 2026-03-19 02:00 to 2026-03-21 02:00, 3 runs: -40.0 % " +
			"(-45.0 % to -35.0 %), p 0.001\n",
		"\nall 2 series, c, /scratch, nightly: changed at 2026-03-19 02:00: kernel 6.1 -> 6.18\n",
		"\n2 series: 1 with a lasting change, 1 with an incident (1 ongoing). 1 group of series: 0 with a lasting " +
			"change, 1 with an incident. ",
		"\nAn incident is a change that lasts for one to five runs. With the sixth run it becomes a lasting change.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, unwanted := range []string{series + ": incident", "6.17", "no difference shown, incident"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%q in\n%s", unwanted, text)
		}
	}
}

func TestAnOngoingIncidentOfASmallGroupIsInTheTable(t *testing.T) {
	trend := disturbed()
	writes := trend.Groups[0]
	writes.ID, writes.Operation, writes.NumSeries = "c,/scratch,nightly/write", result.OperationWrite, 1
	trend.Groups = append(trend.Groups, writes)
	row := func() bool {
		return strings.Contains(plaintest.Unwrap(trendText(trend)), " all 1 series of write, c, /scratch, nightly  ")
	}
	if row() {
		t.Error("a small group without a current change is in the table")
	}
	trend.Groups[1].Incidents = []history.Incident{incidentOn(27, true)}
	if !row() {
		t.Error("the incident of writes is not in the table")
	}
}

func TestTrendFailsOnAnOngoingIncident(t *testing.T) {
	const want = "write, POSIX, 4 processes, 0 B, c, /scratch, nightly: worse by 40 % in an ongoing incident of 3 " +
		"runs since 2026-03-28 02:00"
	for _, c := range []struct {
		name    string
		percent float64
		change  func(*history.Series)
		fails   bool
	}{
		{"an ongoing fall", 30, func(*history.Series) {}, true},
		{"a smaller fall", 50, func(*history.Series) {}, false},
		{"a rise", 30, func(s *history.Series) { s.Incidents[1].Ratio = 1.4 }, false},
		{"an incident that is over", 30, func(s *history.Series) { s.Incidents[1].Ongoing = false }, false},
		{"an accepted fall", 30, func(s *history.Series) { s.AcceptedUntil = aDay(29) }, false},
	} {
		trend := disturbed()
		trend.Series[0].ChangePoints = nil
		c.change(&trend.Series[0])
		err := Trend{FailOnWorse: &c.percent}.exitError(trend)
		if failed := err != nil; failed != c.fails || failed && err.Error() != want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	err := Trend{FailOnWorse: new(30.0)}.exitError(disturbed())
	if err == nil || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "worse by 40 % since 2026-03-10 02:00") {
		t.Errorf("a lasting fall and an ongoing one: %v", err)
	}
}
