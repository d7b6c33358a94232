//go:build cgo

// Package hdf5 is the engine of HDF5: one H5Dwrite or H5Dread for each transfer. A regular hyperslab is selected once
// and then moved by an offset.
//
// Files are created with the library's defaults, except for the settings in Env. So files of a sweep have the same
// layout as files of HDF5's own h5perf and h5perf_serial. With the driver mpiposix, rank 0 creates all datasets with
// all their storage; then all processes write with the driver sec2. This is like the MPI-POSIX driver of HDF5 before
// 1.8.13. The file drivers of the serial tool are for one process, without MPI.
package hdf5

/*
#cgo CFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../../h5 -O2 -Wall -Wextra
#cgo nompi CFLAGS: -DH5PERF_NOMPI
#include <stdlib.h>
#include "loop.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// New returns the HDF5 engine.
func New() engine.Engine { return hdf5Engine{} }

type hdf5Engine struct{}

// Prepare makes the property lists, the dataspaces and the transfer loops of the program. Collective with a parallel
// driver.
func (hdf5Engine) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	env.HDF5.Driver = cmp.Or(env.HDF5.Driver, option.DriverMPIO)
	if err := checkEnv(&env); err != nil {
		return nil, err
	}
	s, err := newSession(env, program)
	if err != nil {
		return nil, err // not s: the interface would not be nil
	}
	return s, nil
}

// newSession makes a session. checkEnv has already checked env.
func newSession(env engine.Env, program workload.Program) (*session, error) {
	s := &session{
		env: env, program: program, conf: env.HDF5, files: make([]openedFile, len(program.Files)),
		requested: requestedSettings(env.HDF5),
	}
	if err := s.makeResources(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// session is the HDF5 engine, prepared to execute one program. It has at most one open file per family of files.
type session struct {
	env           engine.Env
	program       workload.Program
	conf          option.HDF5 // settings of the env, with the default driver filled in
	kernels       *engine.KernelSet
	loops         []*C.h5perf_hdf5             // by move; in C memory
	variable      map[int][]*h5.VariableMemory // by move with elements of variable length: memory of each slot
	objects       []objectFamily               // by family of objects
	attributes    []attributeFamily            // by family of attributes
	multiTransfer h5.MultiTransfer             // transfer of several datasets in one call
	togetherMoves map[int]bool                 // listed moves that are transferred in one call with others
	// dataspaces of the datasets of listed moves, by what sharers have alike
	listedSpaces map[string]*listedSpace
	spaceOfMove  []*listedSpace   // by move; nil: it is not listed
	memorySpaces map[string]int64 // identifiers of memory dataspaces of listed moves, likewise
	memoryTypes  map[string]int64 // identifiers of datatypes of elements in memory, likewise
	extensions   uint64           // calls of H5Dset_extent outside of transfers
	// in C memory: how collective transfers were executed, by operation
	collectiveAccounts []C.h5perf_collective
	closers            []io.Closer // HDF5 objects that Close closes
	leader             bool        // subfiling: this process is the first of its node

	fapl           *hdf5.PropList // file access list, for files that all processes open together
	serialFapl     *hdf5.PropList // file access list, for files that one process opens alone; nil if there are none
	collectiveList *hdf5.PropList // transfer list of collective transfers; nil if there are none
	// transfer list of independent calls for several datasets, and of all independent transfers if it has settings;
	// nil: there are none
	independentList *hdf5.PropList
	fcpls           []*hdf5.PropList // file creation lists, by file; nil: the library's defaults
	files           []openedFile     // by family of files
	hints           []units.KeyValue // MPI-IO hints of the first file, as the library reports them
	requested       []requestedSetting
	checked         checkedSettings
}

// makeResources makes the property lists, kernels, families and loops of the session. It makes the access list first,
// because this step is collective: if a check failed on one process before it, the other processes would wait. After an
// error, the session must be closed.
func (s *session) makeResources() (err error) {
	if err := s.makeAccessList(); err != nil {
		return fmt.Errorf("prepare HDF5: %w", err)
	}
	if err := checkProgram(&s.env, &s.program); err != nil {
		return err
	}
	if s.kernels, err = engine.NewKernelSet(&s.env, &s.program); err != nil {
		return err
	}
	// without memory, cgo ends the program
	s.collectiveAccounts = unsafe.Slice((*C.h5perf_collective)(C.calloc(2, C.sizeof_h5perf_collective)), 2)
	for _, part := range []func() error{
		s.makeFileCreationLists, s.makeFamilies, s.makeAttributes, s.makeTransferLists, s.makeLoops,
	} {
		if err := part(); err != nil {
			return fmt.Errorf("prepare HDF5: %w", err)
		}
	}
	return nil
}

func (s *session) makeLoops() error {
	if _, err := s.kernels.BuildLists(func(*engine.Kernel) bool { return false }); err != nil {
		return err
	}
	s.listedSpaces, s.spaceOfMove = map[string]*listedSpace{}, make([]*listedSpace, len(s.program.Moves))
	s.memorySpaces, s.memoryTypes, s.togetherMoves = map[string]int64{}, map[string]int64{}, s.program.TogetherMoves()
	s.loops = engine.NewPointers[C.h5perf_hdf5](len(s.program.Moves))
	for i := range s.loops {
		size := C.size_t(C.sizeof_h5perf_hdf5)
		if s.program.Moves[i].Listed {
			size = C.H5PERF_LISTED_LOOP
		}
		s.loops[i] = (*C.h5perf_hdf5)(C.calloc(1, size))
		if err := s.fillInLoop(s.loops[i], i); err != nil {
			return err
		}
	}
	return nil
}

// fillInLoop fills in the transfer loop of a move, with the dataspaces of its buffer and its dataset.
func (s *session) fillInLoop(l *C.h5perf_hdf5, i int) error {
	move := &s.program.Moves[i]
	object, seq := &s.program.Objects[move.Object], move.Sequence
	l.kernel, l.used = (*C.h5perf_kernel)(s.kernels.KernelOf(i).Pointer()), unsafe.SliceData(s.collectiveAccounts)
	l.list = C.H5P_DEFAULT
	switch {
	case s.isCollective(move):
		l.list, l.collective = C.hid_t(s.collectiveList.ID()), 1
	case s.requestsAny(isForTransfer):
		l.list = C.hid_t(s.independentList.ID())
	}
	if object.Chunk != nil {
		l.chunked = 1
	}
	if err := s.setMemoryType(l, move); err != nil {
		return err
	}
	if object.Type.IsVariable() {
		if err := s.makeVariableMemory(l, i); err != nil {
			return err
		}
	}
	if move.Listed { // Select batches build its selection; for regular moves it is made here, and as the dataset grows
		return s.fillInListedLoop(l, i)
	}
	memory, err := s.newDataspace(seq.BufferShape(), nil)
	if err != nil {
		return err
	}
	space, err := s.newDataspace(seq.Dims, object.MaxExtent)
	if err != nil {
		return err
	}
	l.memory, l.space = C.hid_t(memory.ID()), C.hid_t(space.ID())
	l.rank = C.int(len(seq.Dims))
	if move.Extends {
		l.extendible = 1
	}
	copySlab(l, seq.Slab)
	copyDims(&l.buffer, seq.BufferShape())
	if err := setLoopExtent(l, seq.Dims); err != nil {
		return err
	}
	return s.selectInParts(l, space, move)
}

// copySlab sets the hyperslab of a loop. Its numbers are in one piece of C memory, which begins with start.
func copySlab(l *C.h5perf_hdf5, slab pattern.Hyperslab) {
	rank := len(slab.Start)
	all := unsafe.Slice((*C.hsize_t)(C.calloc(C.size_t(max(1, 4*rank)), C.sizeof_hsize_t)), max(1, 4*rank))
	for i, from := range [][]uint64{slab.Start, slab.Stride, slab.Count, slab.Block} {
		for d, n := range from {
			all[i*rank+d] = C.hsize_t(n)
		}
	}
	part := func(i int) *C.hsize_t {
		return (*C.hsize_t)(unsafe.Add(unsafe.Pointer(&all[0]), i*rank*C.sizeof_hsize_t))
	}
	l.start, l.stride, l.count, l.block = part(0), part(1), part(2), part(3)
}

func copyDims(to *[C.H5PERF_MAXDIM]C.hsize_t, from []uint64) {
	for d, n := range from {
		to[d] = C.hsize_t(n)
	}
}

// selectSlabFunction is the function that errors of h5perf_hdf5_shape name.
const selectSlabFunction = "H5Sselect_hyperslab"

// setLoopExtent sets the extent of the dataspace of a dataset, and selects the first transfer in it.
func setLoopExtent(l *C.h5perf_hdf5, extent []uint64) error {
	copyDims(&l.extent, extent)
	if C.h5perf_hdf5_shape(l) < 0 {
		return h5.NewCallError(selectSlabFunction)
	}
	return nil
}

// newDataspace makes a simple dataspace, which Close closes. dims is its extent, and maxDims its maximum extent; nil
// means that the extent cannot grow.
func (s *session) newDataspace(dims, maxDims []uint64) (*hdf5.Dataspace, error) {
	space, err := h5.NewSpace(dims, maxDims)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, space)
	return space, nil
}

// newNullDataspace makes a dataspace without elements, which Close closes.
func (s *session) newNullDataspace() (*hdf5.Dataspace, error) {
	space, err := h5.NewNullSpace()
	if err == nil {
		s.closers = append(s.closers, space)
	}
	return space, err
}

// Do executes a batch.
func (s *session) Do(b *workload.Batch) error {
	switch b.Class {
	case workload.FileOpen:
		return s.openFile(b)
	case workload.Create, workload.Open:
		return s.openObjects(b)
	case workload.CreateLink:
		return s.createLinks(b)
	case workload.Stat:
		return s.statObjects(b)
	case workload.List:
		return s.listGroups(b)
	case workload.Rename:
		return s.renameObjects(b)
	case workload.Attribute:
		return s.doAttributes(b)
	case workload.Select:
		return s.selectElements(b, b.Move)
	case workload.Transfer:
		return s.transferBatch(b)
	case workload.ObjectClose:
		return s.closeObjects(b)
	case workload.Extend:
		return s.extendDatasets(b)
	case workload.Unlink:
		return s.unlinkObjects(b)
	case workload.Sync:
		return s.flushAndSync(b.File)
	case workload.FileClose:
		return s.closeFile(b.File)
	}
	return nil
}

// Progress counts what the transfers of a move have done. Every H5Dwrite or H5Dread is a call.
func (s *session) Progress(move int) engine.Progress { return s.kernels.Progress(move) }

// Abandon closes the objects and files that are open.
func (s *session) CloseAfterError() {
	for i := len(s.objects) - 1; i >= 0; i-- {
		f := &s.objects[i]
		for k, id := range f.handles {
			if id != 0 {
				_, _ = h5.CloseObjects(s.program.Objects[i].Kind, f.handles[k:k+1], nil)
				f.handles[k] = 0
			}
		}
	}
	for i := range s.files {
		if s.files[i].h5File != nil {
			_ = s.closeFile(i)
		}
	}
}

// FileBytes returns the size of the raw data, in whole chunks, without datasets that have filters or a
// variable length. The size is not exact, since HDF5 adds metadata and alignment. Only if files are kept in memory, it
// is exactly 0.
func (s *session) FileBytes(file int) (uint64, bool) {
	if s.conf.IsInMemory() {
		return 0, true
	}
	bytes := uint64(0)
	for i := range s.program.Objects {
		o := &s.program.Objects[i]
		if o.File != file || o.Kind != workload.DatasetObject || len(o.Filters) > 0 || o.Type.IsVariable() {
			continue
		}
		bytes += o.Count * o.StoredBytes()
	}
	return bytes, false
}

// CallName returns H5Dwrite or H5Dread.
func (s *session) CallName(op workload.Op) string { return functionName(C.FAIL_TRANSFER, op) }

// Effective returns the hints of the first file that was opened, the settings of a file that all processes open, and
// the number of calls in all transfers that have ended.
func (s *session) Report() engine.APIReport {
	e := engine.APIReport{
		Hints: s.hints, Settings: s.settingsInForce(), Calls: s.kernels.EndedProgress().Calls,
		Driver:     string(s.conf.Driver),
		Extensions: s.extensions,
	}
	for _, l := range s.loops {
		e.Extensions += uint64(l.extensions)
	}
	switch {
	case !s.program.HasSharedFiles():
		e.Driver = string(option.DriverSec2)
	case s.conf.Driver == option.DriverMPIPosix:
		e.Driver = "sec2 (MPI-POSIX)"
	}
	if s.collectiveList != nil {
		for op := range e.Collective {
			used := h5.ReadCollective(unsafe.Pointer(&s.collectiveAccounts[op]))
			e.Collective[op] = &engine.CollectiveModes{
				Collective: used.Collective, Mixed: used.Mixed, Independent: used.Independent,
				ChunkOptimizations: used.Optimizations, LocalCauses: used.LocalCauses, GlobalCauses: used.GlobalCauses,
			}
		}
	}
	return e
}

// CollectiveSync reports whether flushing a file is a collective call.
func (s *session) CollectiveSync() bool {
	return s.program.HasSharedFiles() && (s.conf.Driver == option.DriverMPIO || s.conf.Driver == option.Subfiling)
}

// Close releases the resources of makeResources, also if that failed.
func (s *session) Close() error {
	var all error
	if s.conf.Driver == option.Subfiling {
		all = os.Unsetenv(perNode) // the checks before a later run would take it for a variable of the user
	}
	for _, m := range s.closers {
		if err := m.Close(); err != nil {
			all = errors.Join(all, h5.NewCallError("close of a property list or dataspace"))
		}
	}
	for i, l := range s.loops {
		if !s.program.Moves[i].Listed {
			C.free(unsafe.Pointer(l.points))
		}
		C.free(unsafe.Pointer(l.variable))
		C.free(unsafe.Pointer(l.start))
		C.free(unsafe.Pointer(l))
	}
	engine.FreePointers(s.loops)
	for _, space := range s.listedSpaces {
		engine.FreePointers(space.selected)
	}
	for _, slots := range s.variable {
		for _, m := range slots {
			all = errors.Join(all, m.Reclaim())
			m.Free()
		}
	}
	for i := range s.objects {
		if names := s.objects[i].members.Names; names != nil {
			names.Free()
		}
	}
	for i := range s.attributes {
		if names := s.attributes[i].Names; names != nil {
			names.Free()
		}
		for _, m := range []*h5.VariableMemory{s.attributes[i].toWrite, s.attributes[i].toRead} {
			m.Free()
		}
	}
	C.free(unsafe.Pointer(unsafe.SliceData(s.collectiveAccounts)))
	if s.kernels != nil {
		s.kernels.Free()
	}
	return all
}
