package run

import (
	"errors"
	"fmt"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/exit"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// step is a part of the start, which all processes do together. They agree on its error before the next.
type step struct {
	name string
	do   func() error
}

// steps are what a run makes before its first case. The watchers come before what they remove, so that nothing is left
// of a run that is killed meanwhile.
func (j *job) steps() []step {
	var hosts []mpi.Host // on rank 0
	return []step{
		{"link", j.connect},
		{"hosts", func() (err error) {
			hosts, err = mpi.Placement(j.world)
			return err
		}},
		{"directory", func() error {
			err := errors.Join(j.each((*arm).placeDirectory), j.onFirst((*arm).locate))
			return errors.Join(err, j.onFirst(func(a *arm) error { return a.describe(hosts) }))
		}},
		{"watcher", j.startWatchers},
		{"make", func() error { return j.onFirst((*arm).makeDirectory) }},
		{"see", func() error { return j.each((*arm).seeDirectory) }},
		{"report", j.openReports},
	}
}

// onFirst calls a function for each arm on rank 0, also after an error.
func (j *job) onFirst(do func(*arm) error) error {
	if j.world.Rank() != 0 {
		return nil
	}
	return j.each(do)
}

// start does the steps. All processes return an error if one has one. Collective.
func (j *job) start() error {
	for _, s := range j.steps() {
		if err := j.agree(j.do(s)); err != nil {
			return err
		}
	}
	return nil
}

// do does a step, and lets a test interfere.
func (j *job) do(s step) error {
	err := s.do()
	if j.interject != nil {
		err = errors.Join(err, j.interject(j, s.name))
	}
	return err
}

// agree returns the error of the first process that has one, on all processes. A signal is an error.
func (j *job) agree(err error) error {
	if err == nil && j.stop.IsSet() {
		err = fmt.Errorf("%w by %s", engine.ErrStopped, j.ender.signalName())
	}
	code := exit.OK
	switch {
	case errors.Is(err, engine.ErrStopped):
		code = exit.Stopped
	case err != nil:
		code = exit.Failed
	}
	highest, rank, waitErr := j.world.Agree(code, nil, j.Grace)
	j.enter(bench.Where{})
	switch {
	case waitErr != nil:
		j.ender.abort(j.ender.error(result.PhaseStart, errors.Join(err, waitErr)))
		return waitErr
	case highest == exit.OK:
		return nil
	}
	text := ""
	if err != nil {
		text = fmt.Sprintf("rank %d (%s): %v", j.world.Rank(), j.host, err)
	}
	return refusal{string(j.world.Bcast([]byte(text), rank)), highest}
}

// refusal is why a run cannot begin, and the exit status.
type refusal struct {
	text   string
	status int
}

func (r refusal) Error() string { return r.text }

// refused ends a run that could not begin, and returns the exit status.
func (j *job) refused(err error) int {
	status, phase := exit.Failed, result.PhaseStart
	if r, ok := errors.AsType[refusal](err); ok && r.status == exit.Stopped {
		status, phase = exit.Stopped, result.PhaseSignal
	}
	if j.world.Rank() == 0 {
		j.tell(err)
		e := j.ender.error(phase, err)
		if err := j.each(func(a *arm) error { return a.refused(e, status) }); err != nil {
			j.tell(err)
		}
	}
	j.leave()
	return status
}

// refused ends what there is of an arm that could not begin.
func (a *arm) refused(e result.Error, status int) error {
	err := a.out.deliver(a.out.recorder.Cut([]result.Error{e}, status))
	if !a.made {
		return err
	}
	return errors.Join(err, a.clean(false))
}

// clean removes the private directory, or with keep all of it but the data files.
func (a *arm) clean(keep bool) error {
	a.job.enter(bench.Where{Phase: result.PhaseClean, Path: a.dir.Path})
	err := a.dir.Clean(keep)
	a.left = err != nil
	return err
}
