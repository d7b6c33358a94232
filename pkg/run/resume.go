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
		if resume != "" {
			err = j.findEarlierRuns(resume)
		}
		if j.NextRound == nil {
			missing -= j.earlier.Iterations
		}
		if err == nil && resume != "" && missing > 0 { // always with NextRound: later stages may have more
			err = j.claimEarlierRuns(resume)
		}
		if err == nil && j.NextRound != nil {
			if chosen = j.beginRounds(); len(chosen) == 0 {
				missing = 0
			}
		}
		if err == nil && missing <= 0 {
			err = j.tellAgain()
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
	if text := j.earlier.Text(); text != "" {
		j.arms[0].out.recorder.AddNote(text) // beginReport prints its notes
	}
	return nil
}

// claimEarlierRuns says to other processes that this run goes on with the earlier runs in a tree of results. It is
// called on rank 0.
func (j *job) claimEarlierRuns(tree string) error {
	began := j.arms[0].out.recorder.Document().RunID
	if j.earlier.RunIDs != nil {
		began = j.earlier.RunIDs[0]
	}
	if err := j.Claim.Take(tree, began, j.Now()); err != nil {
		j.forgetDocuments()
		return fmt.Errorf("--resume %s: %w", tree, err)
	}
	return nil
}

// beginRounds lets NextRound begin, and returns the arms of the first round. It is called on rank 0.
func (j *job) beginRounds() (chosen []int) {
	var variants []string
	for _, a := range j.planned {
		variants = append(variants, a.request.Variant)
	}
	chosen, j.chooseRound = j.NextRound(variants, j.earlier)
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
