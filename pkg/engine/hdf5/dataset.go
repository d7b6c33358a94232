//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"errors"
	"syscall"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
	"h5perf/pkg/workload"
)

// object is a dataset of the library: one that was created (h5.Dataset) or opened (hdf5.Dataset).
type object interface {
	ID() int64
	Close() error
}

// nameOf returns the name of the dataset of a batch, with that of its file.
func (s *session) nameOf(b *workload.Batch) string {
	return s.file.path + " " + s.program.Objects[b.Object].NameOf(b.First)
}

// openDataset creates or opens a dataset, and starts the transfers that begin with it.
func (s *session) openDataset(b *workload.Batch) error {
	if err := s.setExtent(b); err != nil {
		return failure(err, s.nameOf(b))
	}
	set, err := s.object(b)
	if err != nil {
		return failure(err, s.nameOf(b))
	}
	s.objects[b.Object].open = set
	s.kernels.Begin(b)
	return nil
}

// setExtent sets the extent that a dataset has when the transfers begin which extend it.
func (s *session) setExtent(b *workload.Batch) error {
	if b.Move == workload.NoMove || !s.program.Moves[b.Move].Extends {
		return nil
	}
	o := &s.program.Objects[b.Object]
	extent := o.Dims
	if b.Op == workload.Write {
		extent = o.Initial
	}
	return shape(s.loops[b.Move], extent)
}

// object creates or opens the dataset of a batch. MPI-POSIX opens those that were created with the file.
func (s *session) object(b *workload.Batch) (object, error) {
	family, name := &s.objects[b.Object], s.program.Objects[b.Object].NameOf(b.First)
	if b.Class == workload.Create && s.conf.Driver != hdf5conf.MPIPosix {
		return h5.CreateDataset(s.file.f, name, hdf5.T_STD_U8LE, family.space, family.dcpl)
	}
	set, err := s.file.f.OpenDataset(name)
	if err != nil {
		return nil, h5.Failed("H5Dopen2")
	}
	return set, nil
}

// transfer does the next transfers of a batch in one call of the C loop.
func (s *session) transfer(b *workload.Batch) error {
	l, k := s.loops[b.Move], s.kernels.Of(b.Move)
	C.h5perf_hdf5_transfer(l, C.int64_t(s.objects[b.Object].open.ID()), C.int(b.Op), C.uint64_t(b.Times))
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.Error{
		Call: call(code, b.Op), Path: s.nameOf(b), Offset: offset - s.kernels.Base(b), Bytes: bytes, Moved: moved,
		Err: engine.ErrNotRead,
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

// closeDataset closes the dataset of a batch, and counts the transfers that end with it.
//
// Implements: H5Dclose
func (s *session) closeDataset(b *workload.Batch) error {
	s.kernels.End(b)
	family := &s.objects[b.Object]
	err := family.open.Close()
	family.open = nil
	if _, described := errors.AsType[*h5.Error](err); err != nil && !described {
		err = h5.Failed("H5Dclose")
	}
	return failure(err, s.nameOf(b))
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
