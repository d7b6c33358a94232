//go:build cgo && !nompi

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/h5"
	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/faulttest"
)

// particles returns the arguments of a small run of a workload.
func particles(args ...string) []string {
	return append([]string{"run", "particles", "--size", "tiny"}, args...)
}

func TestAFullDiskFailsAWorkload(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, smallDisk(t, "1M"), nil, nil, particles("--space-check", "off", "--timeout", "30s")...)
	l.failed()
	l.eachFails(3, "") // MPI-IO may only report that it moved fewer bytes
}

func TestAnErrorOfOneRankFailsAWorkload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, rule string }{
		{"-A posix", "write:eio:at=5"},
		{"-A phdf5 --set mode=independent", "write:eio:at=5"},
		{"-A mpiio", "read:eio:at=3"},
	} {
		t.Run(c.args+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			f := faulttest.Start(t, "--direct", "--rule", c.rule)
			l := launch(t, 2, f.Path, nil, nil, particles(append(strings.Fields(c.args), "--timeout", patience)...)...)
			l.failed()
			// For a collective read, Open MPI 5 only reports MPI_ERR_OTHER.
			l.eachFails(1, "nput/output error", "MPI_ERR_IO", "MPI_ERR_OTHER", "fewer bytes than requested", "hangs: ")
		})
	}
}

// One rank hangs in the kernel. The other rank has nothing to read, and waits for it in a collective read.
func TestAReadThatHangsEndsAWorkload(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "one.star")
	if err := os.WriteFile(text, []byte(`"""One element."""
def write(job):
    job.dump()
    f = job.create("f")
    f.create_dataset("x", "f8", 1).write(slab(), collective = True)
    f.close()

def read(job):
    job.dump()
    f = job.open("f")
    f["x"].read(slab(), collective = True)
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := faulttest.Start(t, "--direct", "--rule", "read:hang")
	l := launch(t, 2, f.Path, nil, nil, "run", text, "-A", "mpiio", "--timeout", hangTimeout)
	if e := l.hung(); e.Phase != result.PhaseTransfer || e.Operation != result.OperationRead ||
		!strings.Contains(e.Message, "hangs: "+f.Path) {
		t.Errorf("error %s, want one of the read that hangs", figures.FailureDuringRun(e))
	}
	f.Abort()
	l.fails(endsWithin)
	l.within(endsWithin, "the end of all ranks", func() bool { return l.alive() == 0 })
}

// A signal comes while the application computes between two dumps.
func TestASignalBetweenDumpsEndsAWorkload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		api    string
		state  result.State
	}{{syscall.SIGTERM, "phdf5", result.Interrupted}, {syscall.SIGKILL, "posix", ""}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil, particles("--set", "pause=600000", "-A", c.api)...)
			l.within(startTime, "the first dump", func() bool {
				files, _ := filepath.Glob(filepath.Join(l.base, "*", "data_*"))
				if len(files) == 0 {
					return false
				}
				info, err := os.Stat(files[0])
				return err == nil && info.Size() >= 2*16<<10*32 // size of all particles
			})
			l.signal(1, c.signal)
			l.broken()
			doc := l.document()
			for _, one := range doc.Cases {
				if len(one.Samples) > 0 || strings.Contains(l.stdout.String(), "B/s") {
					t.Errorf("%s has figures: %+v", one.API, one.Samples)
				}
			}
			if c.state != "" && doc.State != c.state {
				t.Errorf("document is %s, want %s", doc.State, c.state)
			}
		})
	}
}

// HDF5 1.14.5 and 2.2.0 hang in a collective read of a filtered dataset if no chunk of it was written and a process
// reads nothing. The run must end: the process that reads finds no data, or --timeout ends the run.
func TestACollectiveReadOfNoChunksEndsAWorkload(t *testing.T) {
	if !h5.VersionAtLeast(1, 14, 0) {
		t.Skip("HDF5 before 1.14 does not hang")
	}
	t.Parallel()
	text := filepath.Join(t.TempDir(), "empty.star")
	if err := os.WriteFile(text, []byte(`"""Chunks of which half are not written."""
def write(job):
    f = job.create("f")
    x = f.create_dataset("x", "f8", 64, chunks = 16, compression = "gzip", compression_opts = 1,
        alloc_time = "incremental")
    job.dump()
    x.write([hyperslab(16 * job.rank, 16)], collective = True)
    f.close()

def read(job):
    job.dump()
    f = job.open("f")
    x = f["x"]
    x.read(everything(ranks = 1), collective = True)
    x.read(everything(ranks = 1), collective = True)
    f.close()
`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, t.TempDir(), nil, nil, "run", text, "-A", "phdf5", "--timeout", patience)
	l.failed()
	l.eachFails(1, "does not hold the written data", "hangs: ", "waited ")
}
