package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// EarlierTurns holds runs that were measured alternately and then interrupted, and with which others can go on.
type EarlierTurns struct {
	Runs       []Record // the runs of the first arm, then those of the next one, and so on; the oldest first
	Iterations int      // iterations that all arms with results have
	RunIDs     []string // of the first arm
	// TuneStages are the parts of h5perf tune that began with these runs.
	TuneStages []result.TuneStage
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
		differences := missingDocuments(records, runs, now)
		if len(arms) != len(now) && differences == nil {
			continue // of other variants
		}
		if differences == nil {
			differences = turnsDifferences(runs, now)
		}
		if differences == nil {
			if with := newEarlierTurns(runs, now); with.Iterations > 0 {
				for _, r := range records {
					if r.Pair != nil && r.Pair.TuneFirstID == id && r.State != result.Running {
						with.TuneStages = append(with.TuneStages, r.Pair.Stage)
					}
				}
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

// TurnsKey returns a text that is the same for all runs that could go on with one another, see FindEarlierTurns: now is
// the document of the first arm, and variants are the names of all that is compared.
func TurnsKey(now result.Document, variants []string) string {
	facts := append([]string{string(now.Kind)}, variants...)
	all := documentFacts(now)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if preventsGoingOn(field) && !strings.HasPrefix(field, "target.stripe") {
			facts = append(facts, field+" "+all[field])
		}
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%q", facts))
	return hex.EncodeToString(hash[:8])
}

// preventsGoingOn reports whether runs in which a field of the document differs cannot go on with one another.
func preventsGoingOn(field string) bool {
	part, _, _ := strings.Cut(field, ".")
	return (part == "parameters" || part == "software" || part == "target" || field == "job.processes") &&
		field != "parameters.iterations"
}

// armIndex returns the index of the document that has the arm and the variant of a run, or -1.
func armIndex(now []result.Document, r Record) int {
	return slices.IndexFunc(now, func(d result.Document) bool {
		return d.Pair.Arm == r.Pair.Arm && d.Pair.Variant == r.Pair.Variant && d.Kind == r.Kind &&
			d.Pair.Stage == r.Pair.Stage && d.Pair.TuneFirstID == r.Pair.TuneFirstID &&
			slices.Equal(d.Pair.TuneChanges, r.Pair.TuneChanges)
	})
}

// missingDocuments says which documents of runs that were measured alternately are not among all records: those of
// other arms and, in h5perf tune, that of the first arm of a part, which has all its rounds. It returns nil if none is
// missing, or if the runs can be those of other variants.
func missingDocuments(records, runs []Record, now []result.Document) []string {
	has := func(id string) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return r.RunID == id })
	}
	tuned := now[0].Pair.TuneChanges != nil
	if !tuned && !slices.ContainsFunc(runs, func(r Record) bool { return !has(r.Pair.PartnerRunID) }) {
		return nil
	}
	var missing []string
	for _, d := range now {
		if !slices.ContainsFunc(runs, func(r Record) bool { return r.Pair.Arm == d.Pair.Arm }) {
			missing = append(missing, d.Pair.Variant)
		}
	}
	if missing != nil {
		return []string{fmt.Sprintf("the tree lacks %d of its %d documents, such as that of %q", len(missing),
			len(now), missing[0])}
	}
	for _, r := range runs {
		if id := r.FirstArmRunID(); tuned && !has(id) {
			return []string{fmt.Sprintf("the tree lacks the document of run %s", id)}
		}
	}
	return nil
}

