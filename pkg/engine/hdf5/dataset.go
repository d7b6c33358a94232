//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"errors"
	"syscall"
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

// nameOf returns the name of an object of a batch, with that of its file.
func (s *session) nameOf(b *workload.Batch, member uint64) string {
	path := s.files[b.File].path
	if b.Object == workload.NoParent {
		return path
	}
	return path + " " + s.program.Objects[b.Object].NameOf(member)
}

// transfer does the next transfers of a batch, in one call of the C loop for each of its moves.
func (s *session) transfer(b *workload.Batch) error {
	if b.Together > 1 {
		return s.together(b)
	}
	return s.kernels.Transfer(b, func(move int, datasets uint64) error { return s.loop(b, move, datasets) })
}

// loop does the next transfers of a move in several datasets, from the first one of the batch on.
func (s *session) loop(b *workload.Batch, move int, datasets uint64) error {
	l, k := s.loops[move], s.kernels.Of(move)
	handles := s.objects[k.Move().Object].handles[b.First : b.First+datasets]
	ids := (*C.hid_t)(unsafe.SliceData(handles))
	C.h5perf_hdf5_transfer(l, ids, C.uint64_t(datasets), C.int(b.Op), C.uint64_t(b.Times))
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	object := &s.program.Objects[k.Move().Object]
	member := b.First
	if object.Stride > 0 {
		member = (offset - object.Base) / object.Stride
	}
	e := &engine.Error{
		Call: call(code, b.Op), Path: s.files[b.File].path + " " + object.NameOf(member),
		Offset: offset - object.Base - member*object.Stride, Bytes: bytes, Moved: moved, Err: engine.ErrNotRead,
	}
	if code != C.FAIL_EMPTY {
		var errno error
		if n := syscall.Errno(l.system); n != 0 {
			errno = n
		}
		cause, _ := errors.AsType[*h5.Error](h5.FailedWith(e.Call, errno))
		e.Call, e.Err = cause.Call, errors.New(cause.Stack)
	}
	return e
}

// together transfers several datasets in one call.
func (s *session) together(b *workload.Batch) error {
	if s.env.Stop.IsSet() {
		return engine.ErrStopped
	}
	m := s.multi
	m.Sets, m.Types, m.Memory, m.Spaces, m.Offsets = m.Sets[:0], m.Types[:0], m.Memory[:0], m.Spaces[:0], m.Offsets[:0]
	m.Pool = s.poolOf(b)
	if s.program.Moves[b.Move].Collective {
		m.List = s.dxpl
	}
	err := s.kernels.Transfer(b, func(move int, datasets uint64) error {
		l, k := s.loops[move], s.kernels.Of(move)
		for i := range datasets {
			m.Sets = append(m.Sets, s.objects[k.Move().Object].handles[b.First+i])
			m.Types, m.Memory, m.Spaces = append(m.Types, int64(l._type)), append(m.Memory, int64(l.memory)),
				append(m.Spaces, int64(l.space))
			m.Offsets = append(m.Offsets, uint64(C.h5perf_hdf5_at(l, unsafe.Pointer(unsafe.SliceData(m.Pool)))))
			first := C.int(0)
			if len(m.Sets) == 1 {
				first = 1
			}
			C.h5perf_hdf5_count(l, first)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if b.Op == workload.Write {
		err = m.Write()
	} else {
		err = m.Read()
	}
	return failure(err, s.nameOf(b, b.First))
}

// poolOf returns memory that begins with or before the buffers of all moves of a batch, and ends with or after them: they
// are parts of one mapping.
func (s *session) poolOf(b *workload.Batch) []byte {
	first, last := s.program.Moves[b.Move].Buffer.Pool, s.program.Moves[b.Move+b.Together-1].Buffer.Pool
	start := unsafe.Pointer(unsafe.SliceData(first))
	end := uintptr(unsafe.Pointer(unsafe.SliceData(last))) + uintptr(len(last))
	return unsafe.Slice((*byte)(start), end-uintptr(start))
}

// call returns the name of the call that a code of the loop stands for.
func call(code int, op workload.Op) string {
	switch {
	case code == C.FAIL_OFFSET:
		return "H5Soffset_simple"
	case code == C.FAIL_ACCOUNT:
		return "H5Pget_mpio_actual_io_mode"
	case code == C.FAIL_EXTENT:
		return "H5Dset_extent"
	case code == C.FAIL_SHAPE:
		return callShape
	case op == workload.Write:
		return "H5Dwrite"
	default:
		return "H5Dread"
	}
}
