//go:build cgo && !nompi

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// subfiling holds the arguments of a run of the driver with two I/O concentrators.
var subfiling = []string{
	"--driver", "subfiling", "-A", "phdf5", "-p", "2", "-e", "1M", "-B", "64K", "-x", "256K", "-X", "256K", "-i", "2",
	"-D", "v",
	"--subfiling-stripe", "100K", "--subfiling-per-node", "2",
}

func TestSubfilingIsMeasuredWhereTheLibraryHasIt(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, more := range [][]string{
		{"--sync", "each", "--align", "64K"}, {"-I", "-c", "-d", "2", "-F", "2", "--shift", "1", "--sync", "close"},
	} {
		l := launch(t, 2, base, nil, nil, append(more, subfiling...)...)
		status := l.wait(startTime)
		if errors.Is(h5.CheckSubfiling(), h5.ErrNotInLibrary) {
			if text := l.stderr.String(); status != 2 ||
				!strings.Contains(text, "the file driver subfiling: not available in this library") ||
				!strings.Contains(text, "--enable-subfiling-vfd") {
				t.Errorf("exit status %d: %s", status, text)
			}
			l.cleaned()
			continue
		}
		if status != 0 {
			t.Fatalf("%v: exit status %d", more, status)
		}
		doc := l.document()
		c := doc.Cases[0]
		if c.State != result.Complete || !c.Verified || c.Effective.Driver != "subfiling" ||
			doc.Software.ThreadLevel != "multiple" {
			t.Errorf("%v: case %+v, thread level %s", more, c, doc.Software.ThreadLevel)
		}
		want := &option.DriverSettings{SubfilingSettings: option.SubfilingSettings{
			SubfilingStripeBytes: new(uint64(100 << 10)), SubfilingPerNode: new(2), SubfilingThreads: new(4),
		}}
		if d := cmp.Diff(want, doc.Parameters.DriverSettings); d != "" {
			t.Error(d)
		}
		var subfiles []string
		for _, f := range c.Effective.Files {
			if strings.Contains(f.Name, "_of_2") && f.Bytes >= c.DatasetBytes/2-100<<10 {
				subfiles = append(subfiles, f.Name)
			}
		}
		if len(subfiles) != 2 || len(c.Effective.Files) != 4 {
			t.Errorf("%v: files %v, want a stub, two subfiles and their list", more, c.Effective.Files)
		}
		l.cleaned()
	}
}

func TestSubfilesThatWereKeptAreReadByAnotherRun(t *testing.T) {
	t.Parallel()
	if h5.CheckSubfiling() != nil {
		return // the test above checks the refusal
	}
	base := t.TempDir()
	wrote := launch(t, 2, base, nil, nil, append(slices.Clone(subfiling), "--keep")...)
	if status := wrote.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	stubs, err := filepath.Glob(filepath.Join(base, "h5perf-*", "data_*_1.h5"))
	if err != nil || len(stubs) != 1 {
		t.Fatalf("stubs %v: %v", stubs, err)
	}
	read := launch(t, 2, t.TempDir(), nil, nil, append(slices.Clone(subfiling), "--read-only", stubs[0])...)
	if status := read.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if c := read.document().Cases[0]; !c.Verified || len(c.Effective.Files) != 4 {
		t.Errorf("case %+v", c)
	}
	if left, err := os.ReadDir(filepath.Dir(stubs[0])); err != nil || len(left) < 4 {
		t.Errorf("%v are left of what was kept: %v", left, err)
	}
}

func TestVariablesThatOverrideSubfilingAreRefused(t *testing.T) {
	t.Parallel()
	if h5.CheckSubfiling() != nil {
		return // this check comes first
	}
	const name = "H5FD_SUBFILING_STRIPE_SIZE"
	l := launch(t, 1, t.TempDir(), []string{name + "=1"}, nil, "--driver", "subfiling")
	if status := l.wait(startTime); status != 2 || !strings.Contains(l.stderr.String(), name+"=1 would override") {
		t.Errorf("%s: exit status %d", name, status)
	}
	l.cleaned()
}

// What a run sets for HDF5 in its own environment is no reason to refuse the next stage of a search.
func TestTuneMeasuresSubfilingInEachStage(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "tune", "--json", filepath.Join(t.TempDir(), "t.json"), "--try",
		"driver=subfiling", "--runs", "12", "--", "-A", "phdf5", "-p", "2", "-e", "1M", "-w")
	status := l.wait(5 * startTime)
	if errors.Is(h5.CheckSubfiling(), h5.ErrNotInLibrary) {
		if status != result.ExitUsage {
			t.Errorf("exit status %d, but nothing can be tried", status)
		}
	} else if status != 0 || strings.Contains(l.stdout.String(), "not tried: driver=subfiling") {
		t.Errorf("exit status %d, or driver=subfiling is not tried", status)
	}
	l.cleaned()
}

func TestTheDocumentTellsTheThreadLevel(t *testing.T) {
	t.Parallel()
	l := launch(t, 1, t.TempDir(), nil, nil, "-A", "posix", "-e", "64K")
	if status := l.wait(startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	if level := l.document().Software.ThreadLevel; level != "single" { // both MPI libraries provide the requested level
		t.Errorf("thread level %q, asked was single", level)
	}
}
