package engine_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/null"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// A harness prepares an engine for a case, and then opens a file and a dataset, does transfers in batches, and closes
// all in reverse order. It times Open, Dataset, Transfer and Close, but not Prepare. The null engine stands for any
// other: it moves no data to storage.
func ExampleEngine() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := measure(null.New(null.Options{}), dir); err != nil {
		log.Fatal(err)
	}
	// Output:
	// write: {Transfers:3 Bytes:12288 Calls:3 SetViews:0}
	// write: {Transfers:4 Bytes:16384 Calls:4 SetViews:0}
	// read: {Transfers:3 Bytes:12288 Calls:3 SetViews:0}
	// read: {Transfers:4 Bytes:16384 Calls:4 SetViews:0}
	// 8 data calls
	// stopped true, after 0 bytes
}

// measure writes and reads a file of one dataset, 4 transfers of 4 KiB through one buffer, and then shows what the
// stop flag does.
func measure(e engine.Engine, dir string) (err error) {
	const transfers, size = 4, 4096
	sequence := pattern.Parallel{Processes: 1, Bytes: transfers * size, Transfer: size, Block: size}.Sequence(0)
	pool, err := engine.Map(size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Unmap(pool)) }()
	stop, err := engine.NewStop()
	if err != nil {
		return err
	}
	session, err := e.Prepare(engine.Spec{
		Comm: mpi.Self{}, Sequence: sequence, Nest: sequence.Nest(), Stop: stop,
		Buffer:   engine.Buffer{Pool: pool, Slots: 1, SlotBytes: size, Grain: fill.Grain(size)},
		Datasets: 1, DatasetBytes: sequence.DatasetBytes(),
	})
	if err != nil {
		return err // the API cannot do this: no file exists
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	path := filepath.Join(dir, "data")
	for _, op := range []engine.Op{engine.Write, engine.Read} {
		err := access(session, path, op, func(set engine.Dataset) error {
			for _, batch := range []uint64{3, 1} {
				if err := set.Transfer(batch); err != nil {
					return err
				}
				fmt.Printf("%s: %+v\n", op, set.Progress())
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Println(session.Effective().Calls, "data calls")
	stop.Set()
	return access(session, path, engine.Read, func(set engine.Dataset) error {
		err := set.Transfer(transfers)
		fmt.Printf("stopped %v, after %d bytes\n", errors.Is(err, engine.ErrStopped), set.Progress().Bytes)
		return nil
	})
}

// access opens the file and its dataset, calls do, and closes both, also after an error.
func access(s engine.Session, path string, op engine.Op, do func(engine.Dataset) error) (err error) {
	file, err := s.Open(path, op)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	set, err := file.Dataset(0, 1, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	if err := do(set); err != nil || op == engine.Read {
		return err
	}
	return file.Sync()
}
