//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"errors"
	"fmt"
	"syscall"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/h5"
)

// dataset is an open dataset. The state of its transfers is in the kernel of the session.
type dataset struct {
	file *file
	object
	base uint64 // offset that the kernel uses for the dataset
	name string
}

// object is a dataset of the library: one that was created (h5.Dataset) or opened (hdf5.Dataset).
type object interface {
	ID() int64
	Close() error
}

// datasetName returns the name of dataset k, counted from 0.
func datasetName(k int) string { return fmt.Sprintf("Dataset_%d", k+1) }

// Dataset creates or opens dataset k, named Dataset_k+1.
func (f *file) Dataset(k int, tag uint64, stamping bool) (engine.Dataset, error) {
	name := datasetName(k)
	set, err := f.object(name)
	if err != nil {
		return nil, failure(err, f.path+" "+name)
	}
	base := uint64(k) * f.session.spec.DatasetBytes
	f.session.kernel.Begin(f.op, base, f.session.spec.Ordinal(k, 0), tag, stamping)
	return &dataset{file: f, object: set, base: base, name: name}, nil
}

// object creates or opens a dataset. MPI-POSIX opens those that Open has created.
func (f *file) object(name string) (object, error) {
	s := f.session
	if s.spec.Extendible {
		extent := s.spec.Sequence.Dims
		if f.op == engine.Write {
			extent = s.spec.Sequence.Buffer()
		}
		if err := s.shape(extent); err != nil {
			return nil, err
		}
	}
	if f.op == engine.Write && s.conf.Driver != hdf5conf.MPIPosix {
		return h5.CreateDataset(f.f, name, hdf5.T_STD_U8LE, s.space, s.dcpl)
	}
	set, err := f.f.OpenDataset(name)
	if err != nil {
		return nil, h5.Failed("H5Dopen2")
	}
	return set, nil
}

// Transfer does the next n transfers in one call of the C loop.
func (d *dataset) Transfer(n uint64) error {
	f := d.file
	C.h5perf_hdf5_transfer(f.session.loop, C.int64_t(d.ID()), C.int(f.op), C.uint64_t(n))
	if f.session.kernel.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := f.session.kernel.Failure()
	if code == C.FAIL_EMPTY {
		return &engine.Error{
			Call: call(code, f.op), Path: f.path + " " + d.name, Offset: offset - d.base, Bytes: bytes, Moved: moved,
			Err: engine.ErrNotRead,
		}
	}
	if code != 0 {
		var errno error
		if n := syscall.Errno(f.session.loop.system); n != 0 {
			errno = n
		}
		e, _ := errors.AsType[*h5.Error](h5.FailedWith(call(code, f.op), errno))
		return &engine.Error{
			Call: e.Call, Path: f.path + " " + d.name, Offset: offset - d.base, Bytes: bytes, Moved: moved,
			Err: errors.New(e.Stack),
		}
	}
	return nil
}

// call returns the name of the call that a code of the loop stands for.
func call(code int, op engine.Op) string {
	switch {
	case code == C.FAIL_OFFSET:
		return "H5Soffset_simple"
	case code == C.FAIL_ACCOUNT:
		return "H5Pget_mpio_actual_io_mode"
	case code == C.FAIL_EXTENT:
		return "H5Dset_extent"
	case code == C.FAIL_SHAPE:
		return callShape
	case op == engine.Write:
		return "H5Dwrite"
	default:
		return "H5Dread"
	}
}

// Progress returns what was done; every H5Dwrite or H5Dread is a call.
func (d *dataset) Progress() engine.Progress { return d.file.session.kernel.Progress() }

// Close closes the dataset, and adds its calls to those of the session.
//
// Implements: H5Dclose
func (d *dataset) Close() error {
	d.file.session.calls += d.Progress().Calls
	err := d.object.Close()
	if _, described := errors.AsType[*h5.Error](err); err != nil && !described {
		err = h5.Failed("H5Dclose")
	}
	return failure(err, d.file.path+" "+d.name)
}
