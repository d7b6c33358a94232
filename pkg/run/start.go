package run

import (
	"errors"
	"fmt"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// step is a step of the start, which all processes do together. They agree on its error before the next step.
type step struct {
	name string
	do   func() error
}

// steps returns the steps before the first case. Watchers are started before anything is made that they remove, so
// that a run that is killed meanwhile leaves nothing.
func (j *job) steps() []step {
	var hosts []result.Host // on rank 0
	return []step{
		{"link", j.connect},
		{"hosts", func() (err error) {
			hosts, err = mpi.Placement(j.world, j.Processors)
			return err
		}},
		{"directory", func() error {
			err := errors.Join(j.each((*arm).placeDirectory), j.onFirst((*arm).locate))
			return errors.Join(err, j.onFirst(func(a *arm) error { return a.describe(hosts) }))
		}},
		{"watcher", j.startWatchers},
		{"make", func() error { return j.onFirst((*arm).makeDirectory) }},
		{"see", func() error { return j.each((*arm).holdDirectory) }},
		{"try", func() error { return j.onFirst((*arm).tryOut) }},
		{"memory", j.tellMemory},
		{"neighbours", func() error {
			return j.onFirst(func(a *arm) error {
				a.tellNeighbours(a.out.recorder.Caution) // printed with the others
				return nil
			})
		}},
		{"report", j.openReports},
	}
}

// onFirst calls a function for each arm on rank 0. It goes on after an error.
func (j *job) onFirst(do func(*arm) error) error {
	if j.world.Rank() != 0 {
		return nil
	}
	return j.each(do)
}

// start does the steps. If one process has an error, all return one. Collective.
func (j *job) start() error {
	for _, s := range j.steps() {
		if err := j.agree(j.do(s)); err != nil {
			return err
		}
	}
	return nil
}

// do does a step, and calls interject after it.
func (j *job) do(s step) error {
	err := s.do()
	if j.interject != nil {
		err = errors.Join(err, j.interject(j, s.name))
	}
	return err
}

// agree returns, on all processes, the error of the lowest rank among those with the worst kind of error; nil if
// there is none. A signal counts as an error. Collective.
func (j *job) agree(err error) error {
	if err == nil && j.stop.IsSet() {
		err = fmt.Errorf("%w by %s", engine.ErrStopped, j.ender.signalName())
	}
	code := result.ExitOK
	switch {
	case errors.Is(err, engine.ErrStopped):
		code = result.ExitStopped
	case err != nil:
		code = result.ExitFailed
	}
	highest, rank, waitErr := j.world.Agree(code, nil, j.Grace, mpi.Asleep)
	j.enter(bench.Where{})
	switch {
	case waitErr != nil:
		j.ender.abort(j.ender.error(result.PhaseStart, errors.Join(err, waitErr)))
		return waitErr
	case highest == result.ExitOK:
		return nil
	}
	text := ""
	if err != nil {
		text = fmt.Sprintf("rank %d (%s): %v", j.world.Rank(), j.host, err)
	}
	return refusal{string(j.world.Bcast([]byte(text), rank)), highest}
}

// refusal is the error of a run that cannot begin, with the exit status.
type refusal struct {
	text   string
	status int
}

func (r refusal) Error() string { return r.text }

// refused ends a run that could not begin, and returns the exit status.
func (j *job) refused(err error) int {
	status, phase := result.ExitFailed, result.PhaseStart
	if r, ok := errors.AsType[refusal](err); ok && r.status == result.ExitStopped {
		status, phase = result.ExitStopped, result.PhaseSignal
	}
	if j.world.Rank() == 0 {
		j.printError(err)
		e := j.ender.error(phase, err)
		also := j.each(func(a *arm) error { return a.refused(e) })
		if also != nil && !strings.Contains(err.Error(), also.Error()) {
			j.printError(also)
		}
	}
	j.leave()
	return status
}

// refused ends an arm that could not begin: it completes its document, and removes its directory.
func (a *arm) refused(e result.Error) error {
	err := a.out.deliver(a.out.recorder.Cut([]result.Error{e}))
	if a.held == nil {
		return err
	}
	return errors.Join(err, a.clean(false))
}

// clean removes the private directory. With keep, the data files stay.
func (a *arm) clean(keep bool) error {
	a.job.enter(bench.Where{Phase: result.PhaseClean, Path: a.dir.Path})
	err := a.held.Clean(keep)
	a.left = err != nil
	return err
}
