package engine_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// A harness prepares an engine for a program, and then executes the batches of its dumps: here a sweep of 4 transfers
// of 4 KiB through one buffer. It times the batches by class. The null engine replaces a real engine: it moves no data
// to storage.
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
	// write: file open
	// write: create
	// write: transfer {Transfers:4 Bytes:16384 Calls:4 SetViews:0}
	// write: object close
	// write: sync
	// write: file close
	// read: file open
	// read: open
	// read: transfer {Transfers:4 Bytes:16384 Calls:4 SetViews:0}
	// read: object close
	// read: file close
	// 8 data calls
	// stopped true, after 0 bytes
}

// measure writes and reads a file with one dataset, and then shows the effect of the stop flag.
func measure(e engine.Engine, dir string) (err error) {
	const transfers, size = 4, 4096
	sequence := pattern.ParallelPattern{
		Processes: 1, BytesPerProcess: transfers * size, TransferSize: size,
		BlockSize: size,
	}.Sequence(0)
	pool, err := engine.MapMemory(size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.UnmapMemory(pool)) }()
	stop, err := engine.NewStopFlag()
	if err != nil {
		return err
	}
	program := workload.Sweep{
		Sequence: sequence, Nest: sequence.LoopNest(),
		Buffer:   workload.Buffer{Pool: pool, Slots: 1, SlotBytes: size, Grain: fill.StampDistance(size)},
		Datasets: 1, DatasetBytes: sequence.DatasetBytes(), SyncFile: true,
	}.Program()
	session, err := e.Prepare(engine.Env{Comm: mpi.Self{}, Stop: stop}, program)
	if err != nil {
		return err // the API cannot do this: no file exists
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for _, part := range program.Parts {
		if err := do(session, part.Dumps[0], filepath.Join(dir, "data")); err != nil {
			return err
		}
	}
	fmt.Println(session.Report().Calls, "data calls")
	reads := program.Parts[workload.Read].Dumps[0].Epochs
	return errors.Join(batch(session, reads[0], dir), batch(session, reads[1], dir), stopped(session, stop, reads[2]))
}

// do executes the batches of a dump on the file at path.
func do(s engine.Session, dump workload.Dump, path string) error {
	for _, epoch := range dump.Epochs {
		b := epoch.Steps[0].Batch
		b.Path, b.Stamping = path, true
		if err := s.Do(&b); err != nil {
			s.CloseAfterError()
			return err
		}
		fmt.Printf("%s: %s", b.Op, b.Class)
		if b.Class == workload.Transfer {
			fmt.Printf(" %+v", s.Progress(b.Move))
		}
		fmt.Println()
	}
	return nil
}

func batch(s engine.Session, epoch workload.Epoch, dir string) error {
	b := epoch.Steps[0].Batch
	b.Path = filepath.Join(dir, "data")
	return s.Do(&b)
}

func stopped(s engine.Session, stop *engine.StopFlag, transfers workload.Epoch) error {
	stop.Set()
	b := transfers.Steps[0].Batch
	err := s.Do(&b)
	fmt.Printf("stopped %v, after %d bytes\n", errors.Is(err, engine.ErrStopped), s.Progress(b.Move).Bytes)
	s.CloseAfterError()
	return nil
}
