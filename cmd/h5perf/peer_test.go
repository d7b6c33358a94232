//go:build cgo && !nompi

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/test/mpitest"
)

// peerRanks is the number of processes of the C program peer.
const peerRanks = 2

// peerScript describes the transfers of the C program peer.
const peerScript = "../../pkg/test/peer/peer.star"

// peerForms counts the forms that the C program peer does if it is asked for all. Each is in 2 layouts, in 2 modes, and
// done with 2 APIs.
const peerForms = 25

// An application that h5perf describes makes the same calls. So the transfers of a workload are those of a plain
// program in C: H5Dwrite and H5Dread with the same types, dataspaces and transfer lists, and the calls of MPI-IO that
// follow from them, with the same bytes of file and memory, in the same order.
func TestTransfersAreThoseOfAPlainProgram(t *testing.T) {
	t.Parallel()
	checkTransfersOfPeer(t, "all", peerForms)
}

// The same for a call that transfers several datasets.
func TestTransfersOfSeveralDatasetsAreThoseOfAPlainProgram(t *testing.T) {
	t.Parallel()
	if err := h5.CheckMulti(); err != nil {
		t.Skip(err)
	}
	checkTransfersOfPeer(t, "together", 1)
}

// checkTransfersOfPeer fails unless the workload that describes the C program peer does the same transfers in a form,
// or in all forms. The datasets have 48 rows: with rule map, a whole cell of 32 and the rest.
func checkTransfersOfPeer(t *testing.T, form string, forms int) {
	t.Helper()
	library, program := compilePeer(t, "trace.c", "-shared", "-fPIC", "-Wl,-z,lazy"), compilePeer(t, "peer.c")
	theirs, own := t.TempDir(), t.TempDir()
	for _, api := range []string{"hdf5", "mpiio"} {
		line := launcherOf(t, peerRanks, append(tracing(library, theirs), program, api, t.TempDir(), "48", "1", form,
			"all", "all")...)
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env = append(os.Environ(), mpitest.Environ(t)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, out)
		}
	}
	l := launch(t, peerRanks, t.TempDir(), nil, tracing(library, own), "run", peerScript, "-A", "phdf5,mpiio", "-i",
		"1", "--set", "edge=48", "--set", "form="+form)
	if status := l.wait(3 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	for rank := range peerRanks {
		want, got := tracedCalls(t, theirs, rank), tracedCalls(t, own, rank)
		if all := forms * 2 * 2 * 2; rank == 0 && len(want) != all {
			t.Errorf("the plain program used %d files, want %d", len(want), all)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("rank %d: (-plain program +h5perf)\n%s", rank, d)
		}
	}
}

// tracing returns the command before a program whose transfers are written to a directory.
func tracing(library, dir string) []string {
	return []string{"env", "LD_PRELOAD=" + library, "H5PERF_TRACE=" + dir}
}

// tracedCalls returns the calls of a rank for each file, in their order.
func tracedCalls(t *testing.T, dir string, rank int) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(rank)))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		file, call, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		calls[file] = append(calls[file], call)
	}
	return calls
}

// compilePeer compiles a source of the peer for the MPI and the HDF5 of this test, and returns the path of the result.
// It skips the test if there is no compiler.
func compilePeer(t *testing.T, source string, flags ...string) string {
	t.Helper()
	compiler, err := mpitest.Compiler(mpi.LibraryVersion())
	if err != nil {
		t.Skip(err)
	}
	flavour := "mpich"
	if isOpenMPI() {
		flavour = "openmpi"
	}
	output := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	words := append([]string{compiler, "-Wall", "-Wextra", "-Werror", "-o", output}, flags...)
	cmd := exec.Command("sh", "-c", `eval "$(.ci/cgo-env "$0")" && exec "$@" $CGO_CFLAGS pkg/test/peer/`+source+
		` $CGO_LDFLAGS -ldl`, flavour)
	cmd.Args = append(cmd.Args, words...)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return output
}
