package run

import (
	"errors"
	"fmt"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// startStep is one of the steps that prepare a run, before its first case. All processes do it together, and agree on
// its error before the next step.
type startStep struct {
	name string
	do   func() error
}

// startSteps returns the steps that prepare a run, before its first case. The watchers, which remove files after a
// crash, are started before the run creates such files, so that a run that is killed early leaves no files.
func (j *job) startSteps() []startStep {
	var hosts []result.Host // on rank 0
	return []startStep{
		{"link", j.connectRanks},
		{"hosts", func() (err error) {
			hosts, err = mpi.CollectPlacement(j.world, j.Processors)
			return err
		}},
		{"directory", func() error {
			err := errors.Join(j.eachArm((*arm).chooseDirectory), j.eachArmOnRank0((*arm).recordDirectory))
			return errors.Join(err, j.eachArmOnRank0(func(a *arm) error { return a.recordTarget(hosts) }))
		}},
		{"earlier", j.goOnWithEarlierRuns},
		{"watcher", j.startWatchers},
		{"make", func() error { return j.eachArmOrLeaveOut((*arm).makeDirectory) }},
		{"see", func() error { return j.eachArm((*arm).openDirectory) }},
		{"try", func() error { return j.eachArmOrLeaveOut((*arm).testLibraries) }},
		{"memory", j.sendSegments},
		{"neighbours", func() error {
			return j.eachArmOnRank0(func(a *arm) error {
				a.warnAboutOtherRuns(a.out.recorder.AddCaution) // beginReport prints it
				return nil
			})
		}},
		{"report", j.openReports},
	}
}

// eachArmOnRank0 calls a function for each arm on rank 0. It continues after an error.
func (j *job) eachArmOnRank0(do func(*arm) error) error {
	if j.world.Rank() != 0 {
		return nil
	}
	return j.eachArm(do)
}

// eachArmOrLeaveOut calls a function for each arm on rank 0. It leaves out the variants for which the function fails.
// It returns the error of another arm. Collective.
func (j *job) eachArmOrLeaveOut(do func(*arm) error) error {
	var all []error
	reasons := make([]string, len(j.arms))
	for i, a := range j.arms {
		if j.world.Rank() > 0 {
			break
		}
		err := do(a)
		switch {
		case err == nil:
		case i == 0 || a.request.Variant == "" || errors.Is(err, engine.ErrStopped):
			all = append(all, a.wrapError(err))
		default:
			reasons[i] = err.Error()
			all = append(all, a.endRefusedArm(j.ender.newError(result.PhaseStart, err)))
		}
	}
	reasons = mpi.Broadcast(j.world, reasons, 0)
	var kept []*arm
	for i, a := range j.arms {
		if reasons[i] == "" {
			kept = append(kept, a)
			continue
		}
		j.LeftOut = append(j.LeftOut, plan.LeftOut{Variant: a.request.Variant, Reason: reasons[i]})
	}
	if len(kept) == 1 && len(j.arms) > 1 {
		all = append(all, errors.New(j.reasonsForNone()))
	}
	j.arms = kept
	return errors.Join(all...)
}

// runStartSteps does the steps that prepare a run, before its first case. If a step fails on one process, all processes
// return an error. Collective.
func (j *job) runStartSteps() error {
	for _, s := range j.startSteps() {
		if err := j.agreeOnError(j.runStartStep(s)); err != nil {
			return err
		}
	}
	return nil
}

// runStartStep does a step, and then calls afterStep, if it is set.
func (j *job) runStartStep(s startStep) error {
	err := s.do()
	if j.afterStep != nil {
		err = errors.Join(err, j.afterStep(j, s.name))
	}
	return err
}

// agreeOnError returns the same error on all processes: of the ranks whose error has the highest exit status, that of
// the lowest rank. It returns nil if no rank has an error. A signal counts as an error. Collective.
func (j *job) agreeOnError(err error) error {
	if err == nil && j.stop.IsSet() {
		err = fmt.Errorf("%w by %s", engine.ErrStopped, j.ender.signalName())
	}
	code := result.ExitOK
	_, wrong := errors.AsType[*usage.Error](err)
	switch {
	case errors.Is(err, engine.ErrStopped):
		code = result.ExitStopped
	case wrong:
		code = result.ExitUsage
	case err != nil:
		code = result.ExitFailed
	}
	highest, rank, waitErr := j.world.Agree(code, nil, j.Grace, mpi.Asleep)
	j.reportActivity(bench.Activity{})
	switch {
	case waitErr != nil:
		j.ender.abortJob(j.ender.newError(result.PhaseStart, errors.Join(err, waitErr)))
		return waitErr
	case highest == result.ExitOK:
		return nil
	}
	text := ""
	if err != nil {
		text = fmt.Sprintf("rank %d (%s): %v", j.world.Rank(), j.host, err)
	}
	return startError{string(j.world.Bcast([]byte(text), rank)), highest}
}

// startError is the error of a run that cannot begin, with its exit status.
type startError struct {
	text   string
	status int
}

func (r startError) Error() string { return r.text }

// endRefusedRun ends a run that could not begin, or has nothing to do, and returns the exit status.
func (j *job) endRefusedRun(err error) int {
	if j.nothingMissing {
		return result.ExitOK
	}
	status, phase := result.ExitFailed, result.PhaseStart
	if r, ok := errors.AsType[startError](err); ok {
		status = r.status
	}
	if status == result.ExitStopped {
		phase = result.PhaseSignal
	}
	if j.world.Rank() == 0 {
		j.printError(err)
		e := j.ender.newError(phase, err)
		also := j.eachArm(func(a *arm) error { return a.endRefusedArm(e) })
		if also != nil && !strings.Contains(err.Error(), also.Error()) {
			j.printError(also)
		}
	}
	j.endWatchers()
	return status
}

// endRefusedArm ends an arm that could not begin: it completes its document, and removes its directory.
func (a *arm) endRefusedArm(e result.Error) error {
	err := a.out.deliverDocument(a.out.recorder.EndWithErrors([]result.Error{e}))
	if a.held == nil {
		return err
	}
	return errors.Join(err, a.cleanDirectory(false))
}

// cleanDirectory removes the private directory. If keep is set, the data files stay.
func (a *arm) cleanDirectory(keep bool) error {
	a.job.reportActivity(bench.Activity{Phase: result.PhaseClean, Path: a.dir.Path})
	err := a.held.Clean(keep)
	a.cleanupFailed = err != nil
	return err
}
