//go:build cgo

package hdf5_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// settings returns the settings of a file driver, with the defaults of the C tool h5perf_serial.
func settings(driver option.Driver) option.HDF5 {
	s, _, err := option.HDF5{Driver: driver}.Complete(option.HDF5RunFacts{Serial: true})
	if err != nil {
		s.Driver = driver
	}
	return s
}

// drivers returns the file drivers that the library has.
func drivers(t *testing.T) []option.Driver {
	t.Helper()
	all := option.SerialDrivers()
	if !hasDirect(t) {
		all = slices.DeleteFunc(all, func(d option.Driver) bool { return d == option.DriverDirect })
	}
	return all
}

func hasDirect(t *testing.T) bool {
	t.Helper()
	fapl, err := h5.NewAccessList()
	must(t, err)
	defer func() { must(t, fapl.Close()) }()
	err = h5.SetDirect(fapl, 1024, 4096, 8*4096)
	if !errors.Is(err, h5.ErrNotInLibrary) {
		must(t, err)
	}
	return err == nil
}

// lock locks a test to one thread, as HDF5 requires.
func lockThread(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// using returns a function that changes a spec to one process with a file driver.
func using(driver option.Driver, change ...func(*enginetest.Spec)) func(*enginetest.Spec) {
	return func(s *enginetest.Spec) {
		s.HDF5 = settings(driver)
		for _, c := range change {
			c(s)
		}
	}
}

// listed returns the options of the suite for listed moves.
func listed(variants []enginetest.Variant) enginetest.Options {
	return enginetest.Options{Variants: variants, Single: h5.CheckMulti() != nil}
}

// inChunks returns a function that stores a family of datasets in chunks.
func inChunks(extent ...uint64) func(*workload.Object) {
	return func(o *workload.Object) { o.Chunk = extent }
}

// Listed moves work with all file drivers. Where the chunks end at the end of the dataset, the last byte of the file
// belongs to the dataset.
func TestListedMovesOfFileDrivers(t *testing.T) {
	lockThread(t)
	var variants []enginetest.Variant
	for _, driver := range drivers(t) {
		for name, dataset := range map[string]func(*workload.Object){"": nil, ", chunks": inChunks(6, 5)} {
			variants = append(variants, enginetest.Variant{
				Name: string(driver) + name, Dataset: dataset,
				Set:   func(_ pattern.ParallelPattern, s *enginetest.Spec) bool { using(driver)(s); return true },
				Calls: func(enginetest.Spec) uint64 { return 1 },
			})
		}
	}
	enginetest.RunListed(t, mpi.Self{}, hdf5.New, listed(variants))
}

func TestConformanceOfFileDrivers(t *testing.T) {
	lockThread(t)
	extendible := func(s *enginetest.Spec) {
		s.Extendible = true
		for d := range s.Sequence.Dims {
			s.Chunk = append(s.Chunk, s.Sequence.BufferShape()[d]/2+1)
		}
	}
	var variants []enginetest.Variant
	for _, driver := range drivers(t) {
		for name, change := range map[string]func(*enginetest.Spec){
			string(driver):                  using(driver),
			string(driver) + ", extendible": using(driver, extendible),
		} {
			variants = append(variants, enginetest.Variant{
				Name:  name,
				Set:   func(_ pattern.ParallelPattern, s *enginetest.Spec) bool { change(s); return true },
				Calls: func(enginetest.Spec) uint64 { return 1 },
			})
		}
	}
	enginetest.Run(t, mpi.Self{}, hdf5.New, enginetest.Options{Variants: variants})
}
