package null_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, mpi.Self{}, func() engine.Engine { return null.New(null.Options{}) }, enginetest.Options{
		Listed: true,
		Variants: []enginetest.Variant{
			{Name: "contiguous", Calls: one},
			{Name: "chunk emulation", ChunkEmulation: true, Calls: one},
		},
	})
}

// one returns the number of calls of a transfer.
func one(enginetest.Spec) uint64 { return 1 }

// prepared is a session of a case with 10 transfers of 64 bytes.
func prepared(t *testing.T, e *null.Engine) (*enginetest.Session, enginetest.Spec) {
	t.Helper()
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 640, TransferSize: 64, BlockSize: 64}
	spec, err := enginetest.NewSpec(mpi.Self{}, p.Sequence(0), p.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.UnmapMemory(spec.Buffer.Pool); err != nil {
			t.Error(err)
		}
	})
	s, err := enginetest.Prepare(e, spec)
	if err != nil {
		t.Fatal(err)
	}
	return s, spec
}

// access does all of one operation and returns the first error.
func access(s *enginetest.Session, path string, op workload.Op) error {
	f, err := s.Open(path, op)
	if err != nil {
		return err
	}
	d, err := f.Dataset(0, 1, true)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	err = d.Transfer(10)
	return errors.Join(err, d.Close(), f.Sync(), f.Close())
}

func TestFailsWhereAsked(t *testing.T) {
	reason := errors.New("as asked")
	for _, phase := range []null.Phase{
		null.Open, null.Dataset, null.Transfer, null.DatasetClose, null.Sync,
		null.Close,
	} {
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			path := filepath.Join(t.TempDir(), "file")
			s, _ := prepared(t, null.New(null.Options{Fail: func(s null.Step) error {
				if s.Phase == phase && s.Op == op && (s.Phase != null.Transfer || s.Transfer == 3) {
					return reason
				}
				return nil
			}}))
			err := access(s, path, workload.Write)
			if op == workload.Read {
				if err != nil {
					t.Errorf("%s of read told to fail, but the write did: %v", phase, err)
				}
				err = access(s, path, workload.Read)
			}
			var e *engine.CallError
			if !errors.Is(err, reason) || !errors.As(err, &e) || e.Call != string(phase) || e.Path != path {
				t.Errorf("%s of %s told to fail: %v", phase, op, err)
			}
			if phase == null.Transfer && (e.Offset != 192 || e.Bytes != 64) {
				t.Errorf("transfer 3 failed with %d bytes at %d, want 64 at 192", e.Bytes, e.Offset)
			}
		}
	}
}

func TestPrepareFailsWhenAsked(t *testing.T) {
	reason := errors.New("as asked")
	e := null.New(null.Options{Fail: func(null.Step) error { return reason }})
	if _, err := enginetest.Prepare(e, enginetest.Spec{}); !errors.Is(err, reason) {
		t.Errorf("prepare told to fail: %v", err)
	}
}

func TestCorruptsWhatItReads(t *testing.T) {
	var steps []uint64
	s, spec := prepared(t, null.New(null.Options{Corrupt: func(s null.Step, buffer []byte) {
		steps = append(steps, s.Transfer)
		buffer[0]++
	}}))
	path := filepath.Join(t.TempDir(), "file")
	if err := access(s, path, workload.Write); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 0 {
		t.Errorf("writing corrupted the transfers %v", steps)
	}
	before := append([]byte(nil), spec.Buffer.Pool...)
	if err := access(s, path, workload.Read); err != nil {
		t.Fatal(err)
	}
	for i := range before[:640] {
		changed := spec.Buffer.Pool[i] != before[i]
		if want := i%64 == 0; changed != want {
			t.Fatalf("byte %d: changed %v, want %v", i, changed, want)
		}
	}
}

// Each reading of the clock takes a microsecond. Every other sleep ends 50 microseconds late, the rest a quarter early.
// A transfer polls the clock in the last millisecond of its delay.
func TestTakesTheTimeAskedAndTellsIt(t *testing.T) {
	const reading = time.Microsecond
	for _, delay := range []time.Duration{20 * reading, 2 * time.Millisecond} {
		var passed, slept time.Duration
		late := false
		e := null.New(null.Options{
			Delay: func(op workload.Op, transfer uint64) time.Duration {
				if op == workload.Read {
					return 0
				}
				return time.Duration(transfer) * delay
			},
			Took: func(op workload.Op, transfer, call time.Duration) {
				if op == workload.Read && (transfer != 2*reading || call != reading) {
					t.Errorf("no delay asked, %v told of a transfer and %v of its call", transfer, call)
				}
			},
		})
		e.SetClock(func() time.Time {
			passed += reading
			return time.Time{}.Add(passed)
		}, func(d time.Duration) {
			if late = !late; late {
				d += 50 * time.Microsecond
			} else {
				d -= d / 4
			}
			passed, slept = passed+d, slept+d
		})
		s, _ := prepared(t, e)
		path := filepath.Join(t.TempDir(), "file")
		if err := access(s, path, workload.Write); err != nil {
			t.Fatal(err)
		}
		asked, longest := 45*delay, 10*3*reading // 0 + 1 + … + 9; three readings of a transfer are not needed
		if took := e.Took(); took < asked || took > asked+longest || took != passed-reading {
			t.Errorf("delays of %v asked, %v told, %v passed", asked, took, passed)
		}
		if polled := passed - slept; polled > 10*time.Millisecond {
			t.Errorf("of %v %v were slept and %v polled", passed, slept, polled)
		}
		if err := access(s, path, workload.Read); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASessionReadsOnlyItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	e := null.New(null.Options{})
	s, _ := prepared(t, e)
	if err := access(s, path, workload.Write); err != nil {
		t.Fatal(err)
	}
	other, _ := prepared(t, e)
	if err := access(other, path, workload.Read); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("reading another session's file: %v", err)
	}
}
