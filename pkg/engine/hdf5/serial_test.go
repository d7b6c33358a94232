//go:build cgo

package hdf5_test

import (
	"errors"
	"runtime"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// settings are those of the C tool.
var settings = engine.DriverSettings{
	CoreIncrement: 1 << 20, CoreBackingStore: true, FamilyMember: 1 << 20,
	DirectAlignment: 1024, DirectBlock: 4096, DirectBuffer: 8 * 4096, MultiMap: "default",
}

// drivers are the file drivers that the library has.
func drivers(t *testing.T) []string {
	t.Helper()
	all := []string{"sec2", "stdio", "core", "split", "multi", "family"}
	if hasDirect(t) {
		all = append(all, "direct")
	}
	return all
}

func hasDirect(t *testing.T) bool {
	t.Helper()
	fapl, err := h5.NewAccessList()
	must(t, err)
	defer func() { must(t, fapl.Close()) }()
	err = h5.SetDirect(fapl, settings.DirectAlignment, settings.DirectBlock, settings.DirectBuffer)
	if !errors.Is(err, h5.ErrNotInLibrary) {
		must(t, err)
	}
	return err == nil
}

// lock keeps a test on one thread, as HDF5 wants it.
func lock(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// using changes a spec to one process with a file driver.
func using(driver string, change ...func(*engine.Spec)) func(*engine.Spec) {
	return func(s *engine.Spec) {
		s.Driver, s.DriverSettings = driver, settings
		for _, c := range change {
			c(s)
		}
	}
}

func TestConformanceOfFileDrivers(t *testing.T) {
	lock(t)
	extendible := func(s *engine.Spec) {
		s.Extendible = true
		for d := range s.Sequence.Dims {
			s.Chunk = append(s.Chunk, s.Sequence.Buffer()[d]/2+1)
		}
	}
	var variants []enginetest.Variant
	for _, driver := range drivers(t) {
		for name, change := range map[string]func(*engine.Spec){
			driver:                  using(driver),
			driver + ", extendible": using(driver, extendible),
		} {
			variants = append(variants, enginetest.Variant{
				Name:  name,
				Set:   func(_ pattern.Parallel, s *engine.Spec) bool { change(s); return true },
				Calls: func(engine.Spec) uint64 { return 1 },
			})
		}
	}
	enginetest.Run(t, mpi.Self{}, hdf5.New, enginetest.Options{Variants: variants})
}
