//go:build cgo && !nompi && bench

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/enginetest/bare"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// processTime returns the processor time of this thread, in seconds. It does not depend on the load of the machine.
func processTime(t *testing.T) float64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano()).Seconds()
}

// benchPool is the total number of bytes in all buffers, as in a run without verification.
const benchPool = 256 << 10

// timed returns the time of the transfers of an open dataset, in seconds.
func timed(t *testing.T, transfer func() error) []float64 {
	t.Helper()
	start := processTime(t)
	err := transfer()
	seconds := processTime(t) - start
	if err != nil {
		t.Fatal(err)
	}
	return []float64{seconds}
}

// TestBenchLoops compares the transfer loops of the engines with bare loops of calls, with and without recording
// latencies.
func TestBenchLoops(t *testing.T) {
	runtime.LockOSThread()
	world, err := mpi.Init()
	if err != nil {
		t.Fatal(err)
	}
	inBenchDirs(t, func(dir, name string) {
		for _, api := range []struct {
			name   bare.API
			make   func() engine.Engine
			driver option.Driver
		}{
			{bare.POSIX, posix.New, ""},
			{bare.MPIIO, mpiio.New, ""},
			{bare.MPIO, hdf5.New, ""},
			{bare.Sec2, hdf5.New, "sec2"},
		} {
			for _, size := range benchSizes {
				loops(t, world, fmt.Sprintf("%s %s", name, api.name), filepath.Join(dir, "data"), size, api.name,
					api.make(), api.driver)
			}
		}
	})
	if err := h5.Close(); err != nil {
		t.Fatal(err)
	}
	mpi.Finalize(world)
}

// loops compares the loops for one transfer size.
func loops(
	t *testing.T, world mpi.Comm, name, path string, size uint64, calls bare.API, api engine.Engine,
	driver option.Driver,
) {
	bytes := min(16<<20, max(2<<20, size<<12))
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: bytes, TransferSize: size, BlockSize: size}
	spec, err := enginetest.NewSpec(world, p.Sequence(0), size, max(1, benchPool/size))
	if err != nil {
		t.Fatal(err)
	}
	for i := range spec.Buffer.Pool {
		spec.Buffer.Pool[i] = 0xa5 // an engine treats zeros as data that were not read
	}
	spec.HDF5.Driver, spec.Dir = driver, filepath.Dir(path)
	histogram, err := engine.NewLatencyHistogram()
	if err != nil {
		t.Fatal(err)
	}
	timing := spec
	timing.Latency = histogram
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		base := func(t *testing.T) []float64 {
			l, err := bare.Open(calls, path, op == workload.Write, bytes, size, spec.Buffer.Pool)
			if err != nil {
				t.Fatal(err)
			}
			seconds := timed(t, func() error { return l.Transfer(bytes / size) })
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return seconds
		}
		with := func(s enginetest.Spec) measurer {
			return func(t *testing.T) []float64 { return engineTime(t, api, s, path, op, bytes/size) }
		}
		engineTime(t, api, spec, path, workload.Write, bytes/size) // makes the file to read; a bare loop has old stamps
		compare(t, "loops", ratio, []string{fmt.Sprintf("%s %s %s", name, op, units.FormatSize(size))},
			base, subject{"engine : bare loop, time", with(spec)}, subject{
				"engine --latency : bare loop, time", with(timing),
			})
	}
	if err := errors.Join(engine.FreeLatencyHistogram(histogram), engine.UnmapMemory(spec.Buffer.Pool)); err != nil {
		t.Fatal(err)
	}
}

// engineTime returns the time that an engine takes for the transfers of one dataset, in seconds.
func engineTime(
	t *testing.T, api engine.Engine, spec enginetest.Spec, path string, op workload.Op, calls uint64,
) []float64 {
	t.Helper()
	session, err := enginetest.Prepare(api, spec)
	if err != nil {
		t.Fatal(err)
	}
	file, err := session.Open(path, op)
	if err != nil {
		t.Fatal(err)
	}
	set, err := file.Dataset(0, 1, op == workload.Write)
	if err != nil {
		t.Fatal(err)
	}
	seconds := timed(t, func() error { return set.Transfer(calls) })
	if err := errors.Join(set.Close(), file.Close(), session.Close()); err != nil {
		t.Fatal(err)
	}
	return seconds
}
