package result

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/placement"

	"github.com/google/go-cmp/cmp"
)

// full returns a document in which every field that a run can fill is set.
func full() Document {
	start := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	end := start.Add(90 * time.Second)
	status := 1
	failure := Error{
		Time: end, Phase: "transfer", Operation: "write", Iteration: 2, File: 1, Rank: 3, Host: "n1", Ranks: 2,
		Message: "pwrite <data_1.posix>: no space left on device",
	}
	interval := Interval{Max: 0.25, Min: 1e-9, Mean: 1.0 / 3, MaxRank: 3}
	return Document{
		SchemaVersion: Version, RunID: "20260301T120000Z-0123456789", State: Failed, ExitStatus: &status,
		Started: start, Finished: &end, Kind: "parallel", Command: []string{"h5perf", "-A", "posix"},
		GivenParameters: []GivenParameter{{Name: "api", Value: "posix"}, {Name: "chunk"}},
		Parameters: Parameters{
			APIs: []string{"posix"}, MinProcesses: 1, MaxProcesses: 4, BytesPerProcess: math.MaxUint64, BlockSize: 1,
			ChunkSize:     []uint64{4, 4},
			DatasetExtent: []uint64{16, 16}, BufferExtent: []uint64{2, 4}, DimensionOrder: []int{2, 1},
			Extendible: true,
			HDF5Settings: HDF5Settings{
				DriverSettings: &option.DriverSettings{SerialSettings: option.SerialSettings{
					CoreIncrementBytes: new(uint64(1 << 20)), CoreBackingStore: new(false), MultiMap: "default",
				}}, AlignmentBytes: new(uint64(1)), ThresholdBytes: new(uint64(0)), SieveBufferBytes: new(uint64(0)),
				ChunkCacheBytes: new(uint64(1)),
			},
			MPIIOSettings: MPIIOSettings{Hints: []KeyValue{{Key: "cb_nodes", Value: "2"}}, HintsSet: true},
		},
		Notes:    []string{"-x lowered"},
		Software: Software{Version: "v1", HDF5Config: []KeyValue{{Key: "Parallel HDF5", Value: "yes"}}},
		Machine:  Machine{Host: "n1", CPUs: 2, MemoryBytes: 1 << 34},
		Target:   Target{Directory: "/scratch", FreeBytes: 1 << 50},
		Job: Job{
			Processes: 4, Nodes: 1,
			Placement:    []Host{placement.NewHost("n1", []int{0, 1, 2, 3}, []string{"0", "2", "4", "6"}, 4)},
			Slurm:        []KeyValue{{Key: "SLURM_JOB_ID", Value: "7"}},
			MPIVariables: []KeyValue{{Key: "UCX_TLS", Value: "all"}}, TimeoutGrace: 3,
		},
		Cases: []Case{{
			Processes: 4, Nodes: 1, TransferSize: 1, API: "posix", State: Failed, Error: &failure, Bytes: 1 << 40,
			Samples: []Sample{{
				Operation: "write", Iteration: 1, Started: start, Ended: end, Bytes: 1 << 40,
				Access: interval, OpenClose: interval,
				Handled: []HandledUnits{{Unit: "samples", Number: 1 << 40}},
				Classes: []ClassTime{{Class: "transfer", Interval: interval}},
				Dumps: []DumpTime{
					{
						First: 1, Last: 3, Bytes: 1 << 39, WindowSeconds: 0.5,
						Classes: []DumpClass{{"transfer", 0.25, 1.0 / 3}},
					},
					{First: 4, Last: 4, Bytes: 1 << 39},
				},
			}},
			Effective: &Effective{
				Calls: 9, CollectiveReads: &Collective{Collective: 1, LocalCauses: []string{"chunked"}},
				Files: []FileSize{{"data_1.h5", 2048, 12, 3}}, Extensions: 10,
			},
		}},
		Errors: []Error{failure},
	}
}

func TestADocumentComesBackAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	want := full()
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-written +read)\n%s", d)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	var b bytes.Buffer
	if err := Encode(&b, Document{Cases: []Case{{Latencies: []Latency{{}}}}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "null") {
		t.Errorf("null in\n%s", b.String())
	}
}

func TestWriteReplacesADocumentAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	for _, state := range []State{Running, Complete} {
		if err := Write(path, Document{SchemaVersion: Version, State: state}); err != nil {
			t.Fatal(err)
		}
		doc, err := Read(path)
		if err != nil || doc.State != state {
			t.Errorf("state %q, error %v; want %q", doc.State, err, state)
		}
	}
	onlyFile(t, dir, "run.json")
}

func TestAFailedWriteLeavesTheOldDocument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	if err := Write(path, full()); err != nil {
		t.Fatal(err)
	}
	bad := full()
	bad.Cases[0].Samples[0].Access.Mean = math.NaN()
	if err := Write(path, bad); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("error %v, want one that names NaN", err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(full(), got); d != "" {
		t.Errorf("(-before +after)\n%s", d)
	}
	onlyFile(t, dir, "run.json")
}

func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the directory holds %v, want %s alone", entries, name)
	}
}

func TestWriteRefusesWhatIsNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe") // in place of a device
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir, pipe} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(path, full()); err == nil || !strings.Contains(err.Error(), path+": is ") {
			t.Errorf("%s: error %v, want one that says what is there", path, err)
		}
		after, err := os.Lstat(path)
		if err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s was %v, is %v (%v)", path, before.Mode(), after.Mode(), err)
		}
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "mine" {
		t.Errorf("the target of the link holds %q (%v)", data, err)
	}
}

func TestWriteLeavesAForeignFileAndOverwriteDoesNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	for _, foreign := range []string{"mine", `{"schema_version": 1, "examination": {}}`} {
		if err := os.WriteFile(path, []byte(foreign), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, full()); err == nil || !strings.Contains(err.Error(), "is not a document of h5perf") {
			t.Errorf("error %v", err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != foreign {
			t.Errorf("the file holds %q (%v)", data, err)
		}
		if err := Overwrite(path, full()); err != nil {
			t.Error(err)
		}
		if _, err := Read(path); err != nil {
			t.Error(err)
		}
	}
}

func TestWriteNamesTheDirectoryThatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "run.json")
	if err := Write(path, full()); err == nil || !strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Errorf("error %v", err)
	}
}

// On a full file system, a document is updated in place: with all cases if they fit, else with those that it already
// has.
func TestADocumentIsEndedInPlace(t *testing.T) {
	running, longer, other := full(), full(), full()
	running.State, running.ExitStatus, running.Finished, running.Errors = Running, nil, nil, nil
	running.Cases[0].State, running.Cases[0].Error = Running, nil
	for range 100 {
		longer.Cases = append(longer.Cases, longer.Cases[0])
	}
	other.RunID = "another run"
	for name, c := range map[string]struct {
		end   Document
		cases int
		state State
	}{"fits": {full(), 1, Failed}, "does not fit": {longer, 1, Failed}, "is of another run": {other, 1, Running}} {
		path := filepath.Join(t.TempDir(), "run.json")
		if err := Write(path, running); err != nil {
			t.Fatal(err)
		}
		if err := overwriteInPlace(path, c.end); (err == nil) != (c.state == Failed) {
			t.Errorf("%s: %v", name, err)
		}
		doc, err := Read(path)
		if err != nil || doc.State != c.state || len(doc.Cases) != c.cases {
			t.Errorf("%s: %v, document is %s with %d cases", name, err, doc.State, len(doc.Cases))
		}
		if c.state == Failed && (*doc.ExitStatus != 1 || doc.Finished == nil || len(doc.Errors) != 1 ||
			doc.Cases[0].State != Failed) {
			t.Errorf("%s: %+v", name, doc)
		}
	}
}
