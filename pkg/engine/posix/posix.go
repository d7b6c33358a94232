//go:build cgo

// Package posix is the engine of POSIX calls: one pwrite or pread for each run. Collective access means nothing to it.
package posix

import (
	"errors"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/kernel"
)

// New makes the engine.
func New() engine.Engine { return posix{} }

type posix struct{}

// Prepare makes the transfer loop of the case. With O_DIRECT it refuses what the device does not take.
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

// raceAttempts is how often a file is opened that all nodes make at once. On some file systems, as MooseFS, a node which looked
// before another made it is told that it exists, though nobody asked for one that does not; the next look finds it.
const raceAttempts = 10

// Open opens a file, which only its owner may read or write. A symbolic link is refused. A file opened for writing is
// truncated.
func (s *session) Open(path string, op engine.Op) (engine.File, error) {
	flags := unix.O_CREAT | unix.O_TRUNC | unix.O_RDWR
	if op == engine.Read {
		flags = unix.O_RDONLY
	}
	if s.spec.Direct {
		flags |= unix.O_DIRECT
	}
	f := &file{session: s, path: path, op: op}
	err := uninterrupted(func() (err error) {
		for range raceAttempts {
			if f.fd, err = unix.Open(path, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600); !errors.Is(err, unix.EEXIST) {
				break
			}
		}
		return err
	})
	if err != nil {
		if s.spec.Direct && errors.Is(err, unix.EINVAL) {
			err = noDirect(err)
		}
		return nil, &engine.Error{Call: "open", Path: path, Err: err}
	}
	return f, nil
}

// FileBytes is exact: the datasets lie one behind the other.
func (s *session) FileBytes() (uint64, bool) {
	return uint64(s.spec.Datasets) * s.spec.DatasetBytes, true
}

// Files is the file alone.
func (s *session) Files(path string) ([]engine.FileSize, error) { return engine.Sizes(path) }

// Call is pwrite or pread.
func (s *session) Call(op engine.Op) string { return callName(op) }

func callName(op engine.Op) string {
	if op == engine.Write {
		return "pwrite"
	}
	return "pread"
}

// Effective counts the calls of closed datasets.
func (s *session) Effective() engine.Effective { return engine.Effective{Calls: s.calls} }

// CollectiveSync is false: each process syncs for itself.
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

// Dataset places dataset k behind those before it.
func (f *file) Dataset(k int, tag uint64, stamping bool) (engine.Dataset, error) {
	s := f.session
	s.kernel.Begin(f.op, uint64(k)*s.spec.DatasetBytes, s.spec.Turn(k, 0), tag, stamping)
	return &dataset{f}, nil
}

// Sync is fsync.
func (f *file) Sync() error {
	if err := uninterrupted(func() error { return unix.Fsync(f.fd) }); err != nil {
		return &engine.Error{Call: "fsync", Path: f.path, Err: err}
	}
	return nil
}

// Close closes the file. It is tried once: Linux frees the descriptor also when it returns EINTR.
func (f *file) Close() error {
	if err := unix.Close(f.fd); err != nil {
		return &engine.Error{Call: "close", Path: f.path, Err: err}
	}
	return nil
}

// uninterrupted repeats a call that a signal interrupted.
func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
