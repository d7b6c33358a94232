//go:build cgo && !nompi

package mpiio

import (
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/test/mpitest"
)

// useROMIO sets the environment variable that selects ROMIO. It skips the test if ROMIO is the only implementation,
// because then all other tests use ROMIO, too.
func useROMIO(t *testing.T) {
	t.Helper()
	key, value, err := ComponentVariable(option.ROMIO, mpi.LibraryVersion())
	if err != nil {
		t.Fatal(err)
	}
	if key == "" {
		t.Skip("nothing but ROMIO is there")
	}
	t.Setenv(key, value)
}

// testROMIO checks that ROMIO is in use and works, after useROMIO.
func testROMIO(t *testing.T, world mpi.Comm) {
	for _, l := range layouts(2) {
		for _, spec := range modes(l.spec(t, world)) {
			if err := l.check(world, spec, filepath.Join(mpitest.Dir(t, world), "file")); err != nil {
				t.Errorf("%s, collective %v, view %v: %v", l.name, spec.Collective, spec.MPIIO.View, err)
			}
		}
	}
	if c := ImplementationName(); !strings.HasPrefix(c, "ROMIO") {
		t.Errorf("component %q", c)
	}
}
