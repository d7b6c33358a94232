//go:build cgo

package hdf5_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// failing is the environment variable that names the driver to the child process in which writes fail.
const failing = "H5PERF_FAILING_DRIVER"

// A failed write returns an error with the system's message, and the process exits normally. If the library buffers
// small writes, the error comes when the dataset or the file is closed.
func TestAWriteOfADriverThatFailsIsAnError(t *testing.T) {
	if driver := option.Driver(os.Getenv(failing)); driver != "" {
		lockThread(t)
		for _, transfer := range []uint64{512, 256 << 10} {
			failToWrite(t, driver, pattern.ParallelPattern{
				BytesPerProcess: 4 * transfer, BlockSize: transfer,
				TransferSize: transfer,
			})
		}
		must(t, h5.Close())
		return
	}
	self, err := os.Executable()
	must(t, err)
	for _, driver := range drivers(t) {
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), failing+"="+string(driver))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", driver, err, out)
		}
	}
}

func failToWrite(t *testing.T, driver option.Driver, p pattern.ParallelPattern) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	prepare(t, mpi.Self{}, p, using(driver), func(e *prepared) {
		file, err := e.session.Open(filepath.Join(t.TempDir(), "data_1.h5"), workload.Write)
		must(t, err)
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 0, Max: math.MaxUint64}))
		err = errors.Join(e.transfer(file, 0), file.Close())
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64}))
		var typed *engine.CallError
		if !errors.As(err, &typed) || !strings.Contains(strings.ToLower(typed.Error()), "file too large") {
			t.Errorf("transfers of %d bytes: %v, want the system's text", p.TransferSize, err)
		}
		writer := string(driver)
		if len(layouts[driver].files) > 1 {
			writer = "sec2"
		}
		if large := p.TransferSize > 1<<16; large && !strings.Contains(err.Error(), "_"+writer+"_") {
			t.Errorf("%v, want one of a function of %s", err, writer)
		}
	})
}
