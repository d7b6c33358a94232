package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// run runs the plan on all processes of the job and returns this process's exit status.
func (j *job) run() int {
	j.host, _ = os.Hostname() // an error leaves it unnamed
	if err := j.open(); err != nil {
		return j.refused(err)
	}
	defer j.catchSignals()()
	debug.SetGCPercent(-1) // no collection inside a clock; bench runs it between
	state := bench.Run(bench.Config{
		Plan: j.plan, World: j.world, Engines: j.engines, Stop: j.stop, Dir: j.dir, Now: time.Now, Host: j.host, Observer: j,
		Abort: j.abort, Nodes: func(c mpi.Comm) int { _, n := mpi.Node(c); return n },
	})
	return j.close(state)
}

// open makes what the run needs before its first case: private directory, watchers, document, report. All processes return
// an error if one has one.
func (j *job) open() error {
	var err error
	j.stop, err = engine.NewStop()
	if err := j.agree(err); err != nil {
		return err
	}
	local, _ := mpi.Node(j.world)
	hosts, err := mpi.Placement(j.world)
	if err := j.agree(err); err != nil {
		return err
	}
	if err := j.agree(j.makeDirectory()); err != nil {
		return err
	}
	if err := j.agree(j.checkDirectory()); err != nil {
		return err
	}
	if local == 0 {
		err = j.startWatcher()
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if j.world.Rank() == 0 {
		doc := j.document(hosts)
		for _, note := range doc.Notes {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %s\n", note)
		}
		err = j.openReport(doc)
	}
	return j.agree(err)
}

// agree returns the error of the first process that has one, on all processes.
func (j *job) agree(err error) error {
	code := 0
	if err != nil {
		code = 1
	}
	highest, rank, waitErr := j.world.Agree(code, nil, bench.Grace)
	switch {
	case waitErr != nil:
		j.abort(j.error("start", errors.Join(err, waitErr)))
		return waitErr
	case highest == 0:
		return nil
	}
	text := ""
	if err != nil {
		text = fmt.Sprintf("rank %d (%s): %v", j.world.Rank(), j.host, err)
	}
	return errors.New(string(j.world.Bcast([]byte(text), rank)))
}

// refused ends a run that could not begin.
func (j *job) refused(err error) int {
	if j.world.Rank() == 0 {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		e := j.error("start", err)
		if j.recorder == nil {
			doc := j.document(nil)
			doc.End(nil, []result.Error{e})
			status := exitFailed
			doc.ExitStatus = &status
			err = j.deliver(doc, j.write(doc))
		} else {
			err = j.deliver(j.recorder.Cut([]result.Error{e}, exitFailed))
		}
		if err := errors.Join(err, j.dir.Clean(false)); err != nil {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		}
	}
	j.leave()
	return exitFailed
}

// close ends a run that came to its end, and returns the exit status.
func (j *job) close(state result.State) int {
	status := map[result.State]int{result.Complete: exitOK, result.Interrupted: exitStopped}[state]
	if state == result.Failed {
		status = exitFailed
	}
	if j.world.Rank() == 0 {
		j.bar.Close()
		errs := []error{j.dir.Clean(j.plan.Parameters.KeepFiles), j.text.Err(), j.closeReport()}
		if err := errors.Join(errs...); err != nil && status == exitOK {
			state, status = result.Failed, exitFailed
		}
		errs = append(errs, j.deliver(j.recorder.Finish(state, status)))
		if err := errors.Join(errs...); err != nil {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
			status = max(status, exitFailed)
		}
		if state == result.Interrupted {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: interrupted by %s\n", j.signalName())
		}
	}
	j.leave()
	return int(j.world.Reduce([]float64{float64(status)})[0].Max)
}

// leave lets the watcher go.
func (j *job) leave() {
	if err := j.watcher.Done(); err != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: rank %d: %v\n", j.world.Rank(), err)
	}
}

// deliver prints the document where standard output is to be it, and passes the error on.
func (j *job) deliver(doc result.Document, err error) error {
	if j.JSON != "-" {
		return err
	}
	var text bytes.Buffer
	if e := result.Encode(&text, doc); e != nil {
		return errors.Join(err, e)
	}
	_, e := j.stdout.Write(text.Bytes())
	if e == nil {
		e = os.Remove(j.documentPath())
	}
	return errors.Join(err, e)
}

// write writes a document that no recorder keeps.
func (j *job) write(doc result.Document) error {
	if j.JSON == "" || j.JSON == "-" {
		return nil
	}
	return result.Write(j.documentPath(), doc)
}

// makeDirectory makes the private directory, on rank 0, and tells the others.
func (j *job) makeDirectory() error {
	base, mkdir := rundir.Base(j.prefix, os.Getenv)
	var err error
	if j.world.Rank() == 0 {
		j.dir, err = rundir.Create(base, mkdir, rundir.NewRunID(time.Now()))
	}
	if err != nil {
		err = fmt.Errorf("%w (%s names a directory that exists and is writable)", err, j.prefix)
	}
	j.base = base
	return err
}

// checkDirectory compares the directory of rank 0 with what this process sees.
func (j *job) checkDirectory() error {
	j.dir = bench.Broadcast(j.world, j.dir, 0)
	base := bench.Broadcast(j.world, j.base, 0)
	if base != j.base {
		return fmt.Errorf("directory for data files: %s here but %s on rank 0; all ranks need the same %s and USER", j.base, base, j.prefix)
	}
	if _, err := os.Stat(j.dir.Path); err != nil {
		return fmt.Errorf("directory for data files, made by rank 0: %w (it must be on a file system that all nodes share)", err)
	}
	return nil
}
