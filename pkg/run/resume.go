package run

import (
	"errors"
	"fmt"
	"slices"

	"h5perf/pkg/history"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// goOnWithEarlierRuns finds runs of the same variants that were interrupted, if the request has a tree of results to
// look in. The arms then get only the iterations that are still missing. With NextRound, only the arms of the next
// round stay in the run. Collective.
func (j *job) goOnWithEarlierRuns() error {
	resume := j.arms[0].request.Resume
	if resume == "" && j.NextRound == nil {
		return nil
	}
	var err error
	var chosen []int // of a run that goes on
	missing := j.arms[0].plan.Parameters.Iterations
	if j.world.Rank() == 0 {
		var claimed error // matters only if something is to be measured
		if resume != "" {
			claimed = j.claimVariants(resume)
		}
		if resume != "" && len(j.arms) > 1 { // a warm-up goes on with nothing
			err = j.findEarlierRuns(resume)
		}
		switch {
		case j.NextRound == nil:
			missing -= j.earlier.Iterations
		case err == nil:
			if chosen = j.beginRounds(); len(chosen) == 0 {
				missing = 0
			}
		}
		switch {
		case err == nil && missing <= 0:
			err = j.tellAgain()
		case err == nil && claimed != nil:
			j.forgetDocuments()
			err = claimed
		}
		if err != nil {
			missing = max(1, missing) // the error ends the run
		}
		if j.earlier.RunIDs == nil {
			chosen = nil
		}
	}
	missing = mpi.Broadcast(j.world, missing, 0)
	if j.nothingMissing = missing <= 0; j.nothingMissing {
		return errNothingMissing
	}
	if chosen = mpi.Broadcast(j.world, chosen, 0); chosen != nil {
		j.arms = nil
		for i, a := range j.planned {
			switch {
			case slices.Contains(chosen, i):
				j.arms = append(j.arms, a)
			case a.out != nil:
				a.out.recorder.SetPaths() // it needs no further document
			}
		}
	}
	for _, a := range j.arms {
		a.plan.SetIterations(missing)
		if a.out == nil || j.earlier.RunIDs == nil {
			continue
		}
		a.out.recorder.ChangeDocument(func(d *result.Document) {
			d.Parameters.Iterations, d.Pair.Continues = missing, j.earlier.RunIDs
			for i := range d.Swept {
				d.Swept[i].Parameters.Iterations = missing
			}
		})
	}
	return err
}

// errNothingMissing ends a run for which earlier runs have all iterations. It is no failure.
var errNothingMissing = errors.New("nothing is missing")

// tellAgain prints the comparison of the earlier runs, which have all iterations. It is called on rank 0.
func (j *job) tellAgain() error {
	j.forgetDocuments()
	if j.NextRound == nil {
		j.printText(plain.NoteLine("", fmt.Sprintf("Nothing is missing: the runs that began with %s have all %s.",
			j.earlier.RunIDs[0], units.Count(j.earlier.Iterations, "iteration", "iterations"))))
	}
	text, err := j.Compare(j.earlier.Runs, j.LeftOut)
	if err == nil {
		_, err = fmt.Fprint(j.Stdout, text)
	}
	return err
}

// forgetDocuments makes the run write no documents: there is nothing to tell of it. It is called on rank 0.
func (j *job) forgetDocuments() {
	for _, a := range j.arms {
		a.out.recorder.SetPaths()
	}
}

// findEarlierRuns looks in a tree of results for the runs with which the arms go on, and says what it finds. It is
// called on rank 0.
func (j *job) findEarlierRuns(tree string) error {
	records, skipped, err := history.LoadTree(tree)
	if err != nil {
		return fmt.Errorf("--resume %s: %w", tree, err)
	}
	if len(skipped) > 0 {
		j.arms[0].out.recorder.AddNote(history.SkippedText(tree, skipped))
	}
	var now []result.Document
	for _, a := range j.arms {
		now = append(now, a.out.recorder.Document())
	}
	j.earlier = history.FindEarlierTurns(records, now)
	if j.NextRound == nil && j.earlier.RunIDs != nil { // tune has checked before
		seed := j.arms[0].plan.Parameters.Conditions.Seed
		if seed != nil && *seed == j.arms[0].jobFacts.Seed { // drawn, not given
			seed = nil
		}
		if err := j.earlier.Runs[0].CheckAsked(tree, result.TunePart{}, seed); err != nil {
			j.forgetDocuments()
			return err
		}
	}
	if text := j.earlier.Text(); text != "" {
		j.arms[0].out.recorder.AddNote(text) // beginReport prints its notes
	}
	return nil
}

// claimVariants says to other processes that this run measures its variants for a tree of results. It is called on
// rank 0.
func (j *job) claimVariants(tree string) error {
	names := j.arms[0].request.Tune.TuneChanges
	if names == nil {
		names = j.variants()
	}
	err := j.Claim.Take(tree, history.TurnsKey(j.arms[0].out.recorder.Document(), names), j.Now())
	if err != nil {
		err = fmt.Errorf("--resume %s: %w", tree, err)
	}
	return err
}

// variants returns the names of the variants that could be planned.
func (j *job) variants() (names []string) {
	for _, a := range j.planned {
		names = append(names, a.request.Variant)
	}
	return names
}

// beginRounds lets NextRound begin, and returns the arms of the first round. It is called on rank 0.
func (j *job) beginRounds() (chosen []int) {
	chosen, j.chooseRound = j.NextRound(j.variants(), j.earlier)
	return chosen
}

// chooseArms returns the arms that NextRound chooses for the next round, see bench.Config. It leaves out those that
// could not begin. It is called on rank 0.
func (j *job) chooseArms(seconds []float64) (chosen []int) {
	all := make([]float64, len(j.planned))
	for i, a := range j.arms {
		all[slices.Index(j.planned, a)] = seconds[i]
	}
	for _, i := range j.chooseRound(all) {
		if at := slices.Index(j.arms, j.planned[i]); at >= 0 {
			chosen = append(chosen, at)
		}
	}
	return chosen
}
