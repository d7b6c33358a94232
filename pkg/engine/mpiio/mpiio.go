//go:build cgo && !nompi

// Package mpiio is the engine of MPI-IO. Independent access uses explicit offsets, one call for each run. Collective
// access uses one call for each transfer. It sets a file view where a transfer has several runs, and always for listed
// moves, so that a process that selects nothing takes part without moving bytes. Data that are not contiguous in memory
// are packed into a buffer. Files of all processes are opened with the communicator of the case, other files with a
// communicator of one process.
package mpiio

// #cgo CFLAGS: -I${SRCDIR}/.. -O2 -Wall -Wextra
// #include <stdlib.h>
// #include "mpiio.h"
import "C"

import (
	"fmt"
	"math"
	"path/filepath"
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// New returns the engine. MPI must be initialised before Prepare is called.
func New() engine.Engine { return mpiioEngine{} }

type mpiioEngine struct{}

// Prepare creates the datatypes, the hints and the transfer loops of the program. Collective. Checks that may fail on
// one process only come after the communication.
func (mpiioEngine) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	if err := checkSupport(&env); err != nil {
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	var all mpi.Reduction
	mixed := all.AddFlag(mixesTransferModes(&program))
	all.Run(env.Comm)
	asked, err := mpi.NewInfo(env.MPIIO.Info())
	if err != nil {
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	s := &session{env: env, program: program, requestedHints: asked, anyProcessMixes: mixed.Max > 0}
	if s.kernels, err = engine.NewKernelSet(&s.env, &s.program); err != nil {
		asked.Free()
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	err = s.kernels.BuildPlainLists(func(k *engine.Kernel) bool { return k.Move().Collective })
	if err == nil {
		err = checkViews(&s.env, s.kernels, &program)
	}
	if err != nil {
		s.kernels.Free()
		asked.Free()
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	s.selfComm = env.Comm.SplitSelf()
	s.files = make([]openedFile, len(program.Files))
	for i := range s.files {
		s.files[i].c = s.newFileState(program.Files[i].Group)
	}
	s.moves = engine.NewPointers[C.h5perf_mpiio](len(program.Moves))
	for i := range s.moves {
		s.moves[i] = s.newMoveState(i)
	}
	return s, nil
}

// newFileState creates the state for the files of a family. group says which processes open them together.
func (s *session) newFileState(group workload.RankGroup) *C.h5perf_mpiio_file {
	c := (*C.h5perf_mpiio_file)(C.calloc(1, C.sizeof_h5perf_mpiio_file)) // without memory, cgo ends the program
	C.h5perf_mpiio_init(c)
	comm := s.selfComm
	if group == workload.All {
		comm = s.env.Comm
	}
	c.comm = *(*C.MPI_Comm)(comm.Handle())
	c.asked = *(*C.MPI_Info)(s.requestedHints.Handle())
	if s.anyProcessMixes {
		c.mixed = 1
	}
	return c
}

// newMoveState creates the datatypes of a move.
func (s *session) newMoveState(i int) *C.h5perf_mpiio {
	c := (*C.h5perf_mpiio)(C.calloc(1, C.sizeof_h5perf_mpiio))
	c.kernel = (*C.h5perf_kernel)(s.kernels.KernelOf(i).Pointer())
	move := &s.program.Moves[i]
	if move.Collective {
		c.collective = 1
		c.view = map[option.FileView]C.int{
			option.NoView: C.VIEW_NONE, option.PerDataset: C.VIEW_DATASET, option.PerTransfer: C.VIEW_TRANSFER,
		}[fileViewOf(&s.env, move)]
	}
	C.h5perf_mpiio_prepare(c)
	return c
}

// mixesTransferModes reports whether this process does independent transfers in a file after collective ones, without
// opening the file again in between.
func mixesTransferModes(program *workload.Program) bool {
	for i := range program.Parts {
		collective := make([]bool, len(program.Files))
		for step := range program.Parts[i].Steps() {
			switch step.Class {
			case workload.FileOpen:
				collective[step.File] = false
			case workload.Transfer:
				for move := range step.Moves() {
					if program.Moves[move].Collective {
						collective[step.File] = true
					} else if collective[step.File] {
						return true
					}
				}
			}
		}
	}
	return false
}

// checkSupport returns an error, the same on all processes, if there is no MPI or if the case asks for O_DIRECT.
func checkSupport(env *engine.Env) error {
	if env.Comm.Handle() == nil {
		return fmt.Errorf("%w without MPI", engine.ErrUnsupported)
	}
	if env.UseODirect {
		return fmt.Errorf("O_DIRECT: %w: MPI_File_open has no such mode", engine.ErrUnsupported)
	}
	return nil
}

// checkViews returns an error if MPI cannot describe a collective transfer. Without a file view, a transfer must be one
// contiguous run. With a view, the number of its runs must fit into an int, the type of counts in MPI datatypes.
func checkViews(env *engine.Env, kernels *engine.KernelSet, program *workload.Program) error {
	for i := range program.Moves {
		move := &program.Moves[i]
		if !move.Collective {
			continue
		}
		pieces, parts := move.Nest.RunsPerTransfer(), kernels.KernelOf(i).MaxLevelCount()
		switch hasView := fileViewOf(env, move) != option.NoView; {
		case !hasView && pieces > 1:
			return fmt.Errorf("a collective transfer without an MPI file view must be one contiguous piece, "+
				"but this one has %d pieces: %w", pieces, engine.ErrUnsupported)
		case hasView && parts > math.MaxInt32:
			return fmt.Errorf("an MPI datatype would have %d parts, but the maximum is %d: %w", parts, math.MaxInt32,
				engine.ErrUnsupported)
		}
	}
	return nil
}

// fileViewOf returns the file view of the collective transfers of a move. Setting a view is collective, so all
// processes must make the same choice. In a regular move, all processes have the same runs at different offsets, so
// each can decide by its own runs. In a listed move, processes can have different runs, so it always has a view.
func fileViewOf(env *engine.Env, move *workload.Move) option.FileView {
	if move.Listed {
		return option.PerTransfer
	}
	return env.MPIIO.FileView(move.Nest, move.ContiguousPart)
}

// session is the MPI-IO engine, prepared to execute one program.
type session struct {
	env             engine.Env
	program         workload.Program
	kernels         *engine.KernelSet
	requestedHints  mpi.Info
	anyProcessMixes bool // some process does independent transfers in a file after collective ones
	moves           []*C.h5perf_mpiio
	selfComm        mpi.Comm     // of this process alone
	files           []openedFile // by family: the file that is open
	lastOpened      *openedFile  // the file that was opened last; nil: none yet
}

// Do executes a batch.
func (s *session) Do(b *workload.Batch) error {
	f := &s.files[b.File]
	switch b.Class {
	case workload.FileOpen:
		s.lastOpened = f
		return f.openFile(b)
	case workload.Create, workload.Open:
		return s.beginTransfers(f, b)
	case workload.Transfer:
		return s.kernels.TransferBatch(b, func(datasets uint64) error { return s.transferMoves(f, b, datasets) })
	case workload.ObjectClose:
		s.kernels.EndBatch(b)
	case workload.Sync:
		return f.syncFile()
	case workload.FileClose:
		return f.closeFile()
	}
	return nil
}

// beginTransfers starts the transfers that begin with a batch. If one file view is enough for the whole dataset, it
// sets the view.
func (s *session) beginTransfers(f *openedFile, b *workload.Batch) error {
	s.kernels.BeginBatch(b)
	if b.Move == workload.NoMove {
		return nil
	}
	s.moves[b.Move].file = f.c
	return f.callError(C.h5perf_mpiio_begin(s.moves[b.Move]))
}

// Progress returns how much the transfers of a move have done.
func (s *session) Progress(move int) engine.Progress { return s.kernels.Progress(move) }

// Abandon closes all open files.
func (s *session) CloseAfterError() {
	for i := range s.files {
		if f := &s.files[i]; f.path != "" {
			_ = f.closeFile() // the first error counts
		}
	}
}

// FileBytes returns the size of all datasets of a file. It is exact, so the second result is true.
func (s *session) FileBytes(file int) (uint64, bool) { return s.program.Files[file].Bytes, true }

// FileNames returns the base name of the data file, which consists of only one file.
func (s *session) FileNames(path string) []string { return []string{filepath.Base(path)} }

// CallName returns the name of the MPI function that moves data with explicit offsets: for writing or reading, and
// independent or collective.
func (s *session) CallName(op workload.Op) string {
	collective := C.int(0)
	if len(s.moves) > 0 {
		collective = s.moves[0].collective
	}
	return C.GoString(C.h5perf_mpiio_call(collective, writeFlag(op)))
}

// Effective returns the hints of the file that was opened last, and the numbers of calls and views in all transfers
// that have ended.
func (s *session) Report() engine.APIReport {
	done := s.kernels.EndedProgress()
	e := engine.APIReport{SetViews: done.SetViews, Calls: done.Calls}
	if s.lastOpened != nil {
		e.Hints = mpi.InfoHints(unsafe.Pointer(&s.lastOpened.c.used))
	}
	return e
}

// CollectiveSync reports whether all processes open files together. MPI_File_sync is collective over the processes that
// opened the file.
func (s *session) CollectiveSync() bool { return s.program.HasSharedFiles() }

// Close frees the datatypes, the hints and the transfer loops.
func (s *session) Close() error {
	for _, c := range s.moves {
		C.h5perf_mpiio_release(c)
		C.free(unsafe.Pointer(c))
	}
	for i := range s.files {
		C.h5perf_mpiio_forget(s.files[i].c)
		C.free(unsafe.Pointer(s.files[i].c))
	}
	engine.FreePointers(s.moves)
	s.moves, s.files, s.lastOpened = nil, nil, nil
	s.selfComm.Free()
	s.requestedHints.Free()
	s.kernels.Free()
	return nil
}
