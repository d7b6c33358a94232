//go:build cgo && !nompi

package main

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/result"
)

// callsOf returns the calls of a function in a sample.
func callsOf(s result.Sample, function string) result.FunctionCalls {
	i := slices.IndexFunc(s.Calls, func(f result.FunctionCalls) bool { return f.Function == function })
	if i < 0 {
		return result.FunctionCalls{}
	}
	return s.Calls[i]
}

// movedBytes returns the bytes that the calls to an API moved in the direction of a sample.
func movedBytes(s result.Sample, api string) (bytes uint64) {
	for _, f := range s.Calls {
		if f.API == api && string(f.Kind) == string(s.Operation) {
			bytes += f.Bytes
		}
	}
	return bytes
}

// measureCounted measures transfers of 16 and 8 KiB of a dataset with 64 KiB for each rank, and returns the samples by
// case.
func measureCounted(t *testing.T, ranks int, args ...string) map[string][]result.Sample {
	t.Helper()
	args = append(args, "-e", "64K", "-B", "8K", "-x", "8K", "-X", "16K", "-i", "2", "-p", fmt.Sprint(ranks),
		"--count-calls")
	l := launch(t, ranks, t.TempDir(), nil, nil, args...)
	if status := l.wait(3 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	all := map[string][]result.Sample{}
	for _, c := range l.document().Cases {
		all[fmt.Sprintf("%s %d", c.API, c.TransferSize)] = c.Samples
	}
	if text := l.stdout.String(); !strings.Contains(text, "calls counted") {
		t.Error("the report does not say that calls were counted")
	}
	return all
}

// A transfer is one call of the API that is measured, and of POSIX one system call. HDF5 makes further calls for its
// metadata: their number depends on its version, and not on the transfer size.
func TestCallsAreCounted(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 2} {
		for mode, suffix := range map[string]string{"": "_at", "-C": "_at_all"} {
			for _, layout := range []string{"", "-c --chunk-size 64K"} {
				args := strings.Fields(mode + " " + layout)
				t.Run(fmt.Sprint(ranks, args), func(t *testing.T) {
					t.Parallel()
					samples := measureCounted(t, ranks, args...)
					for i, s := range samples["posix 8192"] {
						checkCalls(t, s, map[string]uint64{
							"p" + string(s.Operation): uint64(8 * ranks), "open": uint64(ranks), "close": uint64(ranks),
						})
						checkBytes(t, s, uint64(ranks)*64<<10, result.POSIX)
						if got := s.Calls; len(got) != 3 || got[2].Bytes != uint64(ranks)*64<<10 {
							t.Errorf("POSIX, %d: other calls or bytes: %+v", i, got)
						}
					}
					for _, s := range samples["mpiio 8192"] {
						checkCalls(t, s, map[string]uint64{
							"MPI_File_" + string(s.Operation) + suffix: uint64(8 * ranks),
							"MPI_File_open": uint64(ranks), "MPI_File_close": uint64(ranks),
						})
						checkBytes(t, s, uint64(ranks)*64<<10, result.MPIIO, result.POSIX)
					}
					for i, s := range samples["phdf5 8192"] {
						data, more := "MPI_File_"+string(s.Operation)+suffix, uint64(4*ranks)
						if s.Operation == result.OperationRead && mode == "" && layout != "" {
							more = 0 // the library reads whole chunks
						}
						checkCalls(t, s, map[string]uint64{
							data:            more + callsOf(samples["phdf5 16384"][i], data).Calls,
							"MPI_File_open": uint64(ranks), "MPI_File_close": uint64(ranks),
						})
						checkBytes(t, s, uint64(ranks)*64<<10, result.MPIIO, result.POSIX)
					}
				})
			}
		}
	}
}

// checkCalls fails unless functions were called this many times.
func checkCalls(t *testing.T, s result.Sample, want map[string]uint64) {
	t.Helper()
	for function, calls := range want {
		if got := callsOf(s, function).Calls; got != calls {
			t.Errorf("%s %d: %d calls of %s, want %d; all: %+v", s.Operation, s.Iteration, got, function, calls,
				s.Calls)
		}
	}
}

// checkBytes fails if calls to an API moved fewer bytes than the run asked for.
func checkBytes(t *testing.T, s result.Sample, want uint64, apis ...string) {
	t.Helper()
	for _, api := range apis {
		if got := movedBytes(s, api); got < want {
			t.Errorf("%s %d: %d bytes through %s, want %d; all: %+v", s.Operation, s.Iteration, got, api, want, s.Calls)
		}
	}
}

// Libraries that MPI loads later find only functions that the program exports.
func TestFunctionsWhoseCallsAreCountedAreExported(t *testing.T) {
	t.Parallel()
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	symbols, err := program.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(posix.CallCounter().Stop(), mpiio.CallCounter().Stop()) {
		if own := []string{"mkdirat", "linkat", "symlinkat", "fstatat", "renameat", "unlinkat"}; slices.Contains(own,
			f.Function) {
			continue // the engine counts its own calls
		}
		if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
			return s.Name == f.Function && s.Section != elf.SHN_UNDEF
		}) {
			t.Errorf("%s is not exported", f.Function)
		}
	}
}

// Objects that are files of their own are accessed by calls for names in their directory, and for their descriptors.
func TestCallsForObjectsThatAreFilesAreCounted(t *testing.T) {
	t.Parallel()
	const objects = 100
	l := launch(t, 1, t.TempDir(), nil, nil, "run", "metadata", "-A", "posix", "--set", "kind=compact", "--set",
		fmt.Sprint("objects=", objects), "-i", "1", "--count-calls")
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	for _, s := range l.document().Cases[0].Samples {
		want := map[string]uint64{"pwrite": 2 * objects, "renameat": objects, "unlinkat": objects}
		if s.Operation == result.OperationRead {
			want = map[string]uint64{"pread": objects, "fstatat": objects}
		}
		for function, n := range want {
			if got := callsOf(s, function).Calls; got != n {
				t.Errorf("%s: %d calls of %s, want %d", s.Operation, got, function, n)
			}
		}
	}
}
