package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// incidentNow returns findings with an ongoing incident, of the last of 30 daily runs.
func incidentNow(ratio float64) history.Findings {
	found := disturbed(29, 1, ratio)
	found.Incidents[0].Ongoing = true
	return found
}

// belowBest returns findings and a comparison with the best level, after two changes.
func belowBest(ratio float64, verdict history.Verdict) (history.Findings, history.Present) {
	found := changed(10, 0.5)
	found.ChangePoints = append(found.ChangePoints, changed(20, ratio/0.5).ChangePoints...)
	return found, history.Present{Best: &history.BestLevelComparison{LatestComparison: history.LatestComparison{
		Ratio: ratio, Low: new(ratio - 0.05), High: new(ratio + 0.05), Verdict: verdict,
	}}}
}

// started gives all changes the start of their runs, of one each day.
func started(found history.Findings) history.Findings {
	for i := range found.ChangePoints {
		found.ChangePoints[i].Since = day.AddDate(0, 0, found.ChangePoints[i].Index)
	}
	return found
}

// ofAll returns a trend of a group of all series, and of one series for each element of parts.
func ofAll(whole history.SeriesGroup, parts ...history.Series) history.Trend {
	whole.ID = "a"
	for i := range parts {
		parts[i].Group = "a"
		parts[i].Place = history.Place{Operation: "write", API: result.POSIX, Processes: i + 1, BufferBytes: 1 << 20}
		parts[i].Findings = started(parts[i].Findings)
	}
	whole.Findings = started(whole.Findings)
	return history.Trend{Groups: []history.SeriesGroup{whole}, Series: parts}
}

func TestAFallIsToldOnceOfTheWidestGroup(t *testing.T) {
	best := func(ratio float64) (s history.Series) {
		s.Findings, s.Present = belowBest(ratio, history.Worse)
		return s
	}
	group := history.SeriesGroup{Findings: best(0.8).Findings, Present: best(0.8).Present}
	reference := history.Present{Reference: &history.ReferenceComparison{
		LatestComparison: history.LatestComparison{Ratio: 0.75, Verdict: history.Worse},
	}}
	ended := best(0.8)
	ended.Ended = new(day)
	accepted := history.Series{Findings: changed(20, 0.4)}
	accepted.AcceptedUntil = day.AddDate(0, 0, 25)
	both := history.Series{Findings: incidentNow(0.8), Present: reference}
	for name, c := range map[string]struct {
		trend history.Trend
		want  []string // what fell, its ratio, and the number of its series for which it stands
	}{
		"equal": {ofAll(group, best(0.8), best(0.75), best(0.85)), []string{"everything 0.8 3"}},
		"much larger in a part": {
			ofAll(group, best(0.8), best(0.5)), []string{"everything 0.8 1", "writes, POSIX, 1 MiB, 2 processes 0.5 0"},
		},
		"one change": {
			ofAll(group, history.Series{Findings: changed(3, 0.8)}), []string{"everything 0.8 1"},
		},
		"below a reference": {ofAll(group, history.Series{Present: reference}), []string{"everything 0.8 1"}},
		"ended":             {ofAll(group, ended), []string{"everything 0.8 0"}},
		"accepted":          {ofAll(group, accepted), []string{"everything 0.8 0"}},
		"less":              {ofAll(group, best(0.95)), []string{"everything 0.8 0"}},
		"an incident of a part": {
			ofAll(group, history.Series{Findings: incidentNow(0.8)}),
			[]string{"everything 0.8 0", "writes, POSIX, 1 MiB, 1 process 0.8 0"},
		},
		"an incident of all": {
			ofAll(history.SeriesGroup{Findings: incidentNow(0.8)}, history.Series{Findings: incidentNow(0.75)},
				best(0.8)),
			[]string{"everything 0.8 1", "writes, POSIX, 1 MiB, 2 processes 0.8 0"},
		},
		"an incident below the reference": {
			ofAll(history.SeriesGroup{Findings: both.Findings, Present: both.Present}, both, both),
			[]string{"everything 0.8 2", "everything 0.75 2"},
		},
		"changes at different times": {
			ofAll(history.SeriesGroup{Findings: changed(20, 0.8)}, history.Series{Findings: changed(10, 0.8)},
				history.Series{Findings: changed(21, 0.8)}),
			[]string{"everything 0.8 1", "writes, POSIX, 1 MiB, 1 process 0.8 0"},
		},
	} {
		var told []string
		for _, d := range c.trend.DistinctFalls(0.9) {
			told = append(told, fmt.Sprint(d.ScopeText(), " ", d.Found.Ratio, " ", len(d.Covered)))
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("%s: told %q, want %q", name, told, c.want)
		}
	}
}

func TestTheBestLevelIsToldOnceOfTheWidestGroup(t *testing.T) {
	series := func(ratio float64, verdict history.Verdict) (s history.Series) {
		s.Findings, s.Present = belowBest(ratio, verdict)
		return s
	}
	ended, once := series(0.5, history.Worse), series(0.5, history.Worse)
	ended.Ended, once.ChangePoints = new(time.Time), once.ChangePoints[:1]
	for name, c := range map[string]struct {
		whole history.Series
		parts []history.Series
		want  []string
	}{
		"worse": {series(0.8, history.Worse), []history.Series{
			series(0.8, history.Worse), series(0.5, history.Worse), series(0.83, history.NoDifference),
			series(1, history.NoDifference), series(1.2, history.Better), ended, once,
		}, []string{"0.8 2", "0.5 0", "1 0", "1.2 0"}},
		"no difference": {series(1, history.NoDifference), []history.Series{
			series(0.94, history.NoDifference), series(0.8, history.Worse),
		}, []string{"1 1", "0.8 0"}},
	} {
		whole := history.SeriesGroup{Findings: c.whole.Findings, Present: c.whole.Present}
		var told []string
		for _, d := range ofAll(whole, c.parts...).DistinctBestLevels() {
			told = append(told, fmt.Sprint(d.Found.Ratio, " ", len(d.Covered)))
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("%s: told %q, want %q", name, told, c.want)
		}
	}
}
