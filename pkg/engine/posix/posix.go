//go:build cgo

// Package posix is the engine of POSIX calls: one pwrite or pread for each run. It ignores collective mode.
package posix

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/kernel"
)

// New returns the engine.
func New() engine.Engine { return posix{} }

type posix struct{}

// Prepare makes the transfer loop of the case. With O_DIRECT, it returns an error if the transfers do not have the
// alignment that the device requires.
func (posix) Prepare(spec engine.Spec) (engine.Session, error) {
	if spec.Direct {
		if err := checkDirect(&spec); err != nil {
			return nil, err
		}
	}
	k, err := kernel.New(&spec)
	if err != nil {
		return nil, err
	}
	return &session{spec: spec, kernel: k}, nil
}

// session is the engine prepared for a case.
type session struct {
	spec   engine.Spec
	kernel *kernel.Kernel
	calls  uint64 // of closed datasets
}

// Open creates or opens a file. A new file has mode 0600. A file that is opened for writing is truncated. A symbolic
// link is an error.
func (s *session) Open(path string, op engine.Op) (engine.File, error) {
	flags := unix.O_CREAT | unix.O_TRUNC | unix.O_RDWR
	if op == engine.Read {
		flags = unix.O_RDONLY
	}
	if s.spec.Direct {
		flags |= unix.O_DIRECT
	}
	fd, err := s.spec.OpenFile(path, flags)
	if err != nil {
		if s.spec.Direct && errors.Is(err, unix.EINVAL) {
			err = noDirect(err)
		}
		return nil, &engine.Error{Call: "open", Path: path, Err: err}
	}
	return &file{session: s, path: path, op: op, fd: fd}, nil
}

// FileBytes returns the size of all datasets, which is exact: they lie one after another.
func (s *session) FileBytes() (uint64, bool) {
	return uint64(s.spec.Datasets) * s.spec.DatasetBytes, true
}

// Names returns the file itself.
func (s *session) Names(path string) []string { return []string{filepath.Base(path)} }

// Call returns pwrite or pread.
func (s *session) Call(op engine.Op) string { return callName(op) }

func callName(op engine.Op) string {
	if op == engine.Write {
		return "pwrite"
	}
	return "pread"
}

// Effective returns the number of calls.
func (s *session) Effective() engine.Effective { return engine.Effective{Calls: s.calls} }

// CollectiveSync returns false: fsync is not collective.
func (s *session) CollectiveSync() bool { return false }

// Close frees the transfer loop.
func (s *session) Close() error {
	s.kernel.Free()
	return nil
}

// file is an open file.
type file struct {
	session *session
	path    string
	op      engine.Op
	fd      int
}

// Dataset starts the transfers of dataset k, which lies after the datasets before it. It makes no system call.
func (f *file) Dataset(k int, tag uint64, stamping bool) (engine.Dataset, error) {
	s := f.session
	s.kernel.Begin(f.op, uint64(k)*s.spec.DatasetBytes, s.spec.Ordinal(k, 0), tag, stamping)
	return &dataset{f}, nil
}

// Sync makes the file durable.
//
// Implements: fsync
func (f *file) Sync() error {
	if err := engine.Uninterrupted(func() error { return unix.Fsync(f.fd) }); err != nil {
		return &engine.Error{Call: "fsync", Path: f.path, Err: err}
	}
	return nil
}

// Close closes the file. EINTR is not repeated: Linux has freed the descriptor then.
//
// Implements: close
func (f *file) Close() error {
	if err := unix.Close(f.fd); err != nil {
		return &engine.Error{Call: "close", Path: f.path, Err: err}
	}
	return nil
}
