//go:build cgo

package hdf5

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// file is the file that is open.
type file struct {
	f    *hdf5.File // nil: none is open
	path string
}

// openFile creates or opens a file. With MPI-POSIX, a file for writing already has all its datasets and their storage.
func (s *session) openFile(b *workload.Batch) error {
	f, err := s.open(b)
	if err != nil {
		return failure(err, b.Path)
	}
	if s.hints == nil && s.conf.Driver == option.MPIO && !s.isAlone(b.File) {
		hints, err := h5.Hints(f)
		if err != nil {
			return failure(errors.Join(err, h5.CloseFile(f)), b.Path)
		}
		s.hints = hints
	}
	if err := s.checkSettings(f, b); err != nil {
		return failure(errors.Join(err, h5.CloseFile(f)), b.Path)
	}
	s.files[b.File] = file{f, b.Path}
	return nil
}

func (s *session) open(b *workload.Batch) (*hdf5.File, error) {
	name, err := s.name(b.Path)
	if err != nil {
		return nil, err
	}
	if err := s.setConcentrators(); err != nil {
		return nil, err
	}
	list := s.listOf(b.File)
	switch {
	case b.Op == workload.Read:
		if err := s.checkRaw(b); err != nil {
			return nil, err
		}
		return h5.OpenFile(name, hdf5.F_ACC_RDONLY, list)
	case b.Existing:
		return h5.OpenFile(name, hdf5.F_ACC_RDWR, list)
	case s.conf.Driver != option.MPIPosix:
		return h5.CreateFile(name, s.fcpl, list)
	}
	if err := s.createShared(b.Path); err != nil {
		return nil, err
	}
	return h5.OpenFile(b.Path, hdf5.F_ACC_RDWR, list)
}

// checkRaw returns an error if the file of raw data of the drivers split and multi is too short: HDF5 would read zeros
// for the missing bytes. A workload may leave parts of its datasets out.
func (s *session) checkRaw(b *workload.Batch) error {
	if !s.conf.RawApart() || !s.program.Regular() {
		return nil
	}
	path := b.Path
	raw, err := s.env.Sizes(path, []string{filepath.Base(stem(path)) + "-r" + suffix})
	if err != nil {
		return err
	}
	if want, _ := s.FileBytes(b.File); raw[0].Bytes < want {
		return fmt.Errorf("%s is truncated: it has %d bytes of %d", raw[0].Name, raw[0].Bytes, want)
	}
	return nil
}

// sync flushes a file, and makes it durable. The driver mpio does both in H5Fflush; for the other drivers, sync then
// calls fsync on each file that the data file consists of.
func (s *session) sync(family int) error {
	f := s.files[family]
	err := failure(h5.Flush(f.f), f.path)
	switch {
	case s.conf.Driver == option.Subfiling && !s.isAlone(family): // collective, also after an error
		return errors.Join(err, s.syncSubfiles(f.path))
	case err != nil || s.conf.Driver == option.MPIO && !s.isAlone(family):
		return err
	}
	return s.syncFiles(f.path)
}

// syncFiles makes durable what any process of this node wrote to a data file. It opens its files itself, since HDF5
// does not give access to its descriptors.
func (s *session) syncFiles(path string) error {
	for _, name := range s.Names(path) {
		part := filepath.Join(filepath.Dir(path), name)
		fd, err := s.env.OpenFile(part, unix.O_RDONLY)
		if err == nil {
			err = errors.Join(unix.Fsync(fd), unix.Close(fd))
		}
		if err != nil {
			return &engine.Error{Call: "fsync", Path: part, Err: err}
		}
	}
	return nil
}

// closeFile closes a file.
func (s *session) closeFile(family int) error {
	f := s.files[family]
	s.files[family] = file{}
	return failure(h5.CloseFile(f.f), f.path)
}

// failure turns an error of package h5 into an *engine.Error with a path; nil stays nil.
func failure(err error, path string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*h5.Error](err); ok {
		return &engine.Error{Call: e.Call, Path: path, Err: errors.New(e.Stack)}
	}
	return &engine.Error{Call: "HDF5", Path: path, Err: err}
}
