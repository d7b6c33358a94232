//go:build cgo

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/provenance"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Phases of a run outside of its cases.
const (
	phaseStart = "start"
	phaseClean = "clean"
)

// run runs the plan on all processes of the job and returns this process's exit status.
func (j *job) run() int {
	if err := j.open(); err != nil {
		return j.refused(err)
	}
	debug.SetGCPercent(-1) // no collection inside a clock; bench runs it between
	state := bench.Run(bench.Config{
		Arms:  []bench.Arm{{Plan: j.plan, Engines: j.engines, Dir: j.dir, Observer: j}},
		World: j.world, Stop: j.stop, Now: time.Now, Host: j.host, Enter: j.enter, Abort: j.abort,
	})
	return j.close(state)
}

// open makes what the run needs before its first case: a line to rank 0, watchers, private directory, document, report. The
// watchers come before what they remove, so that nothing is left of a run that is killed meanwhile. All processes return an
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
	err = j.placeDirectory()
	var doc result.Document
	if j.world.Rank() == 0 {
		j.enter(bench.Where{Phase: phaseStart, Path: j.base})
		doc = j.document(hosts, provenance.Target(j.base))
		j.mu.Lock()
		j.draft = doc
		j.mu.Unlock()
		err = errors.Join(err, j.store(doc))
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if local == 0 {
		err = j.startWatcher()
	}
	if err := j.agree(err); err != nil {
		return err
	}
	if err := j.agree(j.makeDirectory()); err != nil {
		return err
	}
	if err := j.agree(j.seeDirectory()); err != nil {
		return err
	}
	if j.world.Rank() == 0 {
		for _, note := range doc.Notes {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %s\n", note)
		}
		err = j.openReport(doc)
	}
	return j.agree(err)
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
	var left error
	if j.world.Rank() == 0 {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		e := j.error(phase, err)
		if j.recorder == nil {
			err = j.deliver(j.fail(e, status))
		} else {
			err = j.deliver(j.recorder.Cut([]result.Error{e}, status))
		}
		if j.made {
			j.enter(bench.Where{Phase: phaseClean, Path: j.dir.Path})
			left = j.dir.Clean(false)
			err = errors.Join(err, left)
		}
		if err != nil {
			_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err)
		}
	}
	j.leave(left)
	return status
}

// close ends a run that came to its end, and returns the exit status.
func (j *job) close(state result.State) int {
	status := map[result.State]int{result.Complete: exitOK, result.Interrupted: exitStopped}[state]
	if state == result.Failed {
		status = exitFailed
	}
	var left error
	if j.world.Rank() == 0 {
		j.bar.Close()
		memoryCopy := 0.
		if state != result.Interrupted {
			memoryCopy = provenance.MemoryCopy()
		}
		j.reportCases(j.recorder.Measured(state, memoryCopy))
		j.enter(bench.Where{Phase: phaseClean, Path: j.dir.Path})
		left = j.dir.Clean(j.plan.Parameters.KeepFiles)
		errs := []error{left, j.closeReport()}
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
	j.leave(left)
	j.enter(bench.Where{})
	_, _, _ = j.world.Agree(exitOK, nil, bench.Grace) // the others sleep until rank 0 is done, however long that takes
	return int(j.world.Reduce([]float64{float64(status)})[0].Max)
}

// leave lets the watcher go. Where something could not be removed it stays, and tries again when this process is gone.
func (j *job) leave(left error) {
	if left != nil {
		return
	}
	if err := j.watcher.Done(); err != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: rank %d: %v\n", j.world.Rank(), err)
	}
}

// deliver takes the final document to all who want it, and passes the error on.
func (j *job) deliver(doc result.Document, err error) error {
	defer j.publish(doc)
	if j.JSON != "-" {
		return err
	}
	var text bytes.Buffer
	if e := result.Encode(&text, doc); e != nil {
		return errors.Join(err, e)
	}
	_, e := j.stdout.Write(text.Bytes())
	if e == nil && j.stored == "" {
		e = os.Remove(j.temporary())
	}
	return errors.Join(err, e)
}

// fail makes the document of a run that failed before it had a recorder.
func (j *job) fail(e result.Error, status int) (result.Document, error) {
	doc := j.draft
	if doc.RunID == "" {
		doc = j.document(nil, result.Target{Directory: j.base})
	}
	doc.End([]result.Error{e})
	doc.ExitStatus = &status
	return doc, j.write(doc)
}

// write writes a document that no recorder keeps.
func (j *job) write(doc result.Document) error {
	var failures []error
	for _, path := range j.documents() {
		failures = append(failures, result.Write(path, doc))
	}
	return errors.Join(failures...)
}

// placeDirectory chooses the private directory, on rank 0, tells the others, and compares it with what this process would
// have chosen.
func (j *job) placeDirectory() error {
	base, mkdir := rundir.Base(j.prefix, j.Getenv)
	j.enter(bench.Where{Phase: phaseStart, Path: base})
	var dir rundir.Dir
	var err error
	if j.world.Rank() == 0 {
		dir, err = rundir.Place(base, mkdir, rundir.NewRunID(time.Now()))
	}
	dir = bench.Broadcast(j.world, dir, 0)
	j.mu.Lock()
	j.base, j.dir = base, dir
	j.mu.Unlock()
	if first := string(j.world.Bcast([]byte(base), 0)); base != first {
		return fmt.Errorf("directory for data files: %s here but %s on rank 0; all ranks need the same %s and USER", base, first, j.prefix)
	}
	if err == nil {
		err = j.checkPath()
	}
	return err
}

// longestPath is the length of the longest path that Open MPI's own MPI-IO can take, with some room: beyond 255 bytes
// OMPIO 4.1 overflows a buffer and crashes.
const longestPath = 248

// checkPath refuses paths that would crash MPI-IO.
func (j *job) checkPath() error {
	if !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") || j.world.Handle() == nil || strings.HasPrefix(mpiio.Component(), "ROMIO") {
		return nil
	}
	for _, api := range j.plan.Parameters.APIs {
		if path := j.dir.File(j.plan.Parameters.Files, api); api != plan.POSIX && len(path) > longestPath {
			return fmt.Errorf("data file %s: a path of %d bytes, and Open MPI's OMPIO takes at most %d: use a shorter %s, or --io-component romio",
				path, len(path), longestPath, j.prefix)
		}
	}
	return nil
}

// makeDirectory makes the private directory, on rank 0.
func (j *job) makeDirectory() error {
	if j.world.Rank() != 0 {
		return nil
	}
	j.enter(bench.Where{Phase: phaseStart, Path: j.dir.Path})
	if err := j.dir.Make(); err != nil {
		return fmt.Errorf("%w (%s must name a directory that exists and is writable)", err, j.prefix)
	}
	j.made = true
	if err := j.dir.Sign(rundir.NewOwner(j.dir, j.plan.Parameters.KeepFiles)); err != nil {
		_, _ = fmt.Fprintf(j.stderr, "h5perf: %v\n", err) // 'h5perf clean' then knows less, and the run will tell of it
	}
	return nil
}

// seeDirectory finds out whether this process sees the directory that rank 0 made.
func (j *job) seeDirectory() error {
	j.enter(bench.Where{Phase: phaseStart, Path: j.dir.Path})
	if _, err := os.Stat(j.dir.Path); err != nil {
		return fmt.Errorf("directory for data files, made by rank 0: %w (it must be on a file system that all nodes share)", err)
	}
	return nil
}
