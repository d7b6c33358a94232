package null

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// session is the engine prepared for a program.
type session struct {
	engine  *Engine
	env     engine.Env
	program workload.Program
	content map[string][]byte // of the files that this session wrote, by path
	files   []file            // by family: the one that is open
	moves   []move
	calls   uint64 // of transfers that have ended
}

// file is a file that is open.
type file struct {
	*os.File // nil: none is open
	path     string
	op       workload.Op
	content  []byte
}

// Do does a batch, or fails on demand.
func (s *session) Do(b *workload.Batch) error {
	f := &s.files[b.File]
	step := Step{Phase: phases[b.Class], Op: b.Op, Path: f.path, Dataset: int(b.First)}
	if b.Class == workload.FileOpen {
		step.Path = b.Path
	}
	if b.Class == workload.FileClose {
		return s.close(step, f)
	}
	if b.Class != workload.Transfer && step.Phase != "" {
		if err := s.engine.fail(step, 0, 0); err != nil {
			if b.Class == workload.ObjectClose && b.Move != workload.NoMove {
				s.end(b.Move)
			}
			return err
		}
	}
	switch b.Class {
	case workload.FileOpen:
		return s.open(step, f, b)
	case workload.Create, workload.Open:
		s.begin(b)
	case workload.Transfer:
		return s.transfer(step, f, b)
	case workload.ObjectClose:
		return s.closeDataset(step, f, b)
	}
	return nil
}

// open creates or opens a file. It has the size of the data but does not hold them. Only the session that wrote a file
// can read it: of a file that it opens to change it, it has what it writes itself.
func (s *session) open(step Step, f *file, b *workload.Batch) error {
	flags := os.O_CREATE | os.O_TRUNC | os.O_RDWR
	switch {
	case step.Op == workload.Read:
		flags = os.O_RDONLY
	case b.Existing:
		flags = os.O_RDWR
	}
	fd, err := s.env.OpenFile(step.Path, flags)
	if err != nil {
		return failed(step, err)
	}
	opened := os.NewFile(uintptr(fd), step.Path)
	size, _ := s.FileBytes(b.File)
	content, ok := s.content[step.Path]
	if step.Op == workload.Write && (!ok || !b.Existing) {
		content, ok = make([]byte, size), true
		s.content[step.Path] = content
	}
	if !ok {
		err := fmt.Errorf("%w: reading what another session wrote", engine.ErrUnsupported)
		return failed(step, errors.Join(err, opened.Close()))
	}
	if step.Op == workload.Read {
		info, err := opened.Stat()
		if err != nil {
			return failed(step, errors.Join(err, opened.Close()))
		}
		content = content[:min(size, uint64(info.Size()))]
	}
	*f = file{opened, step.Path, step.Op, content}
	return nil
}

// close closes a file, and then fails on demand.
func (s *session) close(step Step, f *file) error {
	err := f.Close()
	*f = file{}
	if fail := s.engine.fail(step, 0, 0); fail != nil {
		return fail
	}
	if err != nil {
		return failed(step, err)
	}
	return nil
}

// Abandon closes the files that are open.
func (s *session) CloseAfterError() {
	for i := range s.files {
		if f := &s.files[i]; f.File != nil {
			_ = s.close(Step{Phase: Close, Op: f.op, Path: f.path}, f) // the first error counts
		}
	}
}

// FileBytes returns the size of all datasets, which is exact.
func (s *session) FileBytes(file int) (uint64, bool) { return s.program.Files[file].Bytes, true }

// Names returns the file itself.
func (s *session) FileNames(path string) []string { return []string{filepath.Base(path)} }

// Call returns "null write" or "null read": a transfer is one call.
func (s *session) CallName(op workload.Op) string { return "null " + op.String() }

// Effective returns the number of calls.
func (s *session) Report() engine.APIReport { return engine.APIReport{Calls: s.calls} }

// CollectiveSync returns false: syncing is not collective.
func (s *session) CollectiveSync() bool { return false }

// Close drops the content of all files.
func (s *session) Close() error {
	s.content = nil
	return nil
}

// failed describes an error of the operating system in a step.
func failed(s Step, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &engine.CallError{Call: string(s.Phase), Path: s.Path, Err: err}
}
