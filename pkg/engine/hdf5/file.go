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

// openedFile is the file of a family that is open now, if any: at most one file of each family is open at a time.
type openedFile struct {
	h5File *hdf5.File // nil: no file is open
	path   string
}

// openFile creates or opens a file. With the driver MPI-POSIX, openFile also creates all datasets of a new file and
// allocates their storage.
func (s *session) openFile(b *workload.Batch) error {
	f, err := s.createOrOpen(b)
	if err != nil {
		return wrapError(err, b.Path)
	}
	if s.hints == nil && s.conf.Driver == option.DriverMPIO && !s.isOpenedAlone(b.File) {
		hints, err := h5.FileHints(f)
		if err != nil {
			return wrapError(errors.Join(err, h5.CloseFile(f)), b.Path)
		}
		s.hints = hints
	}
	if err := s.checkSettings(f, b); err != nil {
		return wrapError(errors.Join(err, h5.CloseFile(f)), b.Path)
	}
	s.files[b.File] = openedFile{f, b.Path}
	return nil
}

func (s *session) createOrOpen(b *workload.Batch) (*hdf5.File, error) {
	name, err := s.libraryPath(b.Path)
	if err != nil {
		return nil, err
	}
	if err := s.setConcentrators(); err != nil {
		return nil, err
	}
	list := s.accessListOf(b.File)
	switch {
	case b.Op == workload.Read:
		if err := s.checkRawFile(b); err != nil {
			return nil, err
		}
		return h5.OpenFile(name, hdf5.F_ACC_RDONLY, list)
	case b.Existing:
		return h5.OpenFile(name, hdf5.F_ACC_RDWR, list)
	case s.conf.Driver != option.DriverMPIPosix:
		return h5.CreateFile(name, s.fcpls[b.File], list)
	}
	if err := s.createSharedFile(b.File, b.Path); err != nil {
		return nil, err
	}
	return h5.OpenFile(b.Path, hdf5.F_ACC_RDWR, list)
}

// checkRawFile returns an error if the raw data file of the driver split or multi is too short: HDF5 would read zeros
// for the missing bytes. It does not check files of workloads, since these may leave parts of their datasets unwritten.
func (s *session) checkRawFile(b *workload.Batch) error {
	if !s.conf.SplitsRawData() || !s.program.HasOnlyRegularMoves() {
		return nil
	}
	path := b.Path
	raw, err := s.env.FileSizes(path, []string{filepath.Base(pathStem(path)) + "-r" + suffix})
	if err != nil {
		return err
	}
	if want, _ := s.FileBytes(b.File); raw[0].Bytes < want {
		return fmt.Errorf("%s is truncated: it has %d bytes of %d", raw[0].Name, raw[0].Bytes, want)
	}
	return nil
}

// flushAndSync flushes a file, and makes it durable. The driver mpio does both in H5Fflush, except for external data.
// For what H5Fflush does not make durable, flushAndSync then calls fsync on each file that makes up the data file.
func (s *session) flushAndSync(family int) error {
	f := s.files[family]
	err := wrapError(h5.Flush(f.h5File), f.path)
	switch {
	// collective, so called also after an error
	case s.conf.Driver == option.Subfiling && !s.isOpenedAlone(family):
		return errors.Join(err, s.syncSubfiles(f.path))
	case err != nil:
		return err
	case s.conf.Driver == option.DriverMPIO && !s.isOpenedAlone(family):
		return s.syncNamed(f.path, s.externalNames(f.path))
	}
	return s.syncFiles(f.path)
}

// syncFiles makes the writes of all processes of this node to a data file durable.
func (s *session) syncFiles(path string) error { return s.syncNamed(path, s.FileNames(path)) }

// syncNamed makes the writes of all processes of this node to some of the files that make up a data file durable. It
// opens the files again, since HDF5 gives no access to its descriptors.
func (s *session) syncNamed(path string, names []string) error {
	for _, name := range names {
		part := filepath.Join(filepath.Dir(path), name)
		fd, err := s.env.OpenFile(part, unix.O_RDONLY)
		if err == nil {
			err = errors.Join(unix.Fsync(fd), unix.Close(fd))
		}
		if err != nil {
			return &engine.CallError{Call: "fsync", Path: part, Err: err}
		}
	}
	return nil
}

func (s *session) closeFile(family int) error {
	f := s.files[family]
	s.files[family] = openedFile{}
	return wrapError(errors.Join(s.checkTransferSettings(), h5.CloseFile(f.h5File)), f.path)
}

// wrapError turns an error of package h5 into an *engine.CallError with a path; nil stays nil.
func wrapError(err error, path string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*h5.CallError](err); ok {
		return &engine.CallError{Call: e.Call, Path: path, Err: errors.New(e.Stack)}
	}
	return &engine.CallError{Call: "HDF5", Path: path, Err: err}
}
