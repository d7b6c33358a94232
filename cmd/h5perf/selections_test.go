//go:build cgo && !nompi

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/h5"
	"h5perf/pkg/result"
)

// wantTransfers returns how HDF5 executes collective transfers of the profile selections, whatever is selected.
func wantTransfers(storage, memory string, operation result.Operation) string {
	newer, converts := h5.VersionAtLeast(1, 14, 0), memory == "converted"
	if storage == "filtered" && operation == result.OperationWrite {
		converts = false // see leaves_out of the profile
	}
	reads := operation == result.OperationRead
	switch {
	case (storage == "compact" || storage == "external") && converts:
		return "independent: type conversion, neither contiguous nor chunked"
	case storage == "compact", storage == "external":
		return "independent: neither contiguous nor chunked"
	case converts && !newer:
		return "independent: type conversion"
	case storage == "contiguous":
		return "collective"
	case converts && reads:
		return "independent: type conversion, no selection I/O"
	case storage == "filtered" && reads && !newer:
		return "collective, chunk by chunk"
	}
	return "collective, linked chunks"
}

// Whatever ranks select, the transfers of HDF5 are collective, unless it converts types, or the storage is compact or
// external.
func TestTheProfileSelectionsTellsWhichTransfersAreCollective(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, nil, "run", "selections", "--size", "tiny", "-A", "phdf5", "--sweep", "storage",
		"--sweep", "selection", "--sweep", "memory", "-i", "1", "-D", "v", "--timeout", "60s")
	if status := l.wait(4 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	run := figures.Run{Document: l.document()}
	n := 0
	for _, p := range run.Points() {
		of := map[string]string{}
		for _, kv := range p.Case.Values {
			of[kv.Key] = kv.Value
		}
		n++
		want := wantTransfers(of["storage"], of["memory"], p.Operation)
		if got := p.TransfersText(); got != want || !p.Case.Verified {
			t.Errorf("%v, %s: %q, verified %v, want %q", p.Case.Values, p.Operation, got, p.Case.Verified, want)
		}
	}
	if n != 2*6*8*2 {
		t.Errorf("%d points", n)
	}
	for _, s := range run.StatementSentences() {
		if strings.Contains(s, "not measured") {
			t.Error(s)
		}
	}
}

// All ways to select read back what was written, and POSIX and MPI-IO are there to compare with.
func TestTheSweepOfSelectionsIsVerified(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"-I", "-I -C", "-I -C -c", "-g -I -C"} {
		args := append(strings.Fields(how), "-p", "2", "-e", "1K", "-B", "64", "-x", "128", "-X", "256", "-i", "1",
			"-D", "v", "--sweep", "selection")
		l := launch(t, 2, t.TempDir(), nil, nil, args...)
		if status := l.wait(2 * startTime); status != 0 {
			t.Fatalf("%s: exit status %d", how, status)
		}
		doc, of := l.document(), map[string]int{}
		for _, c := range doc.Cases {
			of[c.API+" "+c.Values[0].Value]++
			if c.State != result.Complete || !c.Verified {
				t.Errorf("%s, %s, %v: %s, verified %v", how, c.API, c.Values, c.State, c.Verified)
			}
		}
		for _, api := range []string{result.POSIX, result.MPIIO, result.PHDF5} {
			for _, word := range []string{"hyperslab", "or", "points"} {
				if n := of[api+" "+word]; n != 2 {
					t.Errorf("%s: %d cases of %s with %s, want 2", how, n, api, word)
				}
			}
		}
	}
}

// External data are in a file beside the HDF5 file, where HDF5's own tools find what both ranks have written. It goes
// with the data files.
func TestExternalDataAreInAFileOfTheRun(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	path := filepath.Join(t.TempDir(), "external.star")
	text := `"""Two datasets in an external file."""

def write(job):
    job.dump()
    f = job.create("f")
    f.create_dataset(numbered("d%d", 2), "f8", (8, 8), external = True).write(block(), collective = True)
    f.flush()
    f.close()

def read(job):
    job.dump()
    f = job.open("f")
    f[numbered("d%d", 2)].read(block())
    f.close()
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, keep := range []string{"", "--keep"} {
		args := append([]string{"run", path, "-A", "phdf5", "-i", "2", "-D", "v", "--sync", "phase"},
			strings.Fields(keep)...)
		l := launch(t, 2, base, nil, nil, args...)
		if status := l.wait(startTime); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		c := l.document().Cases[0]
		files := c.Effective.Files
		if !c.Verified || len(files) != 2 || files[1].Name != files[0].Name+".external" || files[1].Bytes != 2*8*8*8 {
			t.Errorf("verified %v, files %v", c.Verified, files)
		}
		if keep == "" {
			l.cleaned()
		}
	}
	files, _ := filepath.Glob(filepath.Join(base, "*", "*_f.h5"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	out, err := exec.CommandContext(t.Context(), "h5dump", "-p", "-d", "/d1", files[0]).CombinedOutput()
	if s := strings.Join(strings.Fields(string(out)), " "); err != nil ||
		!strings.Contains(s, "FILENAME "+files[0]+".external SIZE 512 OFFSET 512") || strings.Contains(s, " 0, 0,") {
		t.Errorf("%v: %s", err, s)
	}
}
