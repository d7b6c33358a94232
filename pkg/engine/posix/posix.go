//go:build cgo

// Package posix is the engine of POSIX calls: one pwrite or pread for each run. In a listed move, a run that is not
// contiguous in memory is packed into a buffer, as applications do. The engine ignores collective mode. It makes no
// calls for objects: datasets lie one after another in a plain file, unless the objects of the file are to be files of
// their own. The package also counts the calls that libraries
// make to the C library.
package posix

import "C"

import (
	"errors"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// New returns the engine.
func New() engine.Engine { return posixEngine{} }

type posixEngine struct{}

// Prepare creates the transfer loops of the program. With O_DIRECT, it returns an error if the transfers do not have
// the alignment that the device requires.
func (posixEngine) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	s := &session{env: env, program: program, files: make([]openedFile, len(program.Files))}
	for i := range s.files {
		s.files[i].fd, s.files[i].objects = noDescriptor, noDescriptor
	}
	if err := s.makeFamilies(); err != nil {
		s.freeFamilies()
		return nil, err
	}
	var err error
	if s.kernels, err = engine.NewKernelSet(&s.env, &s.program); err != nil {
		s.freeFamilies()
		return nil, err
	}
	err = s.kernels.BuildPlainLists(func(*engine.Kernel) bool { return false })
	if err == nil && env.UseODirect {
		err = s.checkDirect()
	}
	if err != nil {
		s.kernels.Free()
		s.freeFamilies()
		return nil, err
	}
	return s, nil
}

// session is the POSIX engine, prepared to execute one program.
type session struct {
	env     engine.Env
	program workload.Program
	kernels *engine.KernelSet
	files   []openedFile   // by family: the file that is open
	objects []objectFamily // by family of objects
}

// openedFile is the path and the descriptor of a file, and that of the directory of its objects if these are files of
// their own.
type openedFile struct {
	path        string
	fd, objects C.int
}

// noDescriptor is the descriptor if no file is open.
const noDescriptor = -1

// Do executes a batch.
func (s *session) Do(b *workload.Batch) error {
	f := &s.files[b.File]
	if s.program.Files[b.File].ObjectFiles {
		switch b.Class {
		case workload.Create, workload.Open:
			if err := s.doObjects(f, b); err != nil {
				return err
			}
		case workload.ObjectClose:
			s.kernels.EndBatch(b)
			return s.doObjects(f, b)
		case workload.CreateLink, workload.Stat, workload.List, workload.Rename, workload.Unlink:
			return s.doObjects(f, b)
		case workload.Sync:
			return f.syncObjects()
		}
	}
	switch b.Class {
	case workload.FileOpen:
		return s.openFile(f, b)
	case workload.Create, workload.Open:
		s.kernels.BeginBatch(b)
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

// openFile creates or opens a file. A new file has mode 0600. A file that is opened for writing is truncated, unless
// b.Existing or b.Empty is set. It returns an error for a symbolic link.
func (s *session) openFile(f *openedFile, b *workload.Batch) error {
	flags := unix.O_CREAT | unix.O_TRUNC | unix.O_RDWR
	switch {
	case b.Op == workload.Read:
		flags = unix.O_RDONLY
	case b.Existing || b.InitiallyEmpty:
		flags = unix.O_RDWR
	}
	if s.env.UseODirect {
		flags |= unix.O_DIRECT
	}
	fd, err := s.env.OpenFile(b.Path, flags)
	if err != nil {
		if s.env.UseODirect && errors.Is(err, unix.EINVAL) {
			err = noDirectError(err)
		}
		return &engine.CallError{Call: "open", Path: b.Path, Err: err}
	}
	*f = openedFile{b.Path, C.int(fd), noDescriptor}
	countOwnCall(openCall, fd)
	if s.program.Files[b.File].ObjectFiles {
		return s.openObjectsDir(f)
	}
	return nil
}

// syncFile writes the data of the file to stable storage.
//
// Implements: fsync
func (f *openedFile) syncFile() error {
	countOwnCall(fsyncCall, int(f.fd))
	if err := engine.RetryOnEINTR(func() error { return unix.Fsync(int(f.fd)) }); err != nil {
		return &engine.CallError{Call: "fsync", Path: f.path, Err: err}
	}
	return nil
}

// syncObjects writes the data of all files of the file system to stable storage: the objects of the file may be very
// many, and are closed.
//
// Implements: syncfs
func (f *openedFile) syncObjects() error {
	if err := engine.RetryOnEINTR(func() error { return unix.Syncfs(int(f.objects)) }); err != nil {
		return &engine.CallError{Call: "syncfs", Path: objectsDir(f.path), Err: err}
	}
	return nil
}

// closeFile closes the file. It does not repeat close after EINTR, because Linux has freed the descriptor then.
//
// Implements: close
func (f *openedFile) closeFile() error {
	if f.objects != noDescriptor {
		_ = unix.Close(int(f.objects)) // it was opened to be read
		f.objects = noDescriptor
	}
	fd := int(f.fd)
	f.fd = noDescriptor
	countOwnCall(closeCall, fd)
	if err := unix.Close(fd); err != nil {
		return &engine.CallError{Call: "close", Path: f.path, Err: err}
	}
	return nil
}

// Progress returns how much the transfers of a move have done. Every pwrite or pread that moved data counts as a call.
// A run needs one call, and one more each time the system moves less than requested, as it does beyond 2 GiB - 4 KiB.
func (s *session) Progress(move int) engine.Progress { return s.kernels.Progress(move) }

// Abandon closes all open files.
func (s *session) CloseAfterError() {
	for i := range s.files {
		if f := &s.files[i]; f.fd != noDescriptor {
			s.closeObjectFiles(f)
			_ = f.closeFile() // the first error counts
		}
	}
}

// FileBytes returns the size of all datasets of a file. It is exact, because the datasets lie one after another, so the
// second result is true. It is not exact if the objects are files of their own, which are not among FileNames.
func (s *session) FileBytes(file int) (uint64, bool) {
	if s.program.Files[file].ObjectFiles {
		return 0, false
	}
	return s.program.Files[file].Bytes, true
}

// FileNames returns the base name of the data file and, if its objects may be files of their own, of their directory.
func (s *session) FileNames(path string) []string {
	name := filepath.Base(path)
	if s.hasObjectFiles() {
		return []string{name, objectsDir(name)}
	}
	return []string{name}
}

// hasObjectFiles reports whether the objects of a file are files of their own.
func (s *session) hasObjectFiles() bool {
	return slices.ContainsFunc(s.program.Files, func(f workload.File) bool { return f.ObjectFiles })
}

// CallName returns the name of the function that moves data: pwrite or pread.
func (s *session) CallName(op workload.Op) string { return callName(op) }

func callName(op workload.Op) string {
	if op == workload.Write {
		return "pwrite"
	}
	return "pread"
}

// Effective returns the number of calls in all transfers that have ended.
func (s *session) Report() engine.APIReport {
	return engine.APIReport{Calls: s.kernels.EndedProgress().Calls}
}

// CollectiveSync returns false: fsync is not collective.
func (s *session) CollectiveSync() bool { return false }

// Close frees the transfer loops.
func (s *session) Close() error {
	s.kernels.Free()
	s.freeFamilies()
	return nil
}
