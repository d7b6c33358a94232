// Package containers_test runs the scripts that need no image. The tests in rig build the images.
package containers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestALockIsComparedAsStrictlyAsAsked(t *testing.T) {
	const is = "base digest sha256:1\nhdf5 hdf5 1.14.5\nmpi libopenmpi40 5.0.7\npmix libpmix2t64 5.0\n" +
		"package bash 5.2\n"
	for _, c := range []struct {
		name, line, locked string // the lock has this in place of the line
		strict             string
		said               string
		fails              bool
	}{
		{"equal", "", "", "1", "", false},
		{"another package", "package bash 5.2", "package bash 5.1", "", "warning: bash is 5.2, locked is 5.1", false},
		{
			"another package, strict", "package bash 5.2", "package bash 5.1", "1", "error: bash is 5.2, locked is 5.1",
			true,
		},
		{
			"another PMIx, strict", "pmix libpmix2t64 5.0", "pmix libpmix2t64 4.2", "1",
			"error: libpmix2t64 is 5.0, locked is 4.2", true,
		},
		{"a package less", "package bash 5.2\n", "", "", "warning: bash is 5.2, locked is none", false},
		{
			"a package more", "package bash 5.2", "package bash 5.2\npackage zz 1", "1",
			"error: zz is none, locked is 1", true,
		},
		{"another MPI", "libopenmpi40 5.0.7", "libopenmpi40 5.0.8", "", "error: libopenmpi40 is 5.0.7", true},
		{"another HDF5", "hdf5 1.14.5", "hdf5 1.14.4", "", "error: hdf5 is 1.14.5, locked is 1.14.4", true},
		{"another base", "digest sha256:1", "digest sha256:0", "", "warning: digest is sha256:1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			locked, found := filepath.Join(dir, "mine.lock"), filepath.Join(dir, "found")
			for name, text := range map[string]string{locked: strings.Replace(is, c.line, c.locked, 1), found: is} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			check := exec.Command("./lock", "check", locked, found)
			check.Env = append(os.Environ(), "STRICT_LOCK="+c.strict)
			out, err := check.CombinedOutput()
			said := string(out)
			if (err != nil) != c.fails || !strings.Contains(said, c.said) || c.said == "" && said != "" {
				t.Errorf("%v, and it says\n%s", err, said)
			}
			if c.fails != strings.Contains(said,
				"lock: the versions differ from "+locked+": update the lock with `make lock`") {
				t.Errorf("what to do is not in\n%s", said)
			}
		})
	}
}
