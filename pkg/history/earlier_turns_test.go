package history_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// ofPart returns runs in turns as the given part of a series that was interrupted: their run IDs begin with its name.
func ofPart(arms []history.Record, name string, started time.Time, continues ...string) []history.Record {
	for i := range arms {
		r := &arms[i]
		r.RunID, r.Pair.PartnerRunID = name+r.RunID, name+r.Pair.PartnerRunID
		r.Pair.Continues, r.Started = continues, started.Add(time.Duration(i))
		r.Pair.Variant = "v" + string(r.Pair.Arm)
	}
	return arms
}

func documentsOf(records []history.Record) (all []result.Document) {
	for _, r := range records {
		all = append(all, r.Document)
	}
	return all
}

// Two parts of 7 iterations give the same conclusions as all 14 would: each alone has too few.
func TestPartsOfInterruptedRunsAreRankedTogether(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	one := ofPart(inTurns(1, 7, true, 1, 2, 0.3), "p", start)
	two := ofPart(inTurns(2, 7, true, 1, 2, 0.3), "q", start.Add(time.Hour), "p0")
	arms := []history.Record{one[0], two[0], one[1], two[1], one[2], two[2]}
	if part := rank(t, one); part.Pairs >= part.PairsNeeded {
		t.Errorf("one part has %d pairs", part.Pairs)
	}
	r := rank(t, arms)
	if r.Pairs != 14 || r.Tests != 4 || len(r.Arms) != 3 || r.Arms[0].Arm != "C" || !r.Arms[0].Best {
		t.Errorf("%d pairs, %d tests, arms %+v", r.Pairs, r.Tests, r.Arms)
	}
	if d := armOf(r, "B").Differences[history.WriteTime]; d == nil || r.Verdict(d) != history.Worse {
		t.Errorf("B: %+v", d)
	}
	stranger := ofPart(inTurns(3, 7, true, 1, 2), "r", start)
	if _, err := history.Rank(append(arms, stranger...)); err == nil {
		t.Error("runs that were not measured in turns are ranked")
	}
}

// The newest runs of the same variants are found, with as many iterations as all their arms have.
func TestRunsThatWereInterruptedAreFound(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	old := ofPart(inTurns(1, 3, true, 1, 1, 1), "a", start)
	one := ofPart(inTurns(1, 5, true, 1, 1, 1), "p", start.Add(time.Hour))
	one[2].Cases[0].Samples = one[2].Cases[0].Samples[:4] // killed in iteration 5
	two := ofPart(inTurns(2, 2, true, 1, 1, 1), "q", start.Add(2*time.Hour), "p0")
	fewer := ofPart(inTurns(2, 2, true, 1, 1), "r", start.Add(3*time.Hour))
	tree := slices.Concat(two, old, fewer, one)
	now := documentsOf(ofPart(inTurns(9, 0, true, 1, 1, 1), "n", start.Add(4*time.Hour)))
	now[0].Parameters.Iterations += 10
	found := history.FindEarlierTurns(tree, now)
	var ids []string
	for _, r := range found.Runs {
		ids = append(ids, r.RunID)
	}
	if got := strings.Join(ids, " "); got != "p0 q0 p1 q1 p2 q2" || found.Iterations != 6 ||
		!slices.Equal(found.RunIDs, []string{"p0", "q0"}) || found.Differences != nil {
		t.Errorf("%s, %d iterations, %v, %v", got, found.Iterations, found.RunIDs, found.Differences)
	}
	now[1].Parameters.Datasets++
	now[2].Software.HDF5 = "2.0.0"
	found = history.FindEarlierTurns(tree, now)
	if found.Runs != nil || found.Other != "p0" || len(found.Differences) != 2 ||
		!strings.Contains(found.Differences[1], "software.hdf5_version was ") {
		t.Errorf("%+v", found)
	}
}

