package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

// A directory of objects is emptied and removed with all that is in it. What its links lead to stays.
func TestDirectoriesOfObjectsAreRemovedWithWhatIsInThem(t *testing.T) {
	base := t.TempDir()
	d, err := create(base, false, "id")
	if err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(base, "trap")
	if err := os.Mkdir(trap, 0o700); err != nil {
		t.Fatal(err)
	}
	touch(t, filepath.Join(trap, "precious"))
	name := filepath.Base(d.DataPath("objects", "posix")) + workload.ObjectsSuffix
	fill := func() {
		in := filepath.Join(d.Path, name)
		for i := range 3000 { // more than one reading of the directory
			touch(t, filepath.Join(in, fmt.Sprint("d", i)))
		}
		for _, g := range []string{"g", "g/h"} {
			if err := os.Mkdir(filepath.Join(in, g), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		touch(t, filepath.Join(in, "g/h/x"))
		if err := os.Symlink(trap, filepath.Join(in, "g/link")); err != nil {
			t.Fatal(err)
		}
	}
	for _, do := range []func(string) error{d.CreateOrEmpty, d.CreateOrEmpty} {
		if err := do(name); err != nil {
			t.Fatal(err)
		}
		if left := names(t, filepath.Join(d.Path, name)); len(left) != 1 {
			t.Errorf("%d names in an empty directory", len(left)-1)
		}
		fill()
	}
	if err := d.Create(strings.Replace(name, "objects_", "other_", 1)); err != nil {
		t.Error(err)
	}
	if err := d.Clean(false); err != nil {
		t.Error(err)
	}
	if left := names(t, base); !slices.Contains(left, "precious") || slices.Contains(left, name) {
		t.Errorf("left: %v", left)
	}
}
