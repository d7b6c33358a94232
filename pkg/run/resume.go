package run

import (
	"errors"
	"fmt"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// goOnWithEarlierRuns finds runs of the same variants that were interrupted, if the request has a tree of results to
// look in. The arms then get only the iterations that are still missing. Collective.
func (j *job) goOnWithEarlierRuns() error {
	first := j.arms[0]
	if first.request.Resume == "" {
		return nil
	}
	var err error
	missing := first.plan.Parameters.Iterations
	if j.world.Rank() == 0 {
		if err = j.findEarlierRuns(); err == nil {
			missing -= j.earlier.Iterations
		}
		if err == nil && missing <= 0 {
			err = j.tellAgain()
		}
		if err != nil {
			missing = max(1, missing) // the error ends the run
		}
	}
	missing = mpi.Broadcast(j.world, missing, 0)
	if j.nothingMissing = missing <= 0; j.nothingMissing {
		return errNothingMissing
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
	for _, a := range j.arms {
		a.out.recorder.SetPaths() // there is nothing to tell of this run
	}
	j.printText(plain.NoteLine("", fmt.Sprintf("Nothing is missing: the runs that began with %s have all %s.",
		j.earlier.RunIDs[0], units.Count(j.earlier.Iterations, "iteration", "iterations"))))
	text, err := j.Compare(j.earlier.Runs, j.LeftOut)
	if err == nil {
		_, err = fmt.Fprint(j.Stdout, text)
	}
	return err
}

// findEarlierRuns looks for the runs with which the arms go on, and says what it finds. It is called on rank 0.
func (j *job) findEarlierRuns() error {
	tree := j.arms[0].request.Resume
	records, skipped, err := history.LoadTree(tree)
	if err != nil {
		return fmt.Errorf("--resume %s: %w", tree, err)
	}
	if len(skipped) > 0 {
		j.arms[0].out.recorder.AddNote(fmt.Sprintf("--resume %s: %s there cannot be used, such as: %s", tree,
			units.Count(len(skipped), "file", "files"), skipped[0].Reason))
	}
	var now []result.Document
	for _, a := range j.arms {
		now = append(now, a.out.recorder.Document())
	}
	j.earlier = history.FindEarlierTurns(records, now)
	r := j.arms[0].out.recorder // beginReport prints its notes
	switch e := j.earlier; {
	case e.RunIDs != nil:
		r.AddNote(fmt.Sprintf("This run goes on with %s, where all variants have %s.", strings.Join(e.RunIDs, ", "),
			units.Count(e.Iterations, "iteration", "iterations")))
	case e.Differences != nil:
		r.AddNote(fmt.Sprintf("This run cannot go on with %s, and begins anew: %s.", e.Other,
			strings.Join(e.Differences, "; ")))
	}
	return nil
}
