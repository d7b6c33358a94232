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

func TestARunIsRepeatedFromItsDocument(t *testing.T) {
	t.Parallel()
	first := launchSerial(t, t.TempDir(), "-e", "64K,64", "-x", "4K,16", "-r", "2,1", "-A", "hdf5", "-i", "2", "-v",
		"family")
	if status := first.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	old := first.document()
	old.Machine.Kernel, old.Software.HDF5 = "2.6.32", "1.8.4"
	if err := result.Write(first.json, old); err != nil {
		t.Fatal(err)
	}
	base, document := t.TempDir(), filepath.Join(t.TempDir(), "again.json")
	l := start(t, nil, base, []string{"HDF5_PREFIX=" + base}, []string{
		"rerun", first.json, "--", "--json", document, "-A", "posix,hdf5",
	})
	l.json = document
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc := l.document()
	if doc.RerunOf != old.RunID || doc.RunID == old.RunID || len(doc.Cases) != 2 || doc.Cases[1].API != "hdf5" ||
		doc.Parameters.Driver != "family" || len(doc.Cases[1].Samples) != 4 {
		t.Errorf("rerun of %s: %+v", doc.RerunOf, doc.Parameters)
	}
	for _, want := range []string{
		"This run repeats run " + old.RunID,
		"It differs from that run: machine.kernel was 2.6.32, now " + doc.Machine.Kernel,
		"It differs from that run: software.hdf5_version was 1.8.4, now " + doc.Software.HDF5,
		"It differs from that run: target.directory was " + first.base + ", now " + base,
		"It differs from that run: parameters.apis was hdf5, now posix, hdf5",
	} {
		if !slices.ContainsFunc(doc.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q in %q", want, doc.Notes)
		}
		if n := strings.Count(plaintest.Unwrap(l.stderr.String()), want); n != 1 {
			t.Errorf("%q is told %d times", want, n)
		}
	}
	l.cleaned()
}

func TestARerunOfWhatIsNoDocumentMakesNoFile(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	l := start(t, nil, base, []string{"HDF5_PREFIX=" + base}, []string{
		"rerun", "rerun_test.go", "--", "--json", filepath.Join(t.TempDir(), "run.json"),
	})
	if status := l.wait(startTime); status != result.ExitUsage ||
		!strings.Contains(l.stderr.String(), "rerun_test.go: is not a JSON object") {
		t.Errorf("exit status %d, want %d and the reason", status, result.ExitUsage)
	}
	l.cleaned()
}
