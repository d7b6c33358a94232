//go:build cgo

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/mpi"
	"h5perf/pkg/provenance"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// placeDirectory chooses the private directory, on rank 0, tells the others, and compares it with what this process would
// have chosen.
func (a *arm) placeDirectory() error {
	base, mkdir := rundir.Base(a.prefix, a.Getenv)
	a.enter(bench.Where{Phase: phaseStart, Path: base})
	var dir rundir.Dir
	var err error
	if a.world.Rank() == 0 {
		dir, err = rundir.Place(base, mkdir, rundir.NewRunID(time.Now()))
	}
	dir = mpi.Broadcast(a.world, dir, 0)
	a.mu.Lock()
	a.base, a.dir = base, dir
	a.mu.Unlock()
	if first := string(a.world.Bcast([]byte(base), 0)); base != first {
		return fmt.Errorf("directory for data files: %s here but %s on rank 0; all ranks need the same %s and USER", base, first, a.prefix)
	}
	if err == nil {
		err = a.checkPath()
	}
	return err
}

// longestPath is the length of the longest path that Open MPI's own MPI-IO can take, with some room: beyond 255 bytes
// OMPIO 4.1 overflows a buffer and crashes.
const longestPath = 248

// checkPath refuses paths that would crash MPI-IO.
func (a *arm) checkPath() error {
	if !strings.HasPrefix(mpi.LibraryVersion(), "Open MPI") || a.world.Handle() == nil {
		return nil
	}
	for _, api := range a.plan.Parameters.APIs {
		path := a.dir.File(a.plan.Parameters.Files, api)
		if result.APIOf(api).MPI && len(path) > longestPath && !strings.HasPrefix(mpiio.Component(), "ROMIO") {
			return fmt.Errorf("data file %s: a path of %d bytes, and Open MPI's OMPIO takes at most %d: use a shorter %s, or --io-component romio",
				path, len(path), longestPath, a.prefix)
		}
	}
	return nil
}

// makeDirectory makes the private directory, on rank 0.
func (a *arm) makeDirectory() error {
	if a.world.Rank() != 0 {
		return nil
	}
	a.enter(bench.Where{Phase: phaseStart, Path: a.dir.Path})
	if err := a.dir.Make(); err != nil {
		return fmt.Errorf("%w (%s must name a directory that exists and is writable)", err, a.prefix)
	}
	a.made = true
	if err := a.dir.Sign(rundir.NewOwner(a.dir, a.plan.Parameters.KeepFiles)); err != nil {
		_, _ = fmt.Fprintf(a.stderr, "h5perf: %v\n", err) // 'h5perf clean' then knows less, and the run will tell of it
	}
	return a.stripe()
}

// stripe stripes the private directory as asked, and asks how it is striped then.
func (a *arm) stripe() error {
	if a.Stripe == "" {
		return nil
	}
	striping, err := provenance.ParseStriping(a.Stripe)
	if err == nil {
		err = striping.Apply(a.draft.Target, os.Getenv, a.dir.Path)
	}
	if err != nil {
		return fmt.Errorf("--stripe %s: %w", a.Stripe, err)
	}
	target := a.draft.Target
	target.Directory = a.dir.Path
	striped := provenance.Stripe(target, os.Getenv)
	a.mu.Lock()
	a.draft.Target.Stripe = striped
	a.mu.Unlock()
	return nil
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
	a.recorder.Note(note)
	_, _ = fmt.Fprintf(a.stderr, "h5perf: %v\n", a.named(errors.New(note)))
	return nil
}

// seeDirectory finds out whether this process sees the directory that rank 0 made.
func (a *arm) seeDirectory() error {
	a.enter(bench.Where{Phase: phaseStart, Path: a.dir.Path})
	if _, err := os.Stat(a.dir.Path); err != nil {
		return fmt.Errorf("directory for data files, made by rank 0: %w (it must be on a file system that all nodes share)", err)
	}
	return nil
}
