//go:build !cgo

package main

import (
	"bytes"
	"strings"
	"testing"

	"h5perf/pkg/exit"
)

func TestAProgramWithoutToolsSaysSo(t *testing.T) {
	for _, args := range [][]string{{"h5perf"}, {"h5perf", "-A", "posix"}, {"h5perf", "serial"}, {"h5perf_serial"}} {
		var stdout, stderr bytes.Buffer
		if status := execute(args, &stdout, &stderr); status != exit.Usage || stdout.Len() > 0 ||
			!strings.Contains(stderr.String(), "built without MPI and HDF5") {
			t.Errorf("%v: exit status %d, want %d and the reason, got %q", args, status, exit.Usage, stderr.String())
		}
	}
}

func TestAProgramWithoutToolsReadsResults(t *testing.T) {
	for _, args := range [][]string{
		{"h5perf", "report", "../../pkg/result/testdata/v1/parallel.json"},
		{"h5perf", "plan", "-P", "4"},
		{"h5perf", "--help"},
	} {
		var stdout, stderr bytes.Buffer
		if status := execute(args, &stdout, &stderr); status != 0 || stdout.Len() == 0 {
			t.Errorf("%v: exit status %d, %q", args, status, stderr.String())
		}
	}
}

func TestAProgramWithoutToolsExaminesTheFileSystem(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := execute([]string{"h5perf", "doctor", t.TempDir()}, &stdout, &stderr); status != 0 ||
		!strings.Contains(stdout.String(), "locks") || !strings.Contains(stdout.String(), "built without HDF5") {
		t.Errorf("exit status %d, %s%s", status, stdout.String(), stderr.String())
	}
}