// turnsDifferences returns what runs have in another way than the documents of the same arms.
func turnsDifferences(runs []Record, now []result.Document) (all []string) {
	for _, r := range runs {
		striped := slices.ContainsFunc(r.GivenParameters,
			func(g result.GivenParameter) bool { return g.Name == "stripe" })
		for _, line := range DocumentDifferences(r.Document, now[armIndex(now, r)]) {
			field, _, _ := strings.Cut(line, " ")
			if striped && strings.HasPrefix(field, "target.stripe") { // the run has not set its stripes yet
				continue
			}
			if preventsGoingOn(field) && !slices.Contains(all, line) {
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

// FindTuning returns the newest run among records in the place of now, a run of h5perf tune that is not on any machine
// yet. It returns nil if there is none with results.
func FindTuning(records []Record, now result.Document) *Record {
	for _, r := range slices.Backward(records) {
		if r.TurnsID() == "" || r.State == result.Running || len(r.Cases) == 0 || len(r.Cases[0].Samples) == 0 ||
			armIndex([]result.Document{now}, r) < 0 {
			continue
		}
		then := result.Document{
			Kind: r.Kind, Pair: r.Pair, Parameters: r.Parameters, Job: result.Job{Processes: r.Job.Processes},
		}
		if turnsDifferences([]Record{{Document: then}}, []result.Document{now}) == nil {
			return &r
		}
	}
	return nil
}

// CheckAsked returns a *usage.Error if a run in the tree of --resume was asked for something else than now, which
// decides what is measured: with another seed, unless seed is nil, or within other limits of h5perf tune.
func (r Record) CheckAsked(tree string, now result.TunePart, seed *uint64) error {
	what, limits := "the runs of these variants", func(result.TunePart) string { return "" }
	if now.TuneChanges != nil {
		what, limits = "the search of these changes", func(p result.TunePart) string {
			return fmt.Sprintf("--time %gs --runs %d ", p.TuneTime, p.TuneRuns)
		}
	}
	had := fmt.Sprintf("%s--seed %d", limits(r.Pair.TunePart), r.Pair.Seed)
	asked := fmt.Sprintf("%s--seed %d", limits(now), *cmp.Or(seed, &r.Pair.Seed))
	if had == asked {
		return nil
	}
	return usage.Errorf("--resume %s: %s there, run %s, had %s, not %s, which decides what is measured: give the "+
		"same, or another directory", tree, what, r.TurnsID(), had, asked)
}

// SkippedText says for people which files in the tree of --resume cannot be used.
func SkippedText(tree string, skipped []SkippedFile) string {
	return fmt.Sprintf("--resume %s: %s there cannot be used, such as: %s", tree,
		units.Count(len(skipped), "file", "files"), skipped[0].Reason)
}

// Text says for people with which runs others go on, or why they cannot. It returns "" if there are no such runs.
func (e EarlierTurns) Text() string {
	switch {
	case e.RunIDs != nil:
		return fmt.Sprintf("This run goes on with %s, where all variants have %s.", strings.Join(e.RunIDs, ", "),
			units.Count(e.Iterations, "iteration", "iterations"))
	case e.Differences != nil:
		return fmt.Sprintf("This run cannot go on with %s, and begins anew: %s.", e.Other,
			strings.Join(e.Differences, "; "))
	}
	return ""
}

// HaveEnded reports whether the runs have ended because all was decided, and not because of a signal or a deadline.
func (e EarlierTurns) HaveEnded() bool {
	return slices.ContainsFunc(e.Runs, func(r Record) bool {
		return r.Pair.Arm == result.ArmA && r.State == result.Complete && !wasCut(r)
	})
}

// wasCut reports whether a signal or a deadline ended a run.
func wasCut(r Record) bool {
	return len(r.Cases) < r.PlannedCases || slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return c.State == result.Interrupted || c.EndedBy == result.EndedByDeadline
	})
}

// Round is a round in which variants were measured once each.
type Round struct {
	// Seconds is how long each variant took; 0 if it failed in this round, -1 if it was no longer measured, NaN if the
	// runs ended before.
	Seconds  []float64
	Duration time.Duration // from the first start to the last end
}

// Rounds returns the rounds of the runs, the oldest first, with the times of the named variants.
func (e EarlierTurns) Rounds(variants []string) (all []Round) {
	for _, id := range e.RunIDs {
		before := Round{}
		for iteration := 1; ; iteration++ {
			round, measured := e.round(id, iteration, variants, before)
			if !measured {
				break
			}
			all, before = append(all, round), round
		}
	}
	return all
}

// round returns a round of the runs that were measured with the run id of the first arm, after another round of them.
// It reports false if no variant was measured in it.
func (e EarlierTurns) round(id string, iteration int, variants []string, before Round) (round Round, measured bool) {
	round.Seconds = slices.Repeat([]float64{-1}, len(variants))
	var began, ended time.Time
	for i := range e.Runs {
		r := &e.Runs[i]
		at := slices.Index(variants, r.Pair.Variant)
		if at < 0 || r.FirstArmRunID() != id {
			continue
		}
		missing := max(len(r.Cases), r.PlannedCases)
		if Measures(r.Parameters)[0] == TotalTime {
			missing *= 2
		}
		seconds := 0.0
		for _, c := range r.Cases {
			for _, s := range c.Samples {
				if s.Iteration != iteration {
					continue
				}
				missing, seconds, measured = missing-1, seconds+s.Seconds(), true
				if began.IsZero() || s.Started.Before(began) {
					began = s.Started
				}
				if s.Ended.After(ended) {
					ended = s.Ended
				}
			}
		}
		failed := slices.ContainsFunc(r.Errors, func(e result.Error) bool { return e.Phase == result.PhaseStart }) ||
			slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.State == result.Failed })
		switch {
		case missing == 0 && seconds > 0:
			round.Seconds[at] = seconds
		case failed && (iteration == 1 || before.Seconds[at] > 0):
			round.Seconds[at] = 0
		case !failed && wasCut(*r):
			round.Seconds[at] = math.NaN()
		}
	}
	round.Duration = ended.Sub(began)
	return round, measured
}
