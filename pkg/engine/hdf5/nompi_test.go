//go:build cgo && nompi

package hdf5_test

import (
	"errors"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
)

func TestPrepareRefusesWithoutMPI(t *testing.T) {
	p := pattern.ParallelPattern{Processes: 1, BytesPerProcess: 64, BlockSize: 64, TransferSize: 64}
	spec, err := enginetest.NewSpec(mpi.Self{}, p.Sequence(0), p.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec.HDF5.Driver = range option.ParallelDrivers() {
		_, err := enginetest.Prepare(hdf5.New(), spec)
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "built without MPI") {
			t.Errorf("%s: %v", spec.HDF5.Driver, err)
		}
	}
	if err := engine.UnmapMemory(spec.Buffer.Pool); err != nil {
		t.Error(err)
	}
}
