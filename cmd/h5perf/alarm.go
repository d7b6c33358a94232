//go:build cgo

package main

import (
	"errors"
	"os"
	"time"

	"h5perf/pkg/alarm"
	"h5perf/pkg/bench"
	"h5perf/pkg/bench/watchdog"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// begin makes what watches over this process: the stop flag that signals set, and a watchdog that ends the job when a call
// lasts longer than timeout. The function that is returned undoes it.
func (j *job) begin(timeout time.Duration) (func(), error) {
	j.host, _ = os.Hostname() // an error leaves it unnamed
	var err error
	if j.stop, err = engine.NewStop(); err != nil {
		return nil, err
	}
	j.told = make(chan struct{})
	undo := j.catchSignals()
	cfg := watchdog.Config{Timeout: timeout, Grace: bench.Grace, OnHang: j.bark}
	if j.world.Size() > 1 {
		cfg.Pulse = j.pulse
	}
	j.dog = watchdog.Start(cfg)
	j.world = comm{j.world, j.dog}
	return func() {
		j.dog.Stop()
		if j.station != nil {
			_ = j.station.Close() // nothing is lost with it
		}
		undo()
	}, nil
}

// openLine opens the line between rank 0 and the others; local if all are on one node. The last rank tries it at once, so that
// all ranks know whether silence on it means anything, also that of a process which is lost before its first pulse is due.
func (j *job) openLine(local bool) error {
	if j.world.Size() == 1 {
		return nil
	}
	var station *alarm.Listener
	var line alarm.Address
	var err error
	if j.world.Rank() == 0 {
		if station, err = alarm.Listen(local, j.receive); err == nil {
			line, err = station.Address()
		}
	}
	line = mpi.Broadcast(j.world, line, 0)
	j.mu.Lock()
	j.station, j.line = station, line
	j.mu.Unlock()
	last := j.world.Size() - 1
	works := false
	if j.world.Rank() == last {
		_, err := line.Pulse(true)
		works = err == nil
	}
	if mpi.Broadcast(j.world, works, last) {
		j.dog.Connected()
	}
	return err
}

// receive takes an error that ends the job from another rank. It returns when the document has ended, with this error or
// with one that was first.
func (j *job) receive(e result.Error) {
	go func() { // a job that is being ended already goes no further than this
		j.tellWatchers(e)
		j.abort(e)
	}()
	<-j.told
}

// pulse tells rank 0 whether this process is at work, and returns when any rank was last known to be.
func (j *job) pulse(working bool) (time.Time, error) {
	j.mu.Lock()
	station, line := j.station, j.line
	j.mu.Unlock()
	if station != nil {
		return station.Heard(), nil
	}
	return line.Pulse(working)
}

// bark ends the job because this process hangs, or all that it waits for.
func (j *job) bark(at bench.Where, text string) {
	e := j.error(at.Phase, errors.New(text))
	e.Operation, e.Iteration, e.File = at.Operation, at.Iteration, at.File
	j.abort(e)
}
