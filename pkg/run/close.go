package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/exit"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// close ends a run that came to its end, and returns the exit status. Collective.
func (j *job) close(state result.State) int {
	status := exitStatus(state)
	if j.world.Rank() == 0 {
		j.bar.Close()
		memoryCopy := 0.
		if state != result.Interrupted {
			memoryCopy = j.MemoryCopy()
		}
		err := j.each(func(a *arm) error { return a.close(state, memoryCopy) })
		if len(j.arms) > 1 {
			err = errors.Join(err, j.compare())
		}
		if err != nil {
			j.tell(err)
			status = max(status, exit.Failed)
		}
		if state == result.Interrupted {
			j.tell(fmt.Errorf("interrupted by %s", j.ender.signalName()))
		}
	}
	j.leave()
	j.enter(bench.Where{})
	_, _, _ = j.world.Agree(exit.OK, nil, j.Grace) // the others sleep until rank 0 is done, however long that takes
	return int(j.world.Reduce([]float64{float64(status)})[0].Max)
}

// exitStatus is that of a run which ended in a state.
func exitStatus(state result.State) int {
	switch state {
	case result.Complete:
		return exit.OK
	case result.Interrupted:
		return exit.Stopped
	}
	return exit.Failed
}

// close ends the arm of a run that came to its end in a state. Where the other of two alone failed, this one is
// complete.
func (a *arm) close(state result.State, memoryCopy float64) error {
	measured := a.out.recorder.Measured(state, memoryCopy)
	a.out.end(measured)
	failed := func(c result.Case) bool { return c.State == result.Failed }
	if a.name != "" && state == result.Failed && !slices.ContainsFunc(measured.Cases, failed) {
		state = result.Complete
	}
	err := errors.Join(a.clean(a.plan.Parameters.KeepFiles), a.tellKept(), a.out.close())
	if err != nil && state == result.Complete {
		state = result.Failed
	}
	return errors.Join(err, a.out.deliver(a.out.recorder.Finish(state, exitStatus(state))))
}

// keptNames is how many of the files that are kept are named.
const keptNames = 6

// tellKept tells where the data files are that were to be kept, on standard error and in the document.
func (a *arm) tellKept() error {
	names, err := a.dir.Data()
	if err != nil || len(names) == 0 || !a.plan.Parameters.KeepFiles {
		return err
	}
	if len(names) > keptNames {
		names = append(names[:keptNames], "…")
	}
	note := fmt.Sprintf("data files are kept in %s: %s", a.dir.Path, strings.Join(names, ", "))
	a.out.recorder.Note(note)
	a.out.tell(errors.New(note))
	return nil
}

// compare compares the two arms of the run on standard output.
func (j *job) compare() error {
	var sides [2][]history.Record
	for i, a := range j.arms {
		doc := a.out.recorder.Document()
		sides[i] = []history.Record{{Path: "run " + doc.RunID, Document: doc}}
	}
	text, err := j.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(j.Stdout, text)
	return err
}
