//go:build !cgo

package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/output"
	"h5perf/pkg/result"
)

// told calls execute with buffers.
func told(args []string, stdout, stderr *bytes.Buffer) int {
	return execute(args, output.New("standard output", stdout), output.New("standard error", stderr))
}

func TestWhatCannotBeWrittenIsAFailure(t *testing.T) {
	full := writer(func([]byte) (int, error) { return 0, syscall.ENOSPC })
	for _, args := range [][]string{
		{"h5perf", "--help"},
		{"h5perf", "--version"},
		{"h5perf", "plan", "-P", "4"},
		{"h5perf", "report", "--help"},
		{"h5perf", "ab", "--help"},
		{"h5perf", "rerun", "--help"},
		{"h5perf", "doctor", "--help"},
		{"h5perf", "report", "../../results/examples/parallel.json"},
		{"h5perf", "doctor", t.TempDir()},
		{"h5perf", "clean", t.TempDir()},
	} {
		var stderr bytes.Buffer
		status := execute(args, output.New("standard output", full), output.New("standard error", &stderr))
		if said := stderr.String(); status != result.ExitFailed || strings.Contains(said, "See '") ||
			strings.Count(said, "standard output: no space left on device") != 1 {
			t.Errorf("%v: exit status %d, %q", args, status, said)
		}
	}
}

// writer is a function that implements io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestAProgramWithoutToolsSaysSo(t *testing.T) {
	for _, args := range [][]string{{"h5perf"}, {"h5perf", "-A", "posix"}, {"h5perf", "serial"}, {"h5perf_serial"}} {
		var stdout, stderr bytes.Buffer
		if status := told(args, &stdout, &stderr); status != result.ExitUsage || stdout.Len() > 0 ||
			!strings.Contains(stderr.String(), "built without MPI and HDF5") {
			t.Errorf(
				"%v: exit status %d, want %d and the reason, got %q",
				args,
				status,
				result.ExitUsage,
				stderr.String(),
			)
		}
	}
}

func TestAProgramWithoutToolsReadsResults(t *testing.T) {
	for _, args := range [][]string{
		{"h5perf", "report", "../../results/examples/parallel.json"},
		{"h5perf", "plan", "-P", "4"},
		{"h5perf", "--help"},
	} {
		var stdout, stderr bytes.Buffer
		if status := told(args, &stdout, &stderr); status != 0 || stdout.Len() == 0 {
			t.Errorf("%v: exit status %d, %q", args, status, stderr.String())
		}
	}
}

func TestAProgramWithoutToolsExaminesTheFileSystem(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := told([]string{"h5perf", "doctor", t.TempDir()}, &stdout, &stderr); status != 0 ||
		!strings.Contains(stdout.String(), "locks") || !strings.Contains(stdout.String(), "built without HDF5") {
		t.Errorf("exit status %d, %s%s", status, stdout.String(), stderr.String())
	}
}
