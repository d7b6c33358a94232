package history

import (
	"cmp"
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// EarlierTurns holds runs that were measured alternately and then interrupted, and with which others can go on.
type EarlierTurns struct {
	Runs       []Record // the runs of the first arm, then those of the next one, and so on; the oldest first
	Iterations int      // iterations that all arms with results have
	RunIDs     []string // of the first arm
	// Differences says why the newest runs of the same variants cannot be gone on with, if that is so.
	Differences []string
	Other       string // run_id of the first arm of these runs
}

// FindEarlierTurns returns the newest runs among records with which runs that are to be measured alternately can go on.
// These have the documents now, one for each arm, the first arm first. Both must have the same variants, parameters,
// software and file system, and the same number of processes. Only the number of iterations may differ. Runs that have
// not ended are left out.
func FindEarlierTurns(records []Record, now []result.Document) (found EarlierTurns) {
	turns := map[string][]Record{}
	started := func(a, b Record) int { return a.Started.Compare(b.Started) }
	for _, r := range slices.SortedStableFunc(slices.Values(records), started) {
		// A run that says that it is running may be: it must not be gone on with.
		if id := r.TurnsID(); id != "" && r.State != result.Running && armIndex(now, r) >= 0 {
			turns[id] = append(turns[id], r)
		}
	}
	var newest []string
	for id := range turns {
		newest = append(newest, id)
	}
	slices.SortFunc(newest, func(a, b string) int {
		return cmp.Or(started(turns[b][len(turns[b])-1], turns[a][len(turns[a])-1]), cmp.Compare(a, b))
	})
	for _, id := range newest {
		runs := turns[id]
		arms := map[result.Arm]bool{}
		for _, r := range runs {
			arms[r.Pair.Arm] = true
		}
		if len(arms) != len(now) {
			continue
		}
		differences := turnsDifferences(runs, now)
		if differences == nil {
			if with := newEarlierTurns(runs, now); with.Iterations > 0 {
				return with
			}
			continue
		}
		if found.Differences == nil {
			found.Differences, found.Other = differences, id
		}
	}
	return found
}

// armIndex returns the index of the document that has the arm and the variant of a run, or -1.
func armIndex(now []result.Document, r Record) int {
	return slices.IndexFunc(now, func(d result.Document) bool {
		return d.Pair.Arm == r.Pair.Arm && d.Pair.Variant == r.Pair.Variant && d.Kind == r.Kind
	})
}

// turnsDifferences returns what runs have in another way than the documents of the same arms.
func turnsDifferences(runs []Record, now []result.Document) (all []string) {
	for _, r := range runs {
		for _, line := range DocumentDifferences(r.Document, now[armIndex(now, r)]) {
			field, _, _ := strings.Cut(line, " ")
			part, _, _ := strings.Cut(field, ".")
			matters := part == "parameters" || part == "software" || part == "target" || field == "job.processes"
			if matters && field != "parameters.iterations" && !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// newEarlierTurns returns the runs with which others go on.
func newEarlierTurns(runs []Record, now []result.Document) EarlierTurns {
	found := EarlierTurns{Iterations: -1}
	measures := Measures(now[0].Parameters)
	for _, d := range now {
		done := 0
		for _, r := range runs {
			if r.Pair.Arm != d.Pair.Arm {
				continue
			}
			found.Runs = append(found.Runs, r)
			if d.Pair.Arm == result.ArmA {
				found.RunIDs = append(found.RunIDs, r.RunID)
			}
			times, _ := timesOfRun(&r, measures)
			done += len(times[measures[0]])
		}
		if done > 0 && (found.Iterations < 0 || done < found.Iterations) {
			found.Iterations = done
		}
	}
	found.Iterations = max(0, found.Iterations)
	return found
}
