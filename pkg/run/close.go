package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/history"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// finishRun ends a run after all cases, or after a signal, and returns the exit status. Collective.
func (j *job) finishRun(state result.State) int {
	j.ender.waitIfEnding()
	status := state.ExitStatus()
	if j.world.Rank() == 0 {
		j.bar.Close()
		err := j.eachArm(func(a *arm) error { return a.finishArm(state) })
		if len(j.arms) > 1 {
			err = errors.Join(err, j.compareArms())
		}
		err = errors.Join(err, j.eachArm(func(a *arm) error {
			return a.out.deliverDocument(a.out.recorder.Document(), a.unwritten)
		}))
		if err != nil {
			j.printError(err)
			status = max(status, result.ExitFailed)
		}
		if state == result.Interrupted {
			by := j.ender.signalName()
			if by == "SIGTERM" && strings.HasPrefix(launcher.Name(launcher.ThisProcess().Getenv), "Open MPI") {
				by += ", which mpiexec of Open MPI sends for Ctrl-C, too"
			}
			j.printError(fmt.Errorf("interrupted by %s", by))
		}
		for _, a := range j.arms {
			a.out.printSummary()
		}
	}
	j.endWatchers()
	j.reportActivity(bench.Activity{})
	_, _, _ = j.world.Agree(result.ExitOK, nil, j.Grace, mpi.Asleep) // the other ranks sleep until rank 0 is ready
	return int(j.world.Reduce([]float64{float64(status)})[0].Max)
}

// finishArm ends an arm. state is the state of the whole run. If the run has failed only in other arms, this arm is
// complete.
func (a *arm) finishArm(state result.State) error {
	if state != result.Interrupted {
		a.warnAboutOtherRuns(a.out.addCaution)
	}
	measured := a.out.recorder.EndMeasurement()
	err := a.noteKeptFiles()
	if state == result.Interrupted { // printing and cleaning may take long, and the launcher may kill this process soon
		_, a.unwritten = a.out.recorder.Finish(state)
	}
	a.out.endReport(measured)
	late := 0 // number of cases that the deadline left no time for
	for _, c := range measured.Cases {
		if c.State == result.Skipped && c.EndedBy == result.EndedByDeadline {
			late++
		}
	}
	if late > 0 {
		a.out.printError(fmt.Errorf("%d of %d cases were skipped: the deadline came before their first iteration; "+
			"give the run more time, or fewer or smaller cases", late, len(measured.Cases)))
	}
	failed := func(c result.Case) bool { return c.State == result.Failed }
	if a.name != "" && state == result.Failed && late == 0 && !slices.ContainsFunc(measured.Cases, failed) {
		state = result.Complete
	}
	if a.request.Variant != "" && !slices.ContainsFunc(measured.Cases, wasMeasured) {
		state = result.Failed // a variant that was dropped has no results
	}
	err = errors.Join(err, a.cleanDirectory(a.plan.Parameters.KeepFiles), a.out.closeReport())
	if err != nil && state == result.Complete {
		state = result.Failed
	}
	_, a.unwritten = a.out.recorder.Finish(state)
	return err
}

// wasMeasured reports whether a case was not skipped.
func wasMeasured(c result.Case) bool { return c.State != result.Skipped }

// maxNamedFiles is the maximum number of kept files that the note names.
const maxNamedFiles = 6

// noteKeptFiles adds a note with the names of the kept data files to the document, and prints it.
func (a *arm) noteKeptFiles() error {
	names, err := a.held.DataFiles()
	if err != nil || len(names) == 0 || !a.plan.Parameters.KeepFiles {
		return err
	}
	if len(names) > maxNamedFiles {
		names = append(names[:maxNamedFiles], "…")
	}
	a.out.addNote(fmt.Sprintf("Data files are kept in %s: %s.", a.dir.Path, strings.Join(names, ", ")))
	return nil
}

// compareArms prints the comparison of the arms on standard output. If it cannot print, it changes the state of arms
// that are complete to failed.
func (j *job) compareArms() error {
	err := j.printComparison()
	if err != nil {
		for _, a := range j.arms {
			a.out.markDocumentFailed(err)
		}
	}
	return err
}

// printComparison prints the comparison of the arms, once. A jobEnder may call it, too.
func (j *job) printComparison() error {
	if j.compared.Swap(true) {
		return nil
	}
	records := slices.Clone(j.earlier.Runs)
	for _, a := range j.arms {
		doc := a.out.recorder.Document()
		records = append(records, history.Record{Path: "run " + doc.RunID, Document: doc})
	}
	text, err := j.Compare(records, j.LeftOut)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(j.Stdout, text)
	return err
}
