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
	DirectAlignment: 1024, DirectBlock: 4096, DirectBuffer: 32768, MultiMap: "default",
}

// drivers are the file drivers of the library.
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
	err = h5.SetDirect(fapl, 1024, 4096, 32768)
	if err != nil && !errors.Is(err, h5.ErrNotInLibrary) {
		t.Fatal(err)
	}
	return err == nil
}

// lock keeps the test on one thread, as HDF5 wants it.
func lock(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

func serial(driver string, change func(*engine.Spec)) func(*engine.Spec) {
	return func(s *engine.Spec) {
		s.Driver, s.DriverSettings = driver, settings
		if change != nil {
			change(s)
		}
	}
}

func TestConformanceOfFileDrivers(t *testing.T) {
	lock(t)
	var variants []enginetest.Variant
	for _, driver := range drivers(t) {
		for _, extendible := range []bool{false, true} {
			variants = append(variants, enginetest.Variant{
				Name: driver,
				Set: func(p pattern.Parallel, s *engine.Spec) bool {
					serial(driver, nil)(s)
					s.Extendible = extendible
					for range s.Sequence.Dims {
						if extendible {
							s.Chunk = append(s.Chunk, p.Block+p.Block/2+1)
						}
					}
					return true
				},
				Calls: func(engine.Spec) uint64 { return 1 },
			})
		}
	}
	enginetest.Run(t, mpi.Self{}, hdf5.New, enginetest.Options{Variants: variants})
}
