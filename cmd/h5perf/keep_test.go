//go:build cgo

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

func TestARunTellsWhereItKeptItsFiles(t *testing.T) {
	t.Parallel()
	for _, apis := range []string{"posix", "posix,hdf5"} {
		base := t.TempDir()
		l := launchSerial(t, base, "-e", "1M", "-A", apis, "--keep")
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		doc := l.document()
		dir := filepath.Join(base, "h5perf-"+doc.RunID)
		_, id, _ := strings.Cut(doc.RunID, "-")
		names := map[string]string{"posix": "data_ID_1.posix", "posix,hdf5": "data_ID_1.h5, data_ID_1.posix"}[apis]
		names = strings.ReplaceAll(names, "ID", id)
		note := "Data files are kept in " + dir + ": " + names + "."
		if strings.Count(plaintest.Unwrap(l.stderr.String()), "h5perf: Note: "+note+"\n") != 1 ||
			!slices.Contains(doc.Notes, note) {
			t.Errorf("not told once: %q, notes %v", note, doc.Notes)
		}
	}
}

func TestWhatWasKeptIsReadByAnotherRun(t *testing.T) {
	t.Parallel()
	small := []string{"-e", "1M", "-x", "256K", "-A", "posix"}
	wrote := launchSerial(t, t.TempDir(), append(small, "--keep")...)
	if status := wrote.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	_, told, _ := strings.Cut(plaintest.Unwrap(wrote.stderr.String()), "Data files are kept in ")
	told, _, _ = strings.Cut(told, ".\n") // other messages may follow
	file := strings.Replace(told, ": ", "/", 1)
	read := launchSerial(t, t.TempDir(), append(small, "--read-only", file, "-D", "v")...)
	if status := read.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	first, second := wrote.document(), read.document()
	if second.State != result.Complete || first.Identity.Label == second.Identity.Label ||
		slices.ContainsFunc(second.Notes, func(n string) bool { return strings.Contains(n, "kept") }) {
		t.Errorf("%s, labels %s and %s, notes %v", second.State, first.Identity.Label, second.Identity.Label,
			second.Notes)
	}
	read.cleaned()
}

// Each iteration writes the files that are kept again, also those that HDF5 itself creates.
func TestFilesOfEachDriverAreKeptOverIterations(t *testing.T) {
	t.Parallel()
	for driver, files := range map[string]int{"sec2": 1, "split": 2, "family": 2} {
		base := t.TempDir()
		l := launchSerial(t, base, "-A", "hdf5", "-v", driver, "-e", "1M", "-i", "3", "-D", "v", "--keep")
		if status := l.wait(startTime); status != 0 {
			t.Errorf("%s: exit status %d", driver, status)
		}
		if kept, err := filepath.Glob(filepath.Join(base, "*", "*.h5")); err != nil || len(kept) != files {
			t.Errorf("%s: %v, %v are kept, want %d files", driver, err, kept, files)
		}
	}
}
