//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// apart is a job of 3 ranks. Each rank has its own working directory: 0, 1 or 2 in dir.
type apart struct {
	*launched
	dir string
}

const apartRanks = 3

// rerunApart repeats a run whose document only rank 0 can read.
func rerunApart(t *testing.T, document []byte, args ...string) apart {
	t.Helper()
	dir := t.TempDir()
	for rank := range apartRanks {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(rank)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if document != nil {
		if err := os.WriteFile(filepath.Join(dir, "0", "old.json"), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const enter = `cd "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && { "$@"; echo $? > status; exit $(cat status); }`
	// With this setting, Open MPI's launcher lets each rank end by itself, and returns 0.
	env := []string{"OMPI_MCA_orte_abort_on_non_zero_status=0", "HDF5_PREFIX=" + t.TempDir()}
	args = append([]string{"rerun", "old.json", "--"}, args...)
	a := apart{launch(t, apartRanks, t.TempDir(), env, []string{"sh", "-c", enter, dir}, args...), dir}
	a.loses = a.loses || isOpenMPI()
	return a
}

// ends waits for the end of the job, and checks the exit status of each rank.
func (a apart) ends(want int) {
	a.t.Helper()
	if got := a.wait(startTime); got != want && !a.loses {
		a.t.Errorf("exit status %d, want %d", got, want)
	}
	for rank := range apartRanks {
		text, err := os.ReadFile(filepath.Join(a.dir, fmt.Sprint(rank), "status"))
		killed := want != result.ExitOK && strings.HasPrefix(mpi.LibraryVersion(), "Open MPI v5")
		if got := strings.TrimSpace(string(text)); got != fmt.Sprint(want) && !killed {
			a.t.Errorf("rank %d: exit status %q, want %d: %v", rank, got, want, err)
		}
	}
}

const oldRun = "20260101T000000Z-0123456789"

// ran returns the document of a run with these options, as JSON.
func ran(t *testing.T, kind result.Kind, given ...result.GivenParameter) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.json")
	doc := result.Document{SchemaVersion: result.Version, RunID: oldRun, Kind: kind, GivenParameters: given}
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var smallRun = []result.GivenParameter{
	{Name: "api", Value: "mpiio"},
	{Name: "num-bytes", Value: "64K"},
	{Name: "block-size", Value: "16K"},
	{Name: "min-xfer-size", Value: "16K"},
	{Name: "max-xfer-size", Value: "16K"},
	{Name: "num-iterations", Value: "1"},
	{Name: "min-num-processes", Value: "3"},
}

func TestOnlyRank0ReadsTheDocumentOfARerun(t *testing.T) {
	t.Parallel()
	a := rerunApart(t, ran(t, result.KindParallel, smallRun...), "-D", "v")
	a.ends(result.ExitOK)
	doc := a.document()
	if doc.RerunOf != oldRun || len(doc.Cases) != 1 || doc.Cases[0].Processes != apartRanks ||
		!doc.Cases[0].Verified {
		t.Errorf("rerun of %s: %+v", doc.RerunOf, doc.Cases)
	}
	if n := strings.Count(a.stderr.String(), "repeats run "+doc.RerunOf); n != 1 {
		t.Errorf("it is told %d times", n)
	}
	a.cleaned()
}

func TestADocumentThatCannotBeRepeatedIsToldOnceByAJob(t *testing.T) {
	t.Parallel()
	for want, document := range map[string][]byte{
		"old.json: no such file":     nil,
		"unexpected end of JSON":     []byte("{"),
		"schema":                     []byte(`{"schema_version": 99}`),
		`not know the parameter "x"`: ran(t, result.KindParallel, result.GivenParameter{Name: "x"}),
		"-e, --num-bytes": ran(t, result.KindParallel,
			result.GivenParameter{Name: "num-bytes", Value: "1KB"}),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			a := rerunApart(t, document)
			a.ends(result.ExitUsage)
			if n := strings.Count(a.stderr.String(), "h5perf: "); n != 1 ||
				!strings.Contains(a.stderr.String(), want) {
				t.Errorf("told %d times, want once, with %q", n, want)
			}
			if _, err := os.Lstat(a.json); !os.IsNotExist(err) {
				t.Errorf("there is a document: %v", err)
			}
			a.cleaned()
		})
	}
}

// MPI must know some options before rank 0 can send the document to the other ranks.
func TestARerunNamesTheOptionsThatMPIMustKnowBeforeItStarts(t *testing.T) {
	t.Parallel()
	with := func(name, value string) []byte {
		return ran(t, result.KindParallel,
			append(slices.Clip(smallRun), result.GivenParameter{Name: name, Value: value})...)
	}
	component := with("io-component", "romio")
	for name, c := range map[string]struct {
		document []byte
		args     []string
		want     string // "" if the run is not refused
	}{
		"component":       {component, []string{"-q"}, "h5perf rerun old.json -- --io-component romio -q"},
		"component given": {component, []string{"--io-component", "romio"}, ""},
		"subfiling": {
			with("driver", "subfiling"), nil, "h5perf rerun old.json -- --driver subfiling",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := rerunApart(t, c.document, c.args...)
			if c.want == "" || !isOpenMPI() && name == "component" { // MPICH has only one component
				a.ends(result.ExitOK)
				if doc := a.document(); !strings.Contains(doc.Software.IOComponent, "ROMIO") {
					t.Errorf("component %q", doc.Software.IOComponent)
				}
			} else {
				a.ends(result.ExitUsage)
				program, _ := os.Executable()
				said := strings.ReplaceAll(a.stderr.String(), filepath.Base(program), "h5perf")
				if !strings.Contains(said, c.want) || strings.Count(said, "MPI needs this before") != 1 {
					t.Errorf("want once: %s", c.want)
				}
			}
			a.cleaned()
		})
	}
}

func TestEachProcessOfAJobRepeatsASerialRunForItself(t *testing.T) {
	t.Parallel()
	a := rerunApart(t, ran(t, result.KindSerial, result.GivenParameter{Name: "num-bytes", Value: "64K"},
		result.GivenParameter{Name: "min-xfer-size", Value: "16K"}), "--json", "new.json")
	a.ends(result.ExitOK)
	for rank := range apartRanks {
		a.json = filepath.Join(a.dir, fmt.Sprint(rank), "new.json")
		doc := a.document()
		if doc.RerunOf != oldRun || doc.State != result.Complete || len(doc.Cases) != 2 ||
			doc.Software.MPI != "" {
			t.Errorf("rank %d: rerun of %q is %s with %d cases", rank, doc.RerunOf, doc.State, len(doc.Cases))
		}
	}
}
