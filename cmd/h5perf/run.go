//go:build cgo

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/progress"
	"h5perf/pkg/provenance"
	_ "h5perf/pkg/quiet"
	"h5perf/pkg/result"
)

// Phases of a run outside of its cases.
const (
	phaseStart = result.PhaseStart
	phaseClean = result.PhaseClean
)

// configuration is what a command line asks of one arm.
type configuration struct {
	cli.Request
	hang time.Duration // as of plan.Conditions.Hang
	plan func(plan.Job) (plan.Plan, error)
}

// measure plans and runs one configuration, or two in turns, on all processes of the job, and returns this process's exit
// status. refuse tells of wrong usage.
func (j *job) measure(all []configuration, refuse func(error) int) int {
	arms := make([]*arm, len(all))
	hang := all[0].hang
	for i, c := range all {
		gateway, err := openGateway(j.world, c.Request)
		if err != nil {
			return refuse(err)
		}
		arms[i] = &arm{job: j, Request: c.Request, gateway: gateway}
		if hang = max(hang, c.hang); c.hang == 0 {
			hang = 0
		}
	}
	end, err := j.begin(hang)
	if err != nil {
		return tellOnce(j.stderr, exitFailed, err)
	}
	defer end()
	var seed uint64
	for i, a := range arms {
		if len(arms) > 1 {
			a.name = result.All[result.Arm]()[i]
		}
		at := a.place()
		if i == 0 {
			seed = at.Seed
		}
		at.Seed = seed // one order for all
		if a.plan, err = all[i].plan(at); err != nil {
			return refuse(a.named(err))
		}
		if err := a.checkFiles(); err != nil {
			return refuse(a.named(err))
		}
	}
	if len(arms) > 1 {
		if err := bench.CheckPair(arms[0].plan, arms[1].plan); err != nil {
			return refuse(err)
		}
	}
	j.mu.Lock()
	j.arms = arms
	j.mu.Unlock()
	return j.run()
}

// run runs the plans on all processes of the job and returns this process's exit status.
func (j *job) run() int {
	if err := j.open(); err != nil {
		return j.refused(err)
	}
	automatic := debug.SetGCPercent(-1) // no collection inside a clock; bench runs it between
	cfg := bench.Config{World: j.world, Stop: j.stop, Now: time.Now, Host: j.host, Enter: j.enter, Abort: j.abort}
	for _, a := range j.arms {
		cfg.Arms = append(cfg.Arms, bench.Arm{Plan: a.plan, Engines: j.engines, Dir: a.dir, Observer: a})
	}
	state := bench.Run(cfg)
	debug.SetGCPercent(automatic)
	return j.close(state)
}

// each calls a function for each arm, also after an error, since it may be collective.
func (j *job) each(do func(*arm) error) error {
	var all []error
	for _, a := range j.arms {
		all = append(all, a.named(do(a)))
	}
	return errors.Join(all...)
}

// open makes what the run needs before its first case: a line to rank 0, and for each arm watchers, private directory,
// document, report. The watchers come before what they remove, so that nothing is left of a run that is killed meanwhile. All processes return an
// error if one has one.
func (j *job) open() error {
	local, nodes := mpi.Node(j.world)
	if err := j.agree(j.openLine(nodes == 1)); err != nil {
		return err
	}
	hosts, err := mpi.Placement(j.world)
	if err := j.agree(err); err != nil {
		return err
	}
	err = j.each((*arm).placeDirectory)
	if j.world.Rank() == 0 {
		err = errors.Join(err, j.each(func(a *arm) error { return a.begin(hosts) }))
	}
	if err := j.agree(err); err != nil {
		return err
	}
	err = j.each((*arm).tellDocuments)
	if deputy := j.deputy(local); local == 0 {
		err = errors.Join(err, j.each(func(a *arm) error { return a.startWatcher(deputy) }))
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if err := j.agree(j.each((*arm).makeDirectory)); err != nil {
		return err
	}
	if err := j.agree(j.each((*arm).seeDirectory)); err != nil {
		return err
	}
	if j.world.Rank() == 0 {
		if err = j.each((*arm).openReport); err == nil {
			j.openBar()
		}
	}
	return j.agree(err)
}

// deputy is the first process of the second node, for what the node of rank 0 cannot do any more when it fails; no rank where there
// is one node.
func (j *job) deputy(local int) int {
	own := j.world.Size()
	if local == 0 && j.world.Rank() > 0 {
		own = j.world.Rank()
	}
	return int(j.world.Reduce([]float64{float64(own)})[0].Min)
}

// openBar shows how far the arms are.
func (j *job) openBar() {
	var total uint64
	for _, a := range j.arms {
		p := a.plan.Parameters
		for _, c := range a.cases {
			total += c.Bytes() * uint64(len(a.plan.Operations())*(p.Iterations+p.Conditions.Warmup))
		}
	}
	j.bar = progress.New(os.Stderr, total)
}

// agree returns the error of the first process that has one, on all processes. A signal is an error.
func (j *job) agree(err error) error {
	if err == nil && j.stop.IsSet() {
		err = fmt.Errorf("%w by %s", engine.ErrStopped, j.signalName())
	}
	code := exitOK
	switch {
	case errors.Is(err, engine.ErrStopped):
		code = exitStopped
	case err != nil:
		code = exitFailed
	}
	highest, rank, waitErr := j.world.Agree(code, nil, bench.Grace)
	j.enter(bench.Where{})
	switch {
	case waitErr != nil:
		j.abort(j.error(phaseStart, errors.Join(err, waitErr)))
		return waitErr
	case highest == exitOK:
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

// refused ends a run that could not begin.
func (j *job) refused(err error) int {
	status, phase := exitFailed, phaseStart
	if r, ok := errors.AsType[refusal](err); ok && r.status == exitStopped {
		status, phase = exitStopped, result.PhaseSignal
	}
	if j.world.Rank() == 0 {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		e := j.error(phase, err)
		if err := j.each(func(a *arm) error { return a.refused(e, status) }); err != nil {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		}
	}
	j.leave()
	return status
}

// close ends a run that came to its end, and returns the exit status.
func (j *job) close(state result.State) int {
	status := exitStatus(state)
	if j.world.Rank() == 0 {
		j.bar.Close()
		memoryCopy := 0.
		if state != result.Interrupted {
			debug.FreeOSMemory() // what the run freed does not add to the peak of this process
			memoryCopy = provenance.MemoryCopy()
		}
		err := j.each(func(a *arm) error { return a.close(state, memoryCopy) })
		if len(j.arms) > 1 {
			err = errors.Join(err, j.compare())
		}
		if err != nil {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
			status = max(status, exitFailed)
		}
		if state == result.Interrupted {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: interrupted by %s\n", j.signalName())
		}
	}
	j.leave()
	j.enter(bench.Where{})
	_, _, _ = j.world.Agree(exitOK, nil, bench.Grace) // the others sleep until rank 0 is done, however long that takes
	return int(j.world.Reduce([]float64{float64(status)})[0].Max)
}

// exitStatus is that of a run which ended in a state.
func exitStatus(state result.State) int {
	switch state {
	case result.Complete:
		return exitOK
	case result.Interrupted:
		return exitStopped
	}
	return exitFailed
}

// leave lets the watchers go. Where something could not be removed the watcher stays, and tries again when this process is
// gone.
func (j *job) leave() {
	err := j.each(func(a *arm) error {
		if a.left {
			return nil
		}
		return a.watcher.Done()
	})
	if err != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: rank %d: %v\n", j.world.Rank(), err)
	}
}
