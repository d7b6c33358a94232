//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"errors"
	"slices"
	"syscall"
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

// objectName returns the name of an object of a batch, with the path of its file and the names of its groups.
func (s *session) objectName(b *workload.Batch, member uint64) string {
	return s.memberName(b.File, b.Object, member)
}

func (s *session) memberName(file, object int, member uint64) string {
	path, names := s.files[file].path, ""
	for object != workload.NoParent {
		o := &s.program.Objects[object]
		names = "/" + o.NameOf(member) + names
		object, member = o.Parent, member/max(1, o.PerGroup)
	}
	if names == "" {
		return path
	}
	return path + " " + names[1:]
}

// transferBatch does the transfers of a batch, in one call of the C loop.
func (s *session) transferBatch(b *workload.Batch) error {
	if b.MultiMoves > 1 {
		return s.transferDatasetsTogether(b)
	}
	return s.kernels.TransferBatch(b, func(datasets uint64) error { return s.transferMoves(b, datasets) })
}

// transferMoves does the next transfers of the moves of a batch, one after another, in each of several datasets: the
// first ones of the batch, datasets in number.
func (s *session) transferMoves(b *workload.Batch, datasets uint64) error {
	if l := s.loops[b.Move]; b.SeriesMoves == 0 && l.selected != nil && *l.selected != l {
		if err := s.selectElements(b, b.Move); err != nil {
			return err
		}
	}
	handles := s.objects[s.program.Moves[b.Move].Object].handles[b.First : b.First+datasets]
	ids := (*C.hid_t)(unsafe.SliceData(handles))
	last := C.h5perf_hdf5_transfer(&s.loops[b.Move], C.uint64_t(b.NumMoves()), ids, C.uint64_t(datasets), C.int(b.Op),
		C.uint64_t(b.NumTransfers))
	move := b.Move + int(last)
	if s.kernels.KernelOf(move).Stopped() {
		return engine.ErrStopped
	}
	return s.transferLoopError(b, move)
}

// transferLoopError returns the error of the call that ended the loop of a move, or nil if no call failed.
func (s *session) transferLoopError(b *workload.Batch, move int) error {
	l, k := s.loops[move], s.kernels.KernelOf(move)
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	family := k.Move().Object
	object := &s.program.Objects[family]
	member := b.First
	if object.Stride > 0 {
		member = (offset - object.Base) / object.Stride
	}
	e := &engine.CallError{
		Call: functionName(code, b.Op), Path: s.memberName(b.File, family, member),
		Offset: offset - object.Base - member*object.Stride, Bytes: bytes, Moved: moved, Err: engine.ErrNotRead,
	}
	if code != C.FAIL_EMPTY {
		var errno error
		if n := syscall.Errno(l.system); n != 0 {
			errno = n
		}
		cause, _ := errors.AsType[*h5.CallError](h5.NewCallErrorWith(e.Call, errno))
		e.Call, e.Err = cause.Call, errors.New(cause.Stack)
	}
	return e
}

// transferDatasetsTogether transfers the data of several datasets in one call of HDF5 (H5Dwrite_multi or
// H5Dread_multi).
func (s *session) transferDatasetsTogether(b *workload.Batch) error {
	moves := s.loops[b.Move : b.Move+b.MultiMoves]
	s.kernels.BeginBatch(b)
	defer s.kernels.EndBatch(b)
	if s.env.Stop.IsSet() {
		return engine.ErrStopped
	}
	m := &s.multiTransfer
	m.Datasets, m.Types, m.MemorySpaces, m.FileSpaces, m.Offsets = m.Datasets[:0], m.Types[:0], m.MemorySpaces[:0],
		m.FileSpaces[:0], m.Offsets[:0]
	m.Pool, m.List = s.poolOfBatch(b), s.independentList
	if slices.ContainsFunc(moves, func(l *C.h5perf_hdf5) bool { return l.collective != 0 }) {
		m.List = s.collectiveList
	}
	pool, op := unsafe.Pointer(unsafe.SliceData(m.Pool)), C.int(b.Op)
	for i, l := range moves {
		handles := s.objects[s.program.Moves[b.Move+i].Object].handles[b.First:][:b.Count]
		for k, id := range handles {
			first := C.int(0)
			if k == 0 {
				first = 1
			}
			offset := uint64(C.h5perf_hdf5_next(l, first, op, pool))
			if l.empty != 0 {
				continue
			}
			m.Datasets, m.Types = append(m.Datasets, id), append(m.Types, int64(l._type))
			m.MemorySpaces = append(m.MemorySpaces, int64(l.memory))
			m.FileSpaces = append(m.FileSpaces, int64(l.space))
			m.Offsets = append(m.Offsets, offset)
		}
	}
	do := m.Write
	if b.Op == workload.Read {
		do = m.Read
	}
	var err error
	if len(m.Datasets) > 0 {
		C.h5perf_hdf5_call(moves[0])
		err = do()
		C.h5perf_hdf5_called(moves[0])
	}
	for i := 0; i < len(moves) && err == nil; i++ {
		C.h5perf_hdf5_moved(moves[i], C.uint64_t(b.Count), op)
		err = s.transferLoopError(b, b.Move+i)
	}
	if _, is := errors.AsType[*engine.CallError](err); is {
		return err
	}
	return wrapError(err, s.objectName(b, b.First))
}

// poolOfBatch returns the memory that contains the buffers of all moves of a batch.
func (s *session) poolOfBatch(b *workload.Batch) []byte {
	first, last := s.program.Moves[b.Move].Buffer.Pool, s.program.Moves[b.Move+b.MultiMoves-1].Buffer.Pool
	start := unsafe.Pointer(unsafe.SliceData(first))
	end := uintptr(unsafe.Pointer(unsafe.SliceData(last))) + uintptr(len(last))
	return unsafe.Slice((*byte)(start), end-uintptr(start))
}

// functionName returns the name of the HDF5 function for a code of the C loop (FAIL_OFFSET and so on).
func functionName(code int, op workload.Op) string {
	switch {
	case code == C.FAIL_OFFSET:
		return "H5Soffset_simple"
	case code == C.FAIL_ACCOUNT:
		return "H5Pget_mpio_actual_io_mode"
	case code == C.FAIL_EXTENT:
		return "H5Dset_extent"
	case code == C.FAIL_SHAPE:
		return selectSlabFunction
	case code == C.FAIL_POINTS:
		return "H5Sselect_elements"
	case code == C.FAIL_RECLAIM:
		return "H5Dvlen_reclaim"
	case op == workload.Write:
		return "H5Dwrite"
	default:
		return "H5Dread"
	}
}
