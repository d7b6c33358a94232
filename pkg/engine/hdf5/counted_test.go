//go:build cgo

package hdf5_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// countedDrivers are drivers of every HDF5 library whose calls are counted.
var countedDrivers = []option.Driver{option.DriverSec2, option.DriverCore, option.DriverSplit, option.DriverFamily}

// The counts of calls by the HDF5 library are those of the system calls for files in the directory. Files elsewhere do
// not count, and neither do calls before the start and after the stop.
func TestCountsAreThoseOfSystemCalls(t *testing.T) {
	lockThread(t)
	file := func(dir, sub string) string { return filepath.Join(dir, sub, "data_1.h5") }
	if dir := enginetest.Traced(); dir != "" {
		counted := map[option.Driver][]engine.FunctionCalls{}
		for _, driver := range countedDrivers {
			prepare(t, mpi.Self{}, large, using(driver), func(e *prepared) {
				both := func(sub string) {
					e.write(file(dir, sub), content(0))
					e.inFile(file(dir, sub), workload.Read, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
				}
				both("before")
				counter := posix.CallCounter()
				counter.Start(filepath.Join(dir, string(driver)))
				both(string(driver))
				both("elsewhere")
				counted[driver] = counter.Stop()
				both("after")
			})
		}
		text, err := json.Marshal(counted)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "counts"), text, 0o600))
		return
	}
	dir := t.TempDir()
	for _, sub := range []string{"before", "elsewhere", "after"} {
		must(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	for _, driver := range countedDrivers {
		must(t, os.Mkdir(filepath.Join(dir, string(driver)), 0o700))
	}
	trace := enginetest.Trace(t, dir, "desc")
	text, err := os.ReadFile(filepath.Join(dir, "counts"))
	must(t, err)
	var counted map[option.Driver][]engine.FunctionCalls
	must(t, json.Unmarshal(text, &counted))
	for _, driver := range countedDrivers {
		want, got := systemCalls(t, trace, filepath.Join(dir, string(driver))), map[string]calls{}
		for _, f := range counted[driver] {
			if f.Calls > 0 {
				got[f.Function] = calls{f.Calls, f.Bytes}
			}
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(calls{})); d != "" {
			t.Errorf("%s: (-system calls +counted)\n%s", driver, d)
		}
		if want["pwrite"].bytes < large.BytesPerProcess || want["pread"].bytes < large.BytesPerProcess {
			t.Errorf("%s: the library made these calls: %v", driver, want)
		}
	}
}

// calls holds a number of calls of a function, and the bytes that they moved.
type calls struct{ calls, bytes uint64 }

// functionNames maps system calls to the functions of the C library that make them.
var functionNames = map[string]string{
	"openat": "open", "newfstatat": "fstat", "pwrite64": "pwrite", "pread64": "pread",
}

// systemCalls returns the successful calls for files in a directory, as found in a trace.
func systemCalls(t *testing.T, trace, dir string) map[string]calls {
	t.Helper()
	all := map[string]calls{}
	prefix := regexp.QuoteMeta(dir + "/")
	line := regexp.MustCompile(`(?m)^(\w+)\((?:\d+<` + prefix + `.*\) += (\d+)|.*\) += (\d+)<` + prefix + `)`)
	for _, m := range line.FindAllStringSubmatch(trace, -1) {
		name, known := functionNames[m[1]]
		if !known {
			name = m[1]
		}
		c := all[name]
		c.calls++
		if name == "pwrite" || name == "pread" || name == "read" || name == "write" {
			n, err := strconv.ParseUint(m[2], 10, 64)
			must(t, err)
			c.bytes += n
		}
		all[name] = c
	}
	return all
}
