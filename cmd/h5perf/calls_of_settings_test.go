//go:build cgo && !nompi

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/option"
)

// The calls of settings that users are told compile, and run in h5py, if they are installed.
func TestCallsOfSettingsAreAccepted(t *testing.T) {
	t.Parallel()
	library := hdf5Library()
	var c, python bytes.Buffer
	c.WriteString("#include <hdf5.h>\nint main(void)\n{\n    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), " +
		"fcpl = H5Pcreate(H5P_FILE_CREATE), dcpl = H5Pcreate(H5P_DATASET_CREATE), " +
		"gcpl = H5Pcreate(H5P_GROUP_CREATE), dxpl = H5Pcreate(H5P_DATASET_XFER);\n" +
		"    (void)fapl, (void)fcpl, (void)dcpl, (void)gcpl, (void)dxpl;\n")
	python.WriteString("import h5py\nname, n = b'x.h5', 0\n")
	for _, r := range option.AllHDF5Settings() {
		values := r.ValidWords()
		if values == nil {
			values = r.VariedValues(false)
		}
		for _, value := range values {
			var s option.HDF5
			if err := r.SetValue(&s, value); err != nil {
				t.Fatal(err)
			}
			if library.CheckSetting(r, value) != nil {
				continue
			}
			statements, lines, _ := s.Calls([]string{r.Name})
			fmt.Fprintf(&c, "    {\n        %s\n    }\n", strings.Join(statements, "\n"))
			for _, line := range lines {
				// The dots of h5py.File and of create_dataset stand for their other arguments.
				line = strings.ReplaceAll(line, "h5py.File(...", "file = h5py.File('x.h5', 'w'")
				line = strings.ReplaceAll(line, "; h5py.File(", "; file = h5py.File(")
				if before, of, is := strings.Cut(line, "group.create_dataset(..."); is {
					line = before + "file = h5py.File('x.h5', 'w'); file.create_dataset('d', (4,), 'i4'" + of
				}
				fmt.Fprintf(&python, "%s; file.close(); n += 1\n", line)
			}
		}
	}
	c.WriteString("    return 0;\n}\n")
	python.WriteString("print(n)\n")
	dir := t.TempDir()
	run := func(words ...string) string {
		command := exec.Command(words[0], words[1:]...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", words[0], err, out)
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(dir, "calls.c"), c.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run(append(append([]string{"cc"}, strings.Fields(os.Getenv("CGO_CFLAGS"))...), "-Wall", "-Werror", "-Wno-unused",
		"-fsyntax-only", "calls.c")...)
	if err := os.WriteFile(filepath.Join(dir, "calls.py"), python.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	const interpreter = "/usr/bin/python3" // h5py is a package of the system
	out := run(interpreter, "calls.py")
	if n, err := strconv.Atoi(strings.TrimSpace(out)); err != nil || n < 10 {
		t.Errorf("h5py ran %s calls: %v", out, err)
	}
}
