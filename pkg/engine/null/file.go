package null

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"h5perf/pkg/engine"
)

// session is the engine prepared for a case.
type session struct {
	engine  *Engine
	spec    engine.Spec
	content map[string][]byte // of the files that this session wrote, by path
	calls   uint64            // of closed datasets
}

// Open creates or opens a file. It has the size of the data but does not hold them. Only the session that wrote a file
// can read it.
func (s *session) Open(path string, op engine.Op) (engine.File, error) {
	step := Step{Phase: Open, Op: op, Path: path}
	if err := s.engine.fail(step, 0, 0); err != nil {
		return nil, err
	}
	flags := os.O_CREATE | os.O_TRUNC | os.O_RDWR
	if op == engine.Read {
		flags = os.O_RDONLY
	}
	fd, err := s.spec.OpenFile(path, flags)
	if err != nil {
		return nil, failed(step, err)
	}
	f := os.NewFile(uintptr(fd), path)
	size, _ := s.FileBytes()
	if op == engine.Write {
		s.content[path] = make([]byte, size)
	}
	content, ok := s.content[path]
	if !ok {
		err := fmt.Errorf("%w: reading what another session wrote", engine.ErrUnsupported)
		return nil, failed(step, errors.Join(err, f.Close()))
	}
	if op == engine.Read {
		info, err := f.Stat()
		if err != nil {
			return nil, failed(step, errors.Join(err, f.Close()))
		}
		content = content[:min(size, uint64(info.Size()))]
	}
	return &file{session: s, f: f, op: op, path: path, content: content}, nil
}

// FileBytes returns the size of all datasets, which is exact.
func (s *session) FileBytes() (uint64, bool) {
	return uint64(s.spec.Datasets) * s.spec.DatasetBytes, true
}

// Names returns the file itself.
func (s *session) Names(path string) []string { return []string{filepath.Base(path)} }

// Call returns "null write" or "null read": a transfer is one call.
func (s *session) Call(op engine.Op) string { return "null " + op.String() }

// Effective returns the number of calls.
func (s *session) Effective() engine.Effective { return engine.Effective{Calls: s.calls} }

// CollectiveSync returns false: Sync is not collective.
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
	return &engine.Error{Call: string(s.Phase), Path: s.Path, Err: err}
}

// file is an open file.
type file struct {
	session *session
	f       *os.File
	op      engine.Op
	path    string
	content []byte
}

// Dataset opens a dataset.
func (f *file) Dataset(k int, tag uint64, stamping bool) (engine.Dataset, error) {
	if err := f.session.engine.fail(f.step(Dataset, k), 0, 0); err != nil {
		return nil, err
	}
	return newDataset(f, k, tag, stamping), nil
}

// Sync does nothing but fail on demand.
func (f *file) Sync() error { return f.session.engine.fail(f.step(Sync, 0), 0, 0) }

// Close closes the file.
func (f *file) Close() error {
	err := f.f.Close()
	if fail := f.session.engine.fail(f.step(Close, 0), 0, 0); fail != nil {
		return fail
	}
	if err != nil {
		return failed(f.step(Close, 0), err)
	}
	return nil
}

// step returns a step of the file.
func (f *file) step(p Phase, dataset int) Step {
	return Step{Phase: p, Op: f.op, Path: f.path, Dataset: dataset}
}
