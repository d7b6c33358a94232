package enginetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

func stopEndsTheLoop(s *suite) error {
	return s.with(0, func(a *access) error {
		path := a.path()
		if err := a.write(path, 0); err != nil {
			return err
		}
		a.spec.Stop.Set()
		return a.open(path, workload.Read, func(f *File) error {
			return a.datasets(f, 0, func(_ int, set *Dataset, from, to uint64) error {
				if err := set.Transfer(to - from); !errors.Is(err, engine.ErrStopped) {
					return fmt.Errorf("transfer after stop: %w", errOr(err))
				}
				if p := set.Progress(); p != (engine.Progress{SetViews: p.SetViews}) {
					return fmt.Errorf("progress after stop: %+v", p)
				}
				return nil
			})
		})
	})
}

func missingDirectory(s *suite) error {
	return s.cannotOpen(filepath.Join(s.path(), "file"), workload.Write)
}

func missingFile(s *suite) error {
	path := s.path()
	err := s.cannotOpen(path, workload.Read)
	if made, _ := filepath.Glob(path + "*"); made != nil { // no other name begins with it
		err = errors.Join(err, fmt.Errorf("open for read made %v", made))
	}
	return err
}

// cannotOpen checks that Open fails on every process, with an error that names the file.
func (s *suite) cannotOpen(path string, op workload.Op) error {
	return s.with(0, func(a *access) error {
		f, err := a.session.Open(path, op)
		if f != nil {
			return fmt.Errorf("open for %s: a file, with error: %w", op, errOr(errors.Join(err, f.Close())))
		}
		var e *engine.CallError
		if !errors.As(err, &e) || e.Path != path || e.Call == "" || e.Err == nil {
			return fmt.Errorf("open for %s: not an *engine.Error with call, path and reason: %w", op, errOr(err))
		}
		return nil
	})
}

// truncatedFile checks that reading a file fails whose last byte is missing, and that dataset, file and session can
// nevertheless be closed without an error.
func truncatedFile(s *suite) error {
	return s.with(0, func(a *access) error {
		path := a.path()
		if err := a.write(path, 0); err != nil {
			return err
		}
		if err := a.agree(a.truncate(&a.spec.Env, a.session, path)); err != nil {
			return err
		}
		f, err := a.session.Open(path, workload.Read)
		failed := a.agree(err)
		if f == nil {
			return a.expectFailure(failed, "open of a truncated file")
		}
		for k := 0; k < a.spec.Datasets && failed == nil; k++ {
			set, err := f.Dataset(k, a.tag, false)
			failed = a.agree(err)
			if failed == nil {
				failed = a.agree(set.Transfer(a.spec.Sequence.NumTransfers()))
			}
			if set != nil {
				if err := set.Close(); err != nil {
					return fmt.Errorf("close of the dataset after an error: %w", err)
				}
			}
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("close of the file after an error: %w", err)
		}
		return a.expectFailure(failed, "reading a truncated file")
	})
}

// truncate removes, on rank 0, the last byte of each of the files that a data file consists of.
func (s *suite) truncate(env *engine.Env, session engine.Session, path string) error {
	if s.world.Rank() != 0 {
		return nil
	}
	files, err := env.FileSizes(path, session.FileNames(path))
	for i := 0; i < len(files) && err == nil; i++ {
		if n := int64(files[i].Bytes); n > 0 {
			err = os.Truncate(filepath.Join(filepath.Dir(path), files[i].Name), n-1)
		}
	}
	return err
}

// allocationRuns is the number of transfers whose allocations are counted.
const allocationRuns = 50

func noAllocations(s *suite) error {
	return s.with(0, func(a *access) error {
		path := a.path()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			err := a.open(path, op, func(f *File) error {
				return a.datasets(f, 0, func(_ int, set *Dataset, _, _ uint64) error {
					var err error
					n := testing.AllocsPerRun(allocationRuns, func() { err = errors.Join(err, set.Transfer(1)) })
					if err == nil && n != 0 {
						err = fmt.Errorf("%v allocations for each transfer", n)
					}
					return err
				})
			})
			if err != nil {
				return fmt.Errorf("%s: %w", op, err)
			}
		}
		return nil
	})
}

// errOr returns err, or an error that says that there is none.
func errOr(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}
