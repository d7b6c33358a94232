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

// useROMIO asks for it in the environment. It skips the test where there is nothing to ask for: then every other test
// is one of ROMIO.
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

// testROMIO checks that what is asked for in the environment is in use, and works.
func testROMIO(t *testing.T, world mpi.Comm) {
	for _, l := range layouts(2) {
		for _, spec := range modes(l.spec(t, world)) {
			if err := l.check(world, spec, filepath.Join(mpitest.Dir(t, world), "file")); err != nil {
				t.Errorf("%s, collective %v, view %v: %v", l.name, spec.Collective, spec.MPIIO.View, err)
			}
		}
	}
	if c := Component(); !strings.HasPrefix(c, "ROMIO") {
		t.Errorf("component %q", c)
	}
}
