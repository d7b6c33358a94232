//go:build cgo && !nompi

package mpiio

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// A limit on file sizes replaces a full disk: the system refuses to write beyond it. A collective call need not return
// the error on all processes.
func testWriteBeyondALimit(t *testing.T, world mpi.Comm) {
	signal.Ignore(syscall.SIGXFSZ)
	dir := mpitest.Dir(t, world)
	l := layouts(2)[1]
	l.p.TransferSize = l.p.BytesPerProcess // one transfer: no process waits for one that failed
	for _, spec := range modes(l.spec(t, world)) {
		s, err := enginetest.Prepare(New(), spec)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "view-"+string(spec.MPIIO.View))
		err = writeBeyond(t, s, path, spec.DatasetBytes/4)
		var e *engine.CallError
		if err != nil &&
			(!errors.As(err, &e) || e.Path != path || !strings.HasPrefix(e.Call, "MPI_File_write_at")) {
			t.Errorf("collective %v, view %v: %v", spec.Collective, spec.MPIIO.View, err)
		}
		t.Logf("collective %v, view %v, rank %d: %v", spec.Collective, spec.MPIIO.View, world.Rank(), err)
		failed := []uint64{0}
		if err != nil {
			failed[0] = 1
		}
		world.SumUint64(failed)
		if !spec.Collective && failed[0] != 2 {
			t.Errorf("independent: %d processes of 2 failed", failed[0])
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := s.FileBytes(0); failed[0] == 0 && uint64(info.Size()) == want {
			t.Errorf("collective, view %v: no error, and all %d bytes in the file", spec.MPIIO.View, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// writeBeyond writes a dataset into a file whose size is limited to less.
func writeBeyond(t *testing.T, s *enginetest.Session, path string, limit uint64) error {
	t.Helper()
	f, err := s.Open(path, workload.Write)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Dataset(0, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	result := d.Transfer(1)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Close(), f.Close()); err != nil {
		t.Errorf("close after an error: %v", err)
	}
	return result
}

// The end of the file is missing, so the process that reads it must return an error. The engine does not ask for the
// size of the file, because that would be a call of each process in the measured time. Guard values in the buffer show
// which bytes were not read.
func testReadOfATruncatedFile(t *testing.T, world mpi.Comm) {
	dir := mpitest.Dir(t, world)
	for _, l := range layouts(2) {
		for _, spec := range modes(l.spec(t, world)) {
			s, err := enginetest.Prepare(New(), spec)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "file")
			if _, err := access(s, spec, path, workload.Write); err != nil {
				t.Fatal(err)
			}
			world.Barrier()
			size, _ := s.FileBytes(0)
			if err := os.Truncate(path, int64(size-1)); err != nil {
				t.Fatal(err)
			}
			world.Barrier()
			_, err = access(s, spec, path, workload.Read)
			var e *engine.CallError
			last := world.Rank() == world.Size()-1 // the last rank reads the last byte
			if (last || spec.Collective) && !errors.As(err, &e) || !last && !spec.Collective && err != nil {
				t.Errorf("%s, collective %v, view %v: rank %d: %v",
					l.name, spec.Collective, spec.MPIIO.View, world.Rank(), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func testRefusals(t *testing.T, world mpi.Comm) {
	good := layouts(1)[3].spec(t, world) // 2D interleaved: many runs; offsets do not ascend over all transfers
	hint := func(key, value string) func(*enginetest.Spec) {
		return func(s *enginetest.Spec) { s.MPIIO.Hints = []units.KeyValue{{Key: key, Value: value}} }
	}
	for want, change := range map[string]func(*enginetest.Spec){
		`"a"=""`:        hint("a", ""),
		`""="b"`:        hint("", "b"),
		"the key has":   hint(strings.Repeat("k", 5000), "v"),
		"the value has": hint("k", strings.Repeat("v", 5000)),
		"no such mode":  func(s *enginetest.Spec) { s.UseODirect = true },
		"without an MPI file view": func(s *enginetest.Spec) {
			s.Collective, s.ContiguousPart, s.MPIIO.View = true, true, "transfer"
		},
		"parts, but the maximum is": func(s *enginetest.Spec) { s.Collective, s.Nest.Transfers[0].Count = true, 1<<31 },
		"without MPI":               func(s *enginetest.Spec) { s.Comm = mpi.Self{} },
		"a transfer has 48 ":        func(s *enginetest.Spec) { s.Buffer.SlotBytes++ },
	} {
		spec := good
		spec.MPIIO.HintsSet = true
		spec.Nest = spec.Sequence.LoopNest()
		change(&spec)
		if _, err := enginetest.Prepare(New(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func testHintsInEffect(t *testing.T, world mpi.Comm) {
	spec := layouts(2)[0].spec(t, world)
	spec.MPIIO.HintsSet, spec.MPIIO.Hints = true, []units.KeyValue{{Key: "cb_buffer_size", Value: "1048576"}}
	s, err := enginetest.Prepare(New(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if h := s.Report().Hints; h != nil {
		t.Errorf("hints %v before any file", h)
	}
	if _, err := access(s, spec, filepath.Join(mpitest.Dir(t, world), "file"), workload.Write); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, h := range s.Report().Hints {
		found = found || h == spec.MPIIO.Hints[0]
	}
	if !found {
		t.Errorf("hints in effect %v lack %v", s.Report().Hints, spec.MPIIO.Hints)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
