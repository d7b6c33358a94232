package history_test

import (
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// changed returns findings with one lasting change.
func changed(index int, ratio float64) history.Findings {
	return history.Findings{ChangePoints: []history.ChangePoint{{Change: history.Change{Index: index, Ratio: ratio}}}}
}

// disturbed returns findings with one incident of some daily runs.
func disturbed(index, runs int, ratio float64) history.Findings {
	return history.Findings{Incidents: []history.Incident{{
		Change: history.Change{Since: day.AddDate(0, 0, index), Index: index, Ratio: ratio},
		Until:  day.AddDate(0, 0, index+runs-1), Runs: runs,
	}}}
}

// scopes returns what changed, in the words for people.
func scopes(all []history.Distinct[history.FoundChange]) (told []string) {
	for _, c := range all {
		told = append(told, c.ScopeText())
	}
	return told
}

func TestAChangeIsToldOnceOfTheWidestGroup(t *testing.T) {
	trend := history.Trend{
		Groups: []history.SeriesGroup{
			{ID: "a,/write,n", Findings: changed(20, 0.8)},
			{ID: "a,/write,n/write", Operation: "write", Findings: changed(21, 0.79)}, // the same one
			{ID: "a,/write,n/read", Operation: "read", Findings: changed(20, 1.2)},
			{ID: "a,/write,n/read warm", Operation: "read", PageCache: history.WarmCache, Findings: changed(20, 1.2)},
			{ID: "a,/write,n/write/phdf5", Operation: "write", API: result.PHDF5, Findings: changed(20, 0.4)},
			{ID: "a,/writes,n/write", Operation: "write", Findings: changed(20, 0.8)}, // another tree
		},
		Series: []history.Series{
			{
				Place: history.Place{
					Operation: "write", API: result.POSIX, Processes: 1, BufferBytes: 16 << 20,
				}, Group: "a,/write,n", Findings: changed(40, 0.8), // later
			},
			{
				Place: history.Place{Operation: "write", API: result.PHDF5, Processes: 4, Workload: "vpic"},
				Group: "a,/write,n", Findings: changed(22, 0.41), // as for all series of its API
			},
			{
				Place: history.Place{
					Operation: "write", API: result.POSIX, Processes: 4, BufferBytes: 16 << 20,
				}, Group: "a,/write,n", Findings: changed(50, 0.8),
			},
			{
				Place: history.Place{
					Operation: "write", API: result.POSIX, Processes: 8, BufferBytes: 16 << 20,
				}, Group: "a,/write,n", Findings: changed(50, 0.8), // no group explains it
			},
		},
	}
	want := []string{
		"everything", "reads", "reads from memory", "writes, HDF5", "writes", "writes, POSIX, 16 MiB, 1 process",
		"writes, POSIX, 16 MiB, 4 processes", "writes, POSIX, 16 MiB, 8 processes",
	}
	if told := scopes(trend.DistinctChanges()); !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestAnIncidentIsToldOnceOfTheWidestGroup(t *testing.T) {
	both := changed(20, 0.8)
	both.Incidents = disturbed(30, 2, 0.5).Incidents
	trend := history.Trend{
		Groups: []history.SeriesGroup{
			{ID: "a", Findings: both},
			{ID: "a/write", Operation: "write", Findings: disturbed(31, 2, 0.45)},                    // the same
			{ID: "a/read", Operation: "read", Findings: disturbed(32, 1, 0.5)},                       // after it
			{ID: "a/write/posix", Operation: "write", API: "posix", Findings: changed(30, 0.5)},      // lasts
			{ID: "a/write/mpiio", Operation: "write", API: "mpiio", Findings: disturbed(20, 3, 0.8)}, // of what lasts
			{ID: "b", Operation: "write", API: "phdf5", Findings: disturbed(30, 2, 0.5)},             // another tree
		},
	}
	all := trend.DistinctChanges()
	want := []string{"everything", "everything", "reads", "writes, POSIX", "writes, HDF5"}
	if told := scopes(all); !slices.Equal(told, want) {
		t.Fatalf("told %q, want %q", told, want)
	}
	for i, incident := range []bool{false, true, true, false, true} {
		if (all[i].Found.Incident != nil) != incident {
			t.Errorf("%s at %d: incident %v", want[i], all[i].Found.Index, !incident)
		}
	}
	if all[1].Found.Incident.Runs != 2 || all[1].Found.Index != 30 || all[1].Group.ID != "a" || all[1].Series != nil {
		t.Errorf("%+v", all[1])
	}
}