// Runs that may still go on, and runs without results, are left alone.
func TestRunsThatHaveNotEndedAreNotGoneOnWith(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	now := documentsOf(ofPart(inTurns(9, 0, true, 1, 1), "n", start.Add(time.Hour)))
	for name, change := range map[string]func(*history.Record){
		"running": func(r *history.Record) { r.State = result.Running },
		"empty":   func(r *history.Record) { r.Cases[0].Samples = nil },
	} {
		runs := ofPart(inTurns(1, 5, true, 1, 1), "a", start)
		for i := range runs {
			change(&runs[i])
		}
		if found := history.FindEarlierTurns(runs, now); found.RunIDs != nil || found.Differences != nil {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// A round has a time for each variant that was measured in it, 0 for one that failed in it, -1 for one that has failed
// before or was not chosen, and NaN for one that was interrupted before.
func TestRoundsOfEarlierTurns(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	one := ofPart(inTurns(1, 3, true, 1, 1, 1, 1), "p", start)
	two := ofPart(inTurns(2, 2, true, 1, 1, 1, 1), "q", start.Add(time.Hour), "p0")
	for i := range one {
		one[i].Cases[0].State = result.Interrupted
	}
	one[1].Cases[0].State, one[1].Cases[0].Samples = result.Failed, one[1].Cases[0].Samples[:1]
	one[2].Cases[0].Samples = one[2].Cases[0].Samples[:2]
	one[3].Cases, one[3].Errors = nil, []result.Error{{Phase: result.PhaseStart}}
	found := history.EarlierTurns{
		Runs: []history.Record{one[0], two[0], one[1], two[1], one[2], two[2], one[3]}, RunIDs: []string{"p0", "q0"},
	}
	var got []string
	for _, r := range found.Rounds([]string{"vA", "vC", "vB", "vD"}) {
		line := ""
		for _, s := range r.Seconds {
			switch {
			case s > 0:
				line += "+"
			case s == 0:
				line += "0"
			case s < 0:
				line += "-"
			default:
				line += "?"
			}
		}
		got = append(got, line)
	}
	if want := []string{"+++0", "++0-", "+?--", "+++-", "+++-"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Runs that can go on with one another have the same key, and others do not.
func TestRunsThatCanGoOnWithOneAnotherHaveTheSameKey(t *testing.T) {
	names := []string{"vA", "vB"}
	document := func() result.Document { return inTurns(1, 3, true, 1, 1)[0].Document }
	key := history.TurnsKey(document(), names)
	for name, c := range map[string]struct {
		change func(*result.Document)
		same   bool
	}{
		"nothing":    {func(*result.Document) {}, true},
		"iterations": {func(d *result.Document) { d.Parameters.Iterations++ }, true},
		"seed":       {func(d *result.Document) { d.Parameters.Conditions.Seed = new(uint64(7)) }, true},
		"free":       {func(d *result.Document) { d.Target.FreeBytes++ }, true},
		"stripes":    {func(d *result.Document) { d.Target.Stripe = &result.Stripe{Count: 7} }, true},
		"host":       {func(d *result.Document) { d.Machine.Host += "x" }, true},
		"warm-up":    {func(d *result.Document) { d.Parameters.Conditions.Warmup = new(7) }, false},
		"directory":  {func(d *result.Document) { d.Target.Directory += "x" }, false},
		"software":   {func(d *result.Document) { d.Software.HDF5 += "x" }, false},
		"processes":  {func(d *result.Document) { d.Job.Processes++ }, false},
		"kind":       {func(d *result.Document) { d.Kind += "x" }, false},
	} {
		d := document()
		if c.change(&d); (history.TurnsKey(d, names) == key) != c.same {
			t.Errorf("another %s", name)
		}
	}
	if history.TurnsKey(document(), names[:1]) == key {
		t.Error("other variants")
	}
}

// If documents of runs that could be gone on with are missing, it is told. Runs of other variants are none of these.
func TestMissingDocumentsOfRunsAreTold(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	const anew = "p0, and begins anew: the tree lacks "
	const lacks = "1 of its 2 documents, such as that of "
	for name, c := range map[string]struct {
		tuned   bool
		missing []string // run IDs
		other   string   // variant of B in the tree
		want    string
	}{
		"none":                   {want: "goes on with p0, q0"},
		"none of tune":           {tuned: true, want: "goes on with p0, q0"},
		"B":                      {missing: []string{"p1", "q1"}, want: anew + lacks + `"vB"`},
		"B of tune":              {tuned: true, missing: []string{"p1", "q1"}, want: anew + lacks + `"vB"`},
		"A":                      {missing: []string{"p0", "q0"}, want: anew + lacks + `"vA"`},
		"A of a part":            {missing: []string{"q0"}, want: "goes on with p0"},
		"A of a part of tune":    {tuned: true, missing: []string{"q0"}, want: anew + "the document of run q0"},
		"A of the first of tune": {tuned: true, missing: []string{"p0"}, want: anew + "the document of run p0"},
		"other variants":         {other: "vX"},
	} {
		tree := slices.Concat(ofPart(inTurns(1, 3, true, 1, 1), "p", start),
			ofPart(inTurns(2, 2, true, 1, 1), "q", start.Add(time.Hour), "p0"))
		now := documentsOf(ofPart(inTurns(9, 0, true, 1, 1), "n", start.Add(2*time.Hour)))
		for i := range tree {
			if c.tuned {
				tree[i].Pair.TuneChanges, now[i%2].Pair.TuneChanges = []string{"vB"}, []string{"vB"}
			}
			if c.other != "" && tree[i].Pair.Arm == "B" {
				tree[i].Pair.Variant = c.other
			}
		}
		tree = slices.DeleteFunc(tree, func(r history.Record) bool { return slices.Contains(c.missing, r.RunID) })
		got := history.FindEarlierTurns(tree, now)
		if text := got.Text(); c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}
